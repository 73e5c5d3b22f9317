import type { Rect } from '../../media/geometry.ts'

/** A picture in memory: 3 bytes per pixel (red, green, blue), row by row. */
export interface RgbPicture {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/** Red, green, blue, each 0 to 255. */
export type RgbColour = readonly [number, number, number]

/** Returns a picture filled with one colour. */
export function newPicture(width: number, height: number, colour: RgbColour): RgbPicture {
  return { width, height, pixels: new Uint8Array(Buffer.alloc(width * height * 3, Buffer.from(colour))) }
}

/** Fills a rectangle, clipped to the picture. */
export function fillRect(picture: RgbPicture, { x, y, width, height }: Rect, colour: RgbColour): void {
  const left = Math.max(0, x)
  const row = Buffer.alloc(Math.max(0, Math.min(picture.width, x + width) - left) * 3, Buffer.from(colour))
  for (let at = Math.max(0, y); at < Math.min(picture.height, y + height); at++) {
    picture.pixels.set(row, (at * picture.width + left) * 3)
  }
}

/** Blends a colour into one pixel. `share` is the opacity, 0 to 1. Ignores positions outside the picture. */
export function mixPixel(
  picture: RgbPicture,
  at: { x: number; y: number; share: number },
  colour: RgbColour,
): void {
  if (at.x < 0 || at.y < 0 || at.x >= picture.width || at.y >= picture.height) return
  const first = (at.y * picture.width + at.x) * 3
  for (const [channel, value] of colour.entries()) {
    const below = picture.pixels[first + channel] ?? 0
    picture.pixels[first + channel] = Math.round(below + (value - below) * at.share)
  }
}

const checkerSide = 8
const checkerColours: readonly [RgbColour, RgbColour] = [
  [92, 95, 101],
  [120, 123, 129],
]

/** Composites RGBA pixels (4 bytes each) into a rectangle of the same size, over a checkerboard. */
export function compositeRgba({ width, pixels }: RgbPicture, box: Rect, rgba: Uint8Array): void {
  for (let row = 0; row < box.height; row++) {
    for (let column = 0; column < box.width; column++) {
      const from = (row * box.width + column) * 4
      const to = ((box.y + row) * width + box.x + column) * 3
      const opacity = rgba[from + 3] ?? 255
      if (opacity === 255) {
        // Nearly all pixels of a million.
        pixels[to] = rgba[from] ?? 0
        pixels[to + 1] = rgba[from + 1] ?? 0
        pixels[to + 2] = rgba[from + 2] ?? 0
        continue
      }
      const alpha = opacity / 255
      const dark = (Math.floor(row / checkerSide) + Math.floor(column / checkerSide)) % 2 === 0
      const below = checkerColours[dark ? 0 : 1]
      for (let channel = 0; channel < 3; channel++) {
        const value = below[channel] ?? 0
        pixels[to + channel] = Math.round(value + ((rgba[from + channel] ?? 0) - value) * alpha)
      }
    }
  }
}

/** Background of previews: dark and neutral, so that the pictures stand out. */
export const sheetBackground: RgbColour = [22, 24, 28]

/** Fill of a cell whose frame does not decode. */
export const emptyCellTint: RgbColour = [36, 39, 45]

/** Digits of time codes. */
export const textTint: RgbColour = [222, 225, 230]

/** Outlines of removed and of protected regions. */
export const removedTint: RgbColour = [255, 92, 72]
export const keptTint: RgbColour = [72, 224, 128]

/** Background of labels and outlines, for contrast with any picture. */
export const shadeTint: RgbColour = [12, 13, 16]
