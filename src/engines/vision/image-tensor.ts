import type { Size } from '../../media/geometry.ts'

/** Packed pixels in rows, three bytes each. */
interface PackedPixels {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/** Black level and scale of luma and chroma samples (ITU-R BT.709). */
const ranges = {
  limited: { black: 16, light: 219 / 255, colour: 224 / 255 },
  full: { black: 0, light: 1, colour: 1 },
} as const

/** Range of YCbCr samples: limited (16 to 235) or full (0 to 255). */
export type SampleRange = keyof typeof ranges

/** Converts packed Y, Cb, Cr to R, G, B (ITU-R BT.709), 0 to 255, rounded. */
export function yuvToRgb(yuv: Uint8Array, range: SampleRange): Uint8Array {
  const { black, light, colour } = ranges[range]
  const rgb = new Uint8Array(yuv.length)
  for (let at = 0; at < yuv.length; at += 3) {
    const bright = ((yuv[at] ?? 0) - black) / light
    const [blue, red] = [((yuv[at + 1] ?? 128) - 128) / colour, ((yuv[at + 2] ?? 128) - 128) / colour]
    rgb[at] = clampToByte(bright + 1.5748 * red)
    rgb[at + 1] = clampToByte(bright - 0.187_324 * blue - 0.468_124 * red)
    rgb[at + 2] = clampToByte(bright + 1.8556 * blue)
  }
  return rgb
}

/** Converts packed R, G, B to Y, Cb, Cr (ITU-R BT.709), 0 to 255, rounded. */
export function rgbToYuv(rgb: Uint8Array, range: SampleRange): Uint8Array {
  const { black, light, colour } = ranges[range]
  const yuv = new Uint8Array(rgb.length)
  for (let at = 0; at < rgb.length; at += 3) {
    const [red, green, blue] = [rgb[at] ?? 0, rgb[at + 1] ?? 0, rgb[at + 2] ?? 0]
    const bright = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    yuv[at] = clampToByte(black + light * bright)
    yuv[at + 1] = clampToByte(128 + (colour * (blue - bright)) / 1.8556)
    yuv[at + 2] = clampToByte(128 + (colour * (red - bright)) / 1.5748)
  }
  return yuv
}

/** Returns a planar tensor (channels, rows, columns), resized and multiplied by a factor. */
export function planarTensor(
  { width, height, pixels }: PackedPixels,
  size: Size,
  factor: number,
): Float32Array {
  const tensor = new Float32Array(3 * size.width * size.height)
  for (let channel = 0; channel < 3; channel += 1) {
    const plane = Float32Array.from(
      { length: width * height },
      (_, at) => factor * (pixels[at * 3 + channel] ?? 0),
    )
    tensor.set(resizePlane(plane, { width, height }, size), channel * size.width * size.height)
  }
  return tensor
}

/** Resizes a plane: area average when shrinking, linear interpolation when growing. */
export function resizePlane(plane: Float32Array, from: Size, to: Size): Float32Array {
  if (from.width === to.width && from.height === to.height) return plane
  const across = resizeTaps(from.width, to.width)
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
  for (const [row, { first, weights }] of resizeTaps(from.height, to.height).entries()) {
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

/** Input samples of an output sample, and their weights, which add up to 1. */
interface ResizeTaps {
  readonly first: number
  readonly weights: readonly number[]
}

function resizeTaps(from: number, to: number): ResizeTaps[] {
  const step = from / to
  return Array.from({ length: to }, (_, target): ResizeTaps => {
    if (step > 1) {
      const [begin, end] = [target * step, Math.min(from, (target + 1) * step)]
      const first = Math.floor(begin)
      const weights = Array.from({ length: Math.ceil(end) - first }, (__, index) => {
        const at = first + index
        return (Math.min(end, at + 1) - Math.max(begin, at)) / (end - begin)
      })
      return { first, weights }
    }
    const middle = Math.min(from - 1, Math.max(0, (target + 0.5) * step - 0.5))
    const first = Math.min(Math.max(0, from - 2), Math.floor(middle))
    return from === 1 ? { first, weights: [1] } : { first, weights: [1 - middle + first, middle - first] }
  })
}

/** Limit of pixels for models of flexible size: all-pairs optical flow needs 256 MiB at this size. */
const maxTensorPixels = 2 ** 19

/**
 * Returns the tensor size for an image: fixed sides as required, others rounded to multiples of eight and reduced to
 * the pixel limit.
 */
export function tensorSize(
  { width, height }: Size,
  fixed: { width: number | undefined; height: number | undefined },
): Size {
  const share = Math.min(1, Math.sqrt(maxTensorPixels / (width * height)))
  const eights = (side: number) => Math.max(8, Math.round((side * share) / 8) * 8)
  return { width: fixed.width ?? eights(width), height: fixed.height ?? eights(height) }
}

function clampToByte(value: number): number {
  return Math.min(255, Math.max(0, Math.round(value)))
}
