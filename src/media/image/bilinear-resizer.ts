import type { Size } from '../geometry.ts'

/** Input samples of an output sample, and their weights as fixed-point numbers of 22 bits. */
interface FixedTaps {
  readonly first: number
  readonly weights: readonly number[]
}

/** Fraction bits of weights: with 8 bits of the samples and one of the sign, sums fit 32 bits. */
const weightBits = 22
const half = 2 ** (weightBits - 1)

/**
 * Resizes a picture of 3 bytes per pixel (red, green, blue), whose rows arrive from top to bottom. Bilinear; where it
 * shrinks, the filter is as wide as a target pixel (antialiasing). Gives the same bytes as Pillow's `Image.resize` with
 * `Resampling.BILINEAR` (libImaging/Resample.c): columns first, rounded to 8 bits, then rows. Keeps only the result in
 * memory, whatever the height of the picture.
 */
export class BilinearResizer {
  readonly #columns: readonly FixedTaps[]
  readonly #rows: readonly FixedTaps[]
  /** Weighted sums of the result's samples. */
  readonly #sums: Int32Array
  readonly #line: Uint8Array
  #row = 0
  /** First row of the result that later rows of the picture contribute to. */
  #open = 0

  constructor(from: Size, to: Size) {
    this.#columns = fixedTaps(from.width, to.width)
    this.#rows = fixedTaps(from.height, to.height)
    this.#sums = new Int32Array(to.width * to.height * 3).fill(half)
    this.#line = new Uint8Array(to.width * 3)
  }

  /** Adds the next row. */
  add(row: Uint8Array): void {
    this.#resizeLine(row)
    const width = this.#line.length
    for (let target = this.#open; target < this.#rows.length; target += 1) {
      const { first, weights } = this.#rows[target] ?? { first: 0, weights: [] }
      if (first > this.#row) break
      const weight = weights[this.#row - first]
      if (weight === undefined) {
        this.#open = target + 1
        continue
      }
      for (let at = 0, sum = target * width; at < width; at += 1, sum += 1)
        this.#sums[sum] = (this.#sums[sum] ?? 0) + weight * (this.#line[at] ?? 0)
    }
    this.#row += 1
  }

  /** The resized picture, after all rows: 3 bytes per pixel, row by row. */
  result(): Uint8Array {
    return Uint8Array.from(this.#sums, toByte)
  }

  #resizeLine(row: Uint8Array): void {
    const line = this.#line
    for (let target = 0; target < this.#columns.length; target += 1) {
      const { first, weights } = this.#columns[target] ?? { first: 0, weights: [] }
      let [red, green, blue] = [half, half, half]
      for (let tap = 0, at = first * 3; tap < weights.length; tap += 1, at += 3) {
        const weight = weights[tap] ?? 0
        red += weight * (row[at] ?? 0)
        green += weight * (row[at + 1] ?? 0)
        blue += weight * (row[at + 2] ?? 0)
      }
      line[target * 3] = toByte(red)
      line[target * 3 + 1] = toByte(green)
      line[target * 3 + 2] = toByte(blue)
    }
  }
}

function toByte(sum: number): number {
  return Math.min(255, sum >> weightBits)
}

/** Taps of all output samples: a triangle that is as wide as two output samples, or two input ones if those are wider. */
function fixedTaps(from: number, to: number): FixedTaps[] {
  const scale = from / to
  const reach = Math.max(1, scale)
  return Array.from({ length: to }, (_, target) => {
    const middle = (target + 0.5) * scale
    const first = Math.max(0, Math.floor(middle - reach + 0.5))
    const end = Math.min(from, Math.floor(middle + reach + 0.5))
    const shares = Array.from({ length: end - first }, (__, tap) =>
      Math.max(0, 1 - Math.abs((first + tap - middle + 0.5) * (1 / reach))),
    )
    let whole = 0
    for (const share of shares) whole += share
    return { first, weights: shares.map((share) => Math.floor((share / whole) * 2 ** weightBits + 0.5)) }
  })
}
