/** A frame of 8-bit 4:2:0 samples: the luma plane, then the Cb and Cr planes. Width and height are even. */
export interface Frame {
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

/** A connected area of a frame to treat: a rectangle with even position and size, and a mask. */
export interface Patch {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** In rows: 1 where a pixel is treated, 0 where it must not change. */
  readonly mask: Uint8Array
}

/** A translucent overlay on a patch, per pixel in rows: shown = transmittance x background + offset. */
export interface Overlay {
  /** Share of the background that is visible; 0 where unknown or too little. */
  readonly transmittance: Float32Array
  readonly lumaOffset: Float32Array
  /** Usual deviation of the frame from this model, in levels (0 to 255). */
  readonly residual: Float32Array
  /** Offsets of the chroma planes, at half the width and height. */
  readonly blueOffset: Float32Array
  readonly redOffset: Float32Array
}

/** Returns the patches of a frame, indexed from 0. Returns the same array for as long as they do not change. */
export type PatchesAt = (frame: number) => readonly Patch[]

/** Options of a frame treatment: index of the first frame, and what to treat. */
export interface TreatmentOptions {
  readonly first: number
  /**
   * First frame whose result is needed. Earlier frames are read for their content only and may be yielded untreated.
   */
  readonly firstNeeded?: number | undefined
  readonly patchesAt: PatchesAt
  /** Returns the translucent overlay found on a patch, if any. */
  readonly overlayOf?: ((patch: Patch) => Overlay | undefined) | undefined
  /** Overlap with the next part, which reads frames from `from` on and yields frames from `to` on. */
  readonly overlap?: { readonly from: number; readonly to: number } | undefined
}

/**
 * Treats consecutive frames and yields each in order, changing `bytes` only where a mask is 1. May read ahead; a frame
 * belongs to the treatment until it is yielded.
 */
export type FrameTreatment = (frames: AsyncIterable<Frame>, options: TreatmentOptions) => AsyncIterable<Frame>

/** One plane of a frame, in rows without padding. Shares the frame's memory. */
export interface FramePlane {
  readonly width: number
  readonly height: number
  readonly bytes: Uint8Array
}

/** Returns the luma plane and both chroma planes, the latter at half the width and height. */
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

/** Returns the size of a frame in bytes. */
export function frameBytes({ width, height }: Pick<Frame, 'width' | 'height'>): number {
  return (width * height * 3) / 2
}
