/** Pixels of three bytes each in rows, and which of them are to be filled. */
export interface Holed {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
  /** 1 where a pixel is to be filled. */
  readonly hole: Uint8Array
}

/** What is known of a picture that is to be filled. */
export interface FillWish {
  /** Whether its bytes are red, green and blue; else brightness and both axes of colour. */
  readonly isRgb: boolean
  /** Whether what holes hold is a good beginning. */
  readonly isBegun: boolean
}

/** Fills the holes of a picture, in place. */
export type FillHoles = (picture: Holed, wish: FillWish) => Promise<void>

/** The same at half the size; a pixel made of holes alone is one, others are the mean of what is known. */
export function halvedOf({ width, height, pixels, hole }: Holed): Holed {
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

/** Steps of each hole's pixel from what is known, to a quarter of 255 at most. */
export function depthOf({ width, height, hole }: Holed): Uint8Array {
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
