import type { Rect, Size } from '../../src/media/geometry.ts'

/** A grey picture: one byte per pixel, by row from the top. */
export interface Picture extends Size {
  readonly pixels: Uint8Array
}

/** Scales a part of a picture, in pixels or fractions of pixels, by bicubic interpolation. The kernel widens for reduction. */
export function scalePart(source: Picture, part: Rect, size: Size): Picture {
  const columns = filterTaps(source.width, { from: part.x, length: part.width, count: size.width })
  const rows = filterTaps(source.height, { from: part.y, length: part.height, count: size.height })
  const scaledRows = new Float64Array(size.width * source.height)
  for (let y = rows.at[0] ?? 0; y <= (rows.at.at(-1) ?? 0); y += 1) {
    for (let x = 0; x < size.width; x += 1) {
      let sum = 0
      for (let tap = columns.starts[x] ?? 0; tap < (columns.starts[x + 1] ?? 0); tap += 1)
        sum += (columns.weights[tap] ?? 0) * (source.pixels[y * source.width + (columns.at[tap] ?? 0)] ?? 0)
      scaledRows[y * size.width + x] = sum
    }
  }
  const pixels = new Uint8Array(size.width * size.height)
  for (let y = 0; y < size.height; y += 1) {
    for (let x = 0; x < size.width; x += 1) {
      let sum = 0
      for (let tap = rows.starts[y] ?? 0; tap < (rows.starts[y + 1] ?? 0); tap += 1)
        sum += (rows.weights[tap] ?? 0) * (scaledRows[(rows.at[tap] ?? 0) * size.width + x] ?? 0)
      pixels[y * size.width + x] = Math.max(0, Math.min(255, Math.round(sum)))
    }
  }
  return { ...size, pixels }
}

/** Source positions and their weights along one axis, in the order of the result pixels. */
interface FilterTaps {
  /** Index of the first position of each result pixel, and the number of all positions. */
  readonly starts: Uint32Array
  /** Ascending for each result pixel. */
  readonly at: Uint32Array
  readonly weights: Float64Array
}

/** Returns the source positions and weights of each result pixel along one axis. Flat, as pictures have many pixels. */
function filterTaps(
  length: number,
  { from, length: partLength, count }: { from: number; length: number; count: number },
): FilterTaps {
  const step = partLength / count
  const kernelScale = Math.max(1, step)
  const [starts, positions, weights]: [number[], number[], number[]] = [[0], [], []]
  for (let index = 0; index < count; index += 1) {
    const centre = from + (index + 0.5) * step - 0.5
    const taps: { at: number; weight: number }[] = []
    for (let at = Math.ceil(centre - 2 * kernelScale); at <= centre + 2 * kernelScale; at += 1) {
      taps.push({ at: Math.max(0, Math.min(length - 1, at)), weight: cubic((at - centre) / kernelScale) })
    }
    const total = taps.reduce((sum, { weight }) => sum + weight, 0)
    positions.push(...taps.map(({ at }) => at))
    weights.push(...taps.map(({ weight }) => weight / total))
    starts.push(positions.length)
  }
  return {
    starts: Uint32Array.from(starts),
    at: Uint32Array.from(positions),
    weights: Float64Array.from(weights),
  }
}

/** Returns the value of the cubic convolution kernel (Keys 1981), with the sharpness of ffmpeg's scaler. */
function cubic(distance: number): number {
  const a = -0.6
  const x = Math.abs(distance)
  if (x < 1) return (a + 2) * x ** 3 - (a + 3) * x ** 2 + 1
  return x < 2 ? a * x ** 3 - 5 * a * x ** 2 + 8 * a * x - 4 * a : 0
}

/** Returns a part of a picture, in integer pixels. */
export function cutOut(source: Picture, part: Rect): Picture {
  const pixels = new Uint8Array(part.width * part.height)
  for (let y = 0; y < part.height; y += 1) {
    const start = (part.y + y) * source.width + part.x
    pixels.set(source.pixels.subarray(start, start + part.width), y * part.width)
  }
  return { width: part.width, height: part.height, pixels }
}

/**
 * Returns the 99th percentile of the absolute differences of two pictures, 0 to 255; 255 for empty pictures. shift:
 * offset between the pictures, pixels.
 */
export function difference99(one: Picture, other: Picture, shift = { x: 0, y: 0 }): number {
  // Number of pixels by difference.
  const counts = new Uint32Array(256)
  let pixels = 0
  for (let y = 0; y < one.height - shift.y; y += 1) {
    for (let x = 0; x < one.width - shift.x; x += 1) {
      const value = one.pixels[y * one.width + x] ?? 0
      const otherValue = other.pixels[(y + shift.y) * other.width + x + shift.x] ?? 0
      const difference = Math.abs(value - otherValue)
      counts[difference] = (counts[difference] ?? 0) + 1
      pixels += 1
    }
  }
  let within = 0
  const percentile = counts.findIndex((count) => (within += count) >= Math.max(1, Math.ceil(pixels * 0.99)))
  return percentile < 0 ? 255 : percentile
}
