import type { Patch } from '../frame.ts'
import type { Filling } from './blend.ts'
import type { Holed } from './picture.ts'
import type { Crop } from './view.ts'
import type { Rect } from '../../geometry.ts'

/** A crop as pixels of brightness and both axes of colour. */
export function pictureOf({ width, height, data, blue, red }: Crop, hole: Uint8Array): Holed {
  const pixels = new Uint8Array(width * height * 3)
  for (let at = 0; at < data.length; at += 1) {
    const small = (Math.floor(at / width) >> 1) * (width >> 1) + ((at % width) >> 1)
    pixels[at * 3] = data[at] ?? 0
    pixels[at * 3 + 1] = blue[small] ?? 128
    pixels[at * 3 + 2] = red[small] ?? 128
  }
  return { width, height, pixels, hole }
}

/** Puts a patch's filling into a picture, where its colour is known too; what is known is no hole any more. */
export function lay(
  { width, height, pixels, hole }: Holed,
  area: Rect,
  { patch, filling, isKnown }: { patch: Patch; filling: Filling; isKnown: Uint8Array },
): void {
  for (let row = 0; row < patch.height; row += 1) {
    const y = patch.y + row - area.y
    if (y < 0 || y >= height) continue
    for (let column = 0; column < patch.width; column += 1) {
      const x = patch.x + column - area.x
      const from = row * patch.width + column
      if (x < 0 || x >= width || filling.isFilled[from] !== 1 || patch.mask[from] !== 1) continue
      // The first of four pixels tells their colour: it is filled with it, or stays as it is and so does the colour.
      const first = from - (column & 1) - (row & 1) * patch.width
      const isColoured = patch.mask[first] === 1
      if (isColoured && filling.isFilled[first] !== 1) continue
      const small = (row >> 1) * (patch.width >> 1) + (column >> 1)
      const to = y * width + x
      pixels[to * 3] = Math.min(255, Math.max(0, Math.round(filling.luma[from] ?? 0)))
      if (isColoured) {
        pixels[to * 3 + 1] = Math.min(255, Math.max(0, Math.round(filling.blue[small] ?? 128)))
        pixels[to * 3 + 2] = Math.min(255, Math.max(0, Math.round(filling.red[small] ?? 128)))
      }
      if (isKnown[from] === 1) hole[to] = 0
    }
  }
}

/** The crop of a filled picture, in which what was made up is hidden; colour is the mean of four. */
export function cropOf({ width, height, pixels }: Holed, { x, y }: Rect, madeUp: Uint8Array): Crop {
  const data = new Uint8Array(width * height)
  const blue = new Uint8Array(data.length / 4)
  const red = new Uint8Array(data.length / 4)
  for (let at = 0; at < data.length; at += 1) data[at] = pixels[at * 3] ?? 0
  for (let at = 0; at < blue.length; at += 1) {
    const from = (Math.floor(at / (width / 2)) * 2 * width + (at % (width / 2)) * 2) * 3
    const under = from + width * 3
    for (const [plane, channel] of [
      [blue, 1],
      [red, 2],
    ] as const) {
      const four =
        (pixels[from + channel] ?? 0) +
        (pixels[from + 3 + channel] ?? 0) +
        (pixels[under + channel] ?? 0) +
        (pixels[under + 3 + channel] ?? 0)
      plane[at] = (four + 2) >> 2
    }
  }
  return { x, y, width, height, data, blue, red, hidden: madeUp }
}
