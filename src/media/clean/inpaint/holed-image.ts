import type { Rect } from '../../geometry.ts'
import type { Patch } from '../frame.ts'
import type { PatchFill } from './blend.ts'
import type { FrameCrop } from './view.ts'

/** An image of three bytes per pixel in rows, and a mask of the pixels to fill. */
export interface HoledImage {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
  /** 1 where a pixel is to be filled. */
  readonly hole: Uint8Array
}

/** Options of a hole filler. */
interface FillHolesOptions {
  /** Whether pixels are red, green and blue, rather than Y, Cb and Cr. */
  readonly isRgb: boolean
  /** Whether the holes contain a usable first estimate. */
  readonly hasInitialGuess: boolean
}

/** Fills the holes of an image in place. */
export type FillHoles = (picture: HoledImage, options: FillHolesOptions) => Promise<void>

/**
 * Returns the image at half the size. A pixel with fewer than two known pixels is a hole; the others average the known
 * ones.
 */
export function halveImage({ width, height, pixels, hole }: HoledImage): HoledImage {
  const [columns, rows] = [width >> 1, height >> 1]
  const small = new Uint8Array(columns * rows * 3)
  const smallHole = new Uint8Array(columns * rows)
  for (let y = 0; y < rows; y += 1) {
    for (let x = 0; x < columns; x += 1) {
      const to = y * columns + x
      const from = 2 * y * width + 2 * x
      const places = [from, from + 1, from + width, from + width + 1]
      const seen = places.filter((at) => hole[at] === 0)
      smallHole[to] = seen.length < 2 ? 1 : 0
      for (let channel = 0; channel < 3; channel += 1) {
        let sum = 0
        for (const at of seen) sum += pixels[at * 3 + channel] ?? 0
        small[to * 3 + channel] = seen.length > 0 ? sum / seen.length + 0.5 : 0
      }
    }
  }
  return { width: columns, height: rows, pixels: small, hole: smallHole }
}

/** Returns the distance of each hole pixel to the nearest known pixel (4-connected), at most 255; 0 outside holes. */
export function holeDepth({ width, height, hole }: HoledImage): Uint8Array {
  const depth = Uint8Array.from(hole, (is) => is * 255)
  const near = (at: number, other: number) => {
    depth[at] = Math.min(depth[at] ?? 0, Math.min(254, depth[other] ?? 0) + 1)
  }
  for (let at = 0; at < depth.length; at += 1) {
    if (at % width > 0) near(at, at - 1)
    if (at >= width) near(at, at - width)
  }
  for (let at = depth.length - 1; at >= 0; at -= 1) {
    if (at % width < width - 1) near(at, at + 1)
    if (at < width * (height - 1)) near(at, at + width)
  }
  return depth
}

/** Converts a crop to packed Y, Cb and Cr, repeating chroma samples. */
export function cropToImage({ width, height, data, blue, red }: FrameCrop, hole: Uint8Array): HoledImage {
  const pixels = new Uint8Array(width * height * 3)
  for (let at = 0; at < data.length; at += 1) {
    const small = (Math.floor(at / width) >> 1) * (width >> 1) + ((at % width) >> 1)
    pixels[at * 3] = data[at] ?? 0
    pixels[at * 3 + 1] = blue[small] ?? 128
    pixels[at * 3 + 2] = red[small] ?? 128
  }
  return { width, height, pixels, hole }
}

/** Writes a patch's fill into an image where its chroma is known too. Pixels in `isKnown` are no longer holes. */
export function insertFill(
  { width, height, pixels, hole }: HoledImage,
  area: Rect,
  { patch, filling, isKnown }: { patch: Patch; filling: PatchFill; isKnown: Uint8Array },
): void {
  for (let row = 0; row < patch.height; row += 1) {
    const y = patch.y + row - area.y
    if (y < 0 || y >= height) continue
    for (let column = 0; column < patch.width; column += 1) {
      const x = patch.x + column - area.x
      const from = row * patch.width + column
      if (x < 0 || x >= width || filling.isFilled[from] !== 1 || patch.mask[from] !== 1) continue
      // The top left pixel of a 2 x 2 block determines its chroma: either it is filled, or the existing chroma stays.
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

/** Converts a filled image to a crop. Chroma is the mean of four pixels; synthesized pixels are marked as hidden. */
export function imageToCrop(
  { width, height, pixels }: HoledImage,
  { x, y }: Rect,
  madeUp: Uint8Array,
): FrameCrop {
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
