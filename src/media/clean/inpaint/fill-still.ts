import type { Patch } from '../frame.ts'
import { fillByExemplar } from './exemplar-fill.ts'
import { growRect } from './hidden-mask.ts'
import type { FillHoles, HoledImage } from './holed-image.ts'

/** Pixels of a still image in rows: red, green, blue, and alpha if `channels` is 4. */
export interface StillImage {
  readonly width: number
  readonly height: number
  readonly channels: 3 | 4
  readonly bytes: Uint8Array
}

/** Fills holes from the image itself; used when no model is configured. */
export const exemplarFill: FillHoles = (picture, { hasInitialGuess: isBegun }) =>
  Promise.resolve(fillByExemplar(picture, { hasInitialGuess: isBegun }))

/**
 * Fills the patches of a still image in place, only where their masks are 1; alpha is kept. Each patch is processed
 * with its surroundings, so memory is bounded by the largest patch.
 */
export async function fillStill(
  still: StillImage,
  patches: readonly Patch[],
  fill: FillHoles = exemplarFill,
): Promise<void> {
  for (const patch of patches) {
    // Margin in proportion to the patch, 64 to 400 pixels: distant content seldom fits.
    const margin = Math.min(400, Math.max(64, Math.min(patch.width, patch.height)))
    const area = growRect(patch, { x: margin, y: margin }, still)
    const picture = cropStill(still, area)
    for (const other of patches) markHoles(picture.hole, area, { ...other, isMarked: true })
    // Earlier patches are already filled.
    for (const done of patches.slice(0, patches.indexOf(patch)))
      markHoles(picture.hole, area, { ...done, isMarked: false })
    markHoles(picture.hole, area, { ...patch, isMarked: true })
    await fill(picture, { isRgb: true, hasInitialGuess: false })
    writeHoles(still, picture, { patch, x: area.x, y: area.y })
  }
}

function cropStill(
  { width: stride, channels, bytes }: StillImage,
  { x, y, width, height }: Omit<Patch, 'mask'>,
): HoledImage {
  const pixels = new Uint8Array(width * height * 3)
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const from = ((y + row) * stride + x + column) * channels
      const to = (row * width + column) * 3
      for (let channel = 0; channel < 3; channel += 1) pixels[to + channel] = bytes[from + channel] ?? 0
    }
  }
  return { width, height, pixels, hole: new Uint8Array(width * height) }
}

function markHoles(
  hole: Uint8Array,
  area: Omit<Patch, 'mask'>,
  { isMarked, ...patch }: Patch & { isMarked: boolean },
): void {
  for (let row = 0; row < patch.height; row += 1) {
    const y = patch.y + row - area.y
    if (y < 0 || y >= area.height) continue
    for (let column = 0; column < patch.width; column += 1) {
      const x = patch.x + column - area.x
      if (x < 0 || x >= area.width || patch.mask[row * patch.width + column] !== 1) continue
      hole[y * area.width + x] = isMarked ? 1 : 0
    }
  }
}

function writeHoles(
  { width, channels, bytes }: StillImage,
  picture: HoledImage,
  { patch, x, y }: { patch: Patch; x: number; y: number },
): void {
  for (let at = 0; at < patch.mask.length; at += 1) {
    if (patch.mask[at] !== 1) continue
    const [column, row] = [patch.x + (at % patch.width), patch.y + Math.floor(at / patch.width)]
    const from = ((row - y) * picture.width + column - x) * 3
    const to = (row * width + column) * channels
    for (let channel = 0; channel < 3; channel += 1) bytes[to + channel] = picture.pixels[from + channel] ?? 0
  }
}
