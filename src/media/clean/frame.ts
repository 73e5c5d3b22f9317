/** A frame of 8-bit 4:2:0 samples: all brightness, then both axes of colour. Its sides are even. */
export interface Frame {
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

/** A connected place of a frame that is treated: a rectangle, its place and sides even, and what of it. */
export interface Patch {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Row by row, 1 where a pixel is treated and 0 where it stays as it is. */
  readonly mask: Uint8Array
}

/** What lies over a patch and lets something through, by the patch's pixels: shown = through x background + added. */
export interface Overlay {
  /** 0 where it is not known, or lets too little through. */
  readonly transmittance: Float32Array
  readonly lumaOffset: Float32Array
  /** Levels by which what is shown usually differs from what its surroundings suggest by both. */
  readonly residual: Float32Array
  /** Of both axes of colour, by their samples. */
  readonly blueOffset: Float32Array
  readonly redOffset: Float32Array
}

/** The places treated on a frame, counted from 0; the same object as long as they are the same. */
export type PatchesAt = (frame: number) => readonly Patch[]

/**
 * Treats frames that come in order from `first` on and gives each, in order, changed in `bytes` where a patch's mask
 * is 1 and nowhere else. It may look ahead: frames taken belong to it until it gives them back.
 */
export type FrameTreatment = (
  frames: AsyncIterable<Frame>,
  given: {
    readonly first: number
    /** The first that is asked for, where some before it come for what they show: these may be left as they are. */
    readonly wanted?: number | undefined
    readonly patchesAt: PatchesAt
    /** What still and translucent things were found to lie over patches. */
    readonly overlayOf?: ((patch: Patch) => Overlay | undefined) | undefined
    /** Where another goes on, which is given the frames from `from` on and gives those from `to` on. */
    readonly handOver?: { readonly from: number; readonly to: number } | undefined
  },
) => AsyncIterable<Frame>

/** One axis of a frame's colours, row by row without gaps; its bytes are the frame's own. */
export interface FramePlane {
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

/** Brightness, and both axes of colour at half the size. */
export function framePlanes({ width, height, bytes }: Frame): readonly [FramePlane, FramePlane, FramePlane] {
  const light = width * height
  const colour = light / 4
  const half = { width: width / 2, height: height / 2 }
  return [
    { width, height, bytes: bytes.subarray(0, light) },
    { ...half, bytes: bytes.subarray(light, light + colour) },
    { ...half, bytes: bytes.subarray(light + colour, light + 2 * colour) },
  ]
}

/** Bytes of a frame. */
export function frameBytes({ width, height }: Pick<Frame, 'width' | 'height'>): number {
  return (width * height * 3) / 2
}
