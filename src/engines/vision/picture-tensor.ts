/** Pixels of three bytes in rows. */
interface Pixels {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/** Sides of a tensor. */
interface Size {
  readonly width: number
  readonly height: number
}

/** Red, green and blue of ITU-R BT.709, limited range, to and from brightness and both axes of colour. */
export function rgbOf(yuv: Uint8Array): Uint8Array {
  const rgb = new Uint8Array(yuv.length)
  for (let at = 0; at < yuv.length; at += 3) {
    const light = 1.164_384 * ((yuv[at] ?? 0) - 16)
    const [blue, red] = [(yuv[at + 1] ?? 128) - 128, (yuv[at + 2] ?? 128) - 128]
    rgb[at] = toByte(light + 1.792_741 * red)
    rgb[at + 1] = toByte(light - 0.213_249 * blue - 0.532_909 * red)
    rgb[at + 2] = toByte(light + 2.112_402 * blue)
  }
  return rgb
}

/** The other way. */
export function yuvOf(rgb: Uint8Array): Uint8Array {
  const yuv = new Uint8Array(rgb.length)
  for (let at = 0; at < rgb.length; at += 3) {
    const [red, green, blue] = [rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0]
    yuv[at] = toByte(16 + 0.182_586 * red + 0.614_231 * green + 0.062_007 * blue)
    yuv[at + 1] = toByte(128 - 0.100_644 * red - 0.338_572 * green + 0.439_216 * blue)
    yuv[at + 2] = toByte(128 + 0.439_216 * red - 0.398_942 * green - 0.040_274 * blue)
  }
  return yuv
}

/** One channel after the other, scaled to a size and by a factor. */
export function tensorOf({ width, height, pixels }: Pixels, size: Size, factor: number): Float32Array {
  const tensor = new Float32Array(3 * size.width * size.height)
  for (let channel = 0; channel < 3; channel += 1) {
    const plane = Float32Array.from(
      { length: width * height },
      (_, at) => factor * (pixels[at * 3 + channel] ?? 0),
    )
    tensor.set(resized(plane, { width, height }, size), channel * size.width * size.height)
  }
  return tensor
}

/** A plane at another size: the mean of what a value covers where it shrinks, between its values where it grows. */
export function resized(plane: Float32Array, from: Size, to: Size): Float32Array {
  if (from.width === to.width && from.height === to.height) return plane
  const across = tapsOf(from.width, to.width)
  const lines = new Float32Array(to.width * from.height)
  for (let row = 0; row < from.height; row += 1) {
    for (const [column, { first, weights }] of across.entries()) {
      const begin = row * from.width + first
      let sum = 0
      for (let tap = 0; tap < weights.length; tap += 1) sum += (weights[tap] ?? 0) * (plane[begin + tap] ?? 0)
      lines[row * to.width + column] = sum
    }
  }
  const other = new Float32Array(to.width * to.height)
  for (const [row, { first, weights }] of tapsOf(from.height, to.height).entries()) {
    for (const [step, weight] of weights.entries()) {
      const line = (first + step) * to.width
      for (let column = 0; column < to.width; column += 1) {
        const at = row * to.width + column
        other[at] = (other[at] ?? 0) + weight * (lines[line + column] ?? 0)
      }
    }
  }
  return other
}

/** The values that one of another size is made of, and their shares. */
interface Taps {
  readonly first: number
  readonly weights: readonly number[]
}

function tapsOf(from: number, to: number): Taps[] {
  const step = from / to
  return Array.from({ length: to }, (_, place): Taps => {
    if (step > 1) {
      const [begin, end] = [place * step, Math.min(from, (place + 1) * step)]
      const first = Math.floor(begin)
      const weights = Array.from({ length: Math.ceil(end) - first }, (__, index) => {
        const at = first + index
        return (Math.min(end, at + 1) - Math.max(begin, at)) / (end - begin)
      })
      return { first, weights }
    }
    const middle = Math.min(from - 1, Math.max(0, (place + 0.5) * step - 0.5))
    const first = Math.min(Math.max(0, from - 2), Math.floor(middle))
    return from === 1 ? { first, weights: [1] } : { first, weights: [1 - middle + first, middle - first] }
  })
}

/** Most pixels that a model of any size is given: all-pairs flow needs a quarter of a GiB for so many. */
const mostPixels = 2 ** 19

/**
 * The size a tensor has to have: fixed sides as they are, others as multiples of eight, which convolutions ask for,
 * smaller where the picture has too many pixels.
 */
export function sizeFor(
  { width, height }: Size,
  fixed: { width: number | undefined; height: number | undefined },
): Size {
  const share = Math.min(1, Math.sqrt(mostPixels / (width * height)))
  const eights = (side: number) => Math.max(8, Math.round((side * share) / 8) * 8)
  return { width: fixed.width ?? eights(width), height: fixed.height ?? eights(height) }
}

function toByte(value: number): number {
  return Math.min(255, Math.max(0, Math.round(value)))
}
