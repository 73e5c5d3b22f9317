/** A grey picture. */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/** A part of a picture in its pixels; fractions allowed. */
interface Part {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Scales a part of a picture to whole pixels by bicubic interpolation, widened when it shrinks. */
export function scalePart(source: Picture, part: Part, size: { width: number; height: number }): Picture {
  const columns = filterTaps(source.width, { from: part.x, length: part.width, count: size.width })
  const rows = filterTaps(source.height, { from: part.y, length: part.height, count: size.height })
  const wide = new Float64Array(size.width * source.height)
  for (let y = 0; y < source.height; y += 1) {
    for (const [x, taps] of columns.entries()) {
      let sum = 0
      for (const { at, weight } of taps) sum += weight * (source.pixels[y * source.width + at] ?? 0)
      wide[y * size.width + x] = sum
    }
  }
  const pixels = new Uint8Array(size.width * size.height)
  for (const [y, taps] of rows.entries()) {
    for (let x = 0; x < size.width; x += 1) {
      let sum = 0
      for (const { at, weight } of taps) sum += weight * (wide[at * size.width + x] ?? 0)
      pixels[y * size.width + x] = Math.max(0, Math.min(255, Math.round(sum)))
    }
  }
  return { ...size, pixels }
}

function filterTaps(
  length: number,
  { from, length: taken, count }: { from: number; length: number; count: number },
) {
  const step = taken / count
  const stretch = Math.max(1, step)
  return Array.from({ length: count }, (_, index) => {
    const centre = from + (index + 0.5) * step - 0.5
    const taps: { at: number; weight: number }[] = []
    for (let at = Math.ceil(centre - 2 * stretch); at <= centre + 2 * stretch; at += 1) {
      taps.push({ at: Math.max(0, Math.min(length - 1, at)), weight: cubic((at - centre) / stretch) })
    }
    const total = taps.reduce((sum, { weight }) => sum + weight, 0)
    return taps.map(({ at, weight }) => ({ at, weight: weight / total }))
  })
}

/** Keys' cubic with the sharpness ffmpeg uses. */
function cubic(distance: number): number {
  const a = -0.6
  const x = Math.abs(distance)
  if (x < 1) return (a + 2) * x ** 3 - (a + 3) * x ** 2 + 1
  return x < 2 ? a * x ** 3 - 5 * a * x ** 2 + 8 * a * x - 4 * a : 0
}

/** Cuts whole pixels out of a picture. */
export function cutOut(source: Picture, part: Part): Picture {
  const pixels = new Uint8Array(part.width * part.height)
  for (let y = 0; y < part.height; y += 1) {
    const start = (part.y + y) * source.width + part.x
    pixels.set(source.pixels.subarray(start, start + part.width), y * part.width)
  }
  return { width: part.width, height: part.height, pixels }
}

/** The difference that 99 % of the pixels do not exceed; `shift` moves one picture sideways and down. */
export function difference99(one: Picture, other: Picture, shift = { x: 0, y: 0 }): number {
  // Of how many pixels each difference is.
  const counts = new Uint32Array(256)
  let pixels = 0
  for (let y = 0; y < one.height - shift.y; y += 1) {
    for (let x = 0; x < one.width - shift.x; x += 1) {
      const here = one.pixels[y * one.width + x] ?? 0
      const there = other.pixels[(y + shift.y) * other.width + x + shift.x] ?? 0
      const difference = Math.abs(here - there)
      counts[difference] = (counts[difference] ?? 0) + 1
      pixels += 1
    }
  }
  let within = 0
  const found = counts.findIndex((count) => (within += count) >= Math.max(1, Math.ceil(pixels * 0.99)))
  // Of no pixels nothing is shown.
  return found < 0 ? 255 : found
}
