import type { Frame, Overlay, Patch } from '../frame.ts'
import { interpolateMembrane } from './interpolate-membrane.ts'
import { cropFrame, type FrameCrop } from './view.ts'
import type { Rect } from '../../geometry.ts'

/** Fewest samples for an estimate. */
export const minSamples = 12
/** Bounds of plausible transmittance. Below, the signal is noise; above, something else changes. */
const [least, most] = [0.3, 2]
/** Largest relative standard error of the transmittance. */
const maxRelativeError = 0.4
/** Largest unexplained deviation, in levels. A larger one means that the content changes, as lines of text do. */
const maxResidual = 25

/** Sums over samples per pixel: shown values, background estimates, their squares and products. */
class RegressionSums {
  readonly shown: Float64Array
  readonly guess: Float64Array
  readonly guesses: Float64Array
  readonly products: Float64Array
  readonly squares: Float64Array

  constructor(length: number) {
    this.shown = new Float64Array(length)
    this.guess = new Float64Array(length)
    this.guesses = new Float64Array(length)
    this.products = new Float64Array(length)
    this.squares = new Float64Array(length)
  }

  add(shown: Uint8Array, guess: Float32Array): void {
    for (let at = 0; at < shown.length; at += 1) {
      const [seen, guessed] = [shown[at] ?? 0, guess[at] ?? 0]
      this.shown[at] = (this.shown[at] ?? 0) + seen
      this.guess[at] = (this.guess[at] ?? 0) + guessed
      this.guesses[at] = (this.guesses[at] ?? 0) + guessed * guessed
      this.products[at] = (this.products[at] ?? 0) + seen * guessed
      this.squares[at] = (this.squares[at] ?? 0) + seen * seen
    }
  }
}

/** Estimates a translucent overlay on a patch by linear regression of shown values on the estimated background. */
export class OverlayFit {
  readonly #patch: Patch
  readonly #area: Rect
  readonly #light: RegressionSums
  readonly #blue: RegressionSums
  readonly #red: RegressionSums
  #count = 0

  constructor(patch: Patch, area: Rect) {
    const pixels = area.width * area.height
    this.#patch = patch
    this.#area = area
    this.#light = new RegressionSums(pixels)
    this.#blue = new RegressionSums(pixels / 4)
    this.#red = new RegressionSums(pixels / 4)
  }

  add(frame: Frame, patches: readonly Patch[]): void {
    const crop = cropFrame(frame, this.#area, patches)
    const half = { columns: crop.width / 2, rows: crop.height / 2 }
    const hidden = Uint8Array.from({ length: crop.blue.length }, (_, at) => isChromaHidden(crop, at))
    this.#light.add(
      crop.data,
      estimateBackground(crop.data, crop.hidden, { columns: crop.width, rows: crop.height }),
    )
    this.#blue.add(crop.blue, estimateBackground(crop.blue, hidden, half))
    this.#red.add(crop.red, estimateBackground(crop.red, hidden, half))
    this.#count += 1
  }

  /**
   * Returns the overlay, and the share of mask pixels at which it explains more than half of the variance. Undefined
   * with fewer than `minSamples` frames.
   */
  get result(): { readonly overlay: Overlay; readonly explained: number } | undefined {
    if (this.#count < minSamples) return undefined
    return this.#fitted()
  }

  #fitted() {
    const { width, height, x, y, mask } = this.#patch
    const [pixels, colours] = [width * height, (width * height) / 4]
    const [transmittance, lumaOffset, residual] = [0, 1, 2].map(() => new Float32Array(pixels)) as ThreePlanes
    const [blue, red] = [new Float32Array(colours), new Float32Array(colours)]
    const stride = this.#area.width
    let [places, explained] = [0, 0]
    for (let at = 0; at < pixels; at += 1) {
      const [column, row] = [at % width, Math.floor(at / width)]
      const place = (y - this.#area.y + row) * stride + x - this.#area.x + column
      const { share, left, isExplained } = mask[at] === 1 ? this.#shareAt(place) : unknownPixel
      transmittance[at] = share
      residual[at] = left
      places += mask[at] === 1 ? 1 : 0
      explained += isExplained ? 1 : 0
      lumaOffset[at] = this.#addedAt(this.#light, place, share)
      if ((row | column) & 1) continue
      const to = (row >> 1) * (width >> 1) + (column >> 1)
      const small = ((y - this.#area.y + row) >> 1) * (stride >> 1) + ((x - this.#area.x + column) >> 1)
      blue[to] = this.#addedAt(this.#blue, small, share)
      red[to] = this.#addedAt(this.#red, small, share)
    }
    return {
      overlay: { transmittance, lumaOffset, residual, blueOffset: blue, redOffset: red },
      explained: explained / places,
    }
  }

  /**
   * Returns the transmittance of a pixel (0 if uncertain), the remaining deviation in levels, and whether the fit
   * explains the pixel.
   */
  #shareAt(at: number): typeof unknownPixel {
    const count = this.#count
    const { shown, guess, guesses, products, squares } = this.#light
    const [seen, guessed] = [(shown[at] ?? 0) / count, (guess[at] ?? 0) / count]
    const varied = (guesses[at] ?? 0) / count - guessed * guessed + 1
    const together = (products[at] ?? 0) / count - guessed * seen
    const share = together / varied
    const left = Math.max(0, (squares[at] ?? 0) / count - seen * seen - share * together)
    const isSure =
      share > least &&
      share < most &&
      left < maxResidual ** 2 &&
      Math.sqrt(left / (count - 2) / varied) < maxRelativeError * share
    return {
      share: isSure ? share : 0,
      left: Math.sqrt(left),
      isExplained: isSure && left < share * share * varied,
    }
  }

  #addedAt({ shown, guess }: RegressionSums, at: number, share: number): number {
    return ((shown[at] ?? 0) - share * (guess[at] ?? 0)) / this.#count
  }
}

const unknownPixel = { share: 0, left: 0, isExplained: false }

type ThreePlanes = [Float32Array, Float32Array, Float32Array]

function isChromaHidden({ width, hidden }: FrameCrop, small: number): number {
  const at = Math.floor(small / (width / 2)) * 2 * width + (small % (width / 2)) * 2
  return (hidden[at] ?? 1) | (hidden[at + 1] ?? 1) | (hidden[at + width] ?? 1) | (hidden[at + width + 1] ?? 1)
}

/** Estimates hidden samples of a plane from their surroundings by membrane interpolation. */
export function estimateBackground(
  plane: Uint8Array,
  hidden: Uint8Array,
  grid: { columns: number; rows: number },
): Float32Array {
  const values = Float32Array.from(plane, (value, at) => (hidden[at] === 0 ? value : 0))
  const weights = Float32Array.from(hidden, (is) => (is === 0 ? 1000 : 0))
  interpolateMembrane(values, weights, grid)
  return values
}
