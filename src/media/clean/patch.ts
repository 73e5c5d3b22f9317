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

/** The places treated on a frame, counted from 0; the same object as long as they are the same. */
export type PatchesAt = (frame: number) => readonly Patch[]

/**
 * Treats frames that come in order from `first` on and gives each, in order, changed in `bytes` where a patch's mask
 * is 1 and nowhere else. It may look ahead: frames taken belong to it until it gives them back.
 */
export type Treat = (
  frames: AsyncIterable<Frame>,
  given: { readonly first: number; readonly patchesAt: PatchesAt },
) => AsyncIterable<Frame>
