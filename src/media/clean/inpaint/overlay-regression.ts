import type { Frame, Overlay, Patch } from '../frame.ts'
import { interpolateMembrane } from './interpolate-membrane.ts'
import { cropFrame, type FrameCrop } from './view.ts'
import type { Rect } from '../../geometry.ts'

/** Fewest samples for an estimate. */
export const minSamples = 12
/** Bounds of plausible transmittance. Below, the signal is noise; above, something else changes. */
const [minTransmittance, maxTransmittance] = [0.3, 2]
/** Largest relative standard error of the transmittance. */
const maxRelativeError = 0.4
/** Largest unexplained deviation, in levels. A larger one means that the content changes, as lines of text do. */
const maxResidual = 25

/** Sums over samples per pixel: shown values, background estimates, their squares and products. */
class RegressionSums {
  readonly shown: Float64Array
  readonly guess: Float64Array
  readonly guessSquares: Float64Array
  readonly products: Float64Array
  readonly shownSquares: Float64Array

  constructor(length: number) {
    this.shown = new Float64Array(length)
    this.guess = new Float64Array(length)
    this.guessSquares = new Float64Array(length)
    this.products = new Float64Array(length)
    this.shownSquares = new Float64Array(length)
  }

  add(shown: Uint8Array, guess: Float32Array): void {
    for (let at = 0; at < shown.length; at += 1) {
      const [shownValue, guessValue] = [shown[at] ?? 0, guess[at] ?? 0]
      this.shown[at] = (this.shown[at] ?? 0) + shownValue
      this.guess[at] = (this.guess[at] ?? 0) + guessValue
      this.guessSquares[at] = (this.guessSquares[at] ?? 0) + guessValue * guessValue
      this.products[at] = (this.products[at] ?? 0) + shownValue * guessValue
      this.shownSquares[at] = (this.shownSquares[at] ?? 0) + shownValue * shownValue
    }
  }
}

/** Estimates a translucent overlay on a patch by linear regression of shown values on the estimated background. */
export class OverlayFit {
  readonly #patch: Patch
  readonly #area: Rect
  readonly #lumaSums: RegressionSums
  readonly #blueSums: RegressionSums
  readonly #redSums: RegressionSums
  #count = 0

  constructor(patch: Patch, area: Rect) {
    const pixels = area.width * area.height
    this.#patch = patch
    this.#area = area
    this.#lumaSums = new RegressionSums(pixels)
    this.#blueSums = new RegressionSums(pixels / 4)
    this.#redSums = new RegressionSums(pixels / 4)
  }

  add(frame: Frame, patches: readonly Patch[]): void {
    const crop = cropFrame(frame, this.#area, patches)
    const half = { columns: crop.width / 2, rows: crop.height / 2 }
    const hidden = Uint8Array.from({ length: crop.blue.length }, (_, at) => isChromaHidden(crop, at))
    this.#lumaSums.add(
      crop.data,
      estimateBackground(crop.data, crop.hidden, { columns: crop.width, rows: crop.height }),
    )
    this.#blueSums.add(crop.blue, estimateBackground(crop.blue, hidden, half))
    this.#redSums.add(crop.red, estimateBackground(crop.red, hidden, half))
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
    let [maskedPixels, explained] = [0, 0]
    for (let at = 0; at < pixels; at += 1) {
      const [column, row] = [at % width, Math.floor(at / width)]
      const place = (y - this.#area.y + row) * stride + x - this.#area.x + column
      const fit = mask[at] === 1 ? this.#transmittanceAt(place) : unknownPixel
      transmittance[at] = fit.transmittance
      residual[at] = fit.residual
      maskedPixels += mask[at] === 1 ? 1 : 0
      explained += fit.isExplained ? 1 : 0
      lumaOffset[at] = this.#offsetAt(this.#lumaSums, place, fit.transmittance)
      if ((row | column) & 1) continue
      const to = (row >> 1) * (width >> 1) + (column >> 1)
      const small = ((y - this.#area.y + row) >> 1) * (stride >> 1) + ((x - this.#area.x + column) >> 1)
      blue[to] = this.#offsetAt(this.#blueSums, small, fit.transmittance)
      red[to] = this.#offsetAt(this.#redSums, small, fit.transmittance)
    }
    return {
      overlay: { transmittance, lumaOffset, residual, blueOffset: blue, redOffset: red },
      explained: explained / maskedPixels,
    }
  }

  /**
   * Returns the transmittance of a pixel (0 if unreliable), the standard deviation of the residuals, in levels, and
   * whether the fit explains more than half of the variance.
   */
  #transmittanceAt(at: number): typeof unknownPixel {
    const count = this.#count
    const { shown, guess, guessSquares, products, shownSquares } = this.#lumaSums
    const [meanShown, meanGuess] = [(shown[at] ?? 0) / count, (guess[at] ?? 0) / count]
    const guessVariance = (guessSquares[at] ?? 0) / count - meanGuess * meanGuess + 1
    const covariance = (products[at] ?? 0) / count - meanGuess * meanShown
    const slope = covariance / guessVariance
    const shownVariance = (shownSquares[at] ?? 0) / count - meanShown * meanShown
    const residualVariance = Math.max(0, shownVariance - slope * covariance)
    const isReliable =
      slope > minTransmittance &&
      slope < maxTransmittance &&
      residualVariance < maxResidual ** 2 &&
      Math.sqrt(residualVariance / (count - 2) / guessVariance) < maxRelativeError * slope
    return {
      transmittance: isReliable ? slope : 0,
      residual: Math.sqrt(residualVariance),
      isExplained: isReliable && residualVariance < slope * slope * guessVariance,
    }
  }

  #offsetAt({ shown, guess }: RegressionSums, at: number, transmittance: number): number {
    return ((shown[at] ?? 0) - transmittance * (guess[at] ?? 0)) / this.#count
  }
}

const unknownPixel = { transmittance: 0, residual: 0, isExplained: false }

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
