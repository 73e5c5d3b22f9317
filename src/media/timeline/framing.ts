import type { Rect } from '../geometry.ts'

/**
 * How the picture of a clip is fitted to the canvas. Crops are in displayed pixels of the source, with even sides.
 *
 * - `crop`: the crop fills the canvas. With `moveTo`, it moves linearly to that rectangle during the clip.
 * - `fit`: the whole picture, over its own blurred copy that fills the canvas. blurSigma: standard deviation in pixels
 *   of the canvas; 0 shows it over black.
 * - `split`: several crops, each of which fills its slot. Slots are in pixels of the canvas; the rest is black.
 */
export type ClipFraming =
  | { readonly mode: 'crop'; readonly crop: Rect; readonly moveTo?: Rect }
  | { readonly mode: 'fit'; readonly blurSigma: number }
  | { readonly mode: 'split'; readonly slots: readonly FramingSlot[] }

/** A crop of the source and the rectangle of the canvas that it fills. */
export interface FramingSlot {
  readonly crop: Rect
  readonly slot: Rect
}
