/** Number of bands of a spectrum, from low to high. */
export const bandCount = 96

/** Centre frequencies of the first and the last band, Hz. */
const lowestHz = 40
const highestHz = 14_000

/** Tilt that compensates the spectrum of music, dB per octave; without it only bass would be visible. */
const tiltDb = 3.5

/** Frequency at which the tilt is 0 dB, Hz. */
const referenceHz = 1000

const minAmplitude = 1e-6

/** Frequency at a position among the bands, 0 to 1; Hz, logarithmic. */
export function bandFrequency(position: number): number {
  return lowestHz * (highestHz / lowestHz) ** position
}

/** Position of a frequency (Hz) among the bands, 0 to 1 within their range. */
export function bandPosition(hertz: number): number {
  return Math.log(hertz / lowestHz) / Math.log(highestHz / lowestHz)
}

interface Band {
  /** Centre, in bins with a fraction. */
  readonly middle: number
  readonly first: number
  readonly last: number
  readonly gain: number
}

/** Converts magnitudes of a spectrum to levels of logarithmically spaced bands. */
export class BandAnalyzer {
  readonly #bands: readonly Band[]

  constructor({ size, rate }: { readonly size: number; readonly rate: number }) {
    const half = 0.5 / (bandCount - 1)
    const binOf = (position: number) => (bandFrequency(position) * size) / rate
    this.#bands = Array.from({ length: bandCount }, (_, index) => {
      const position = index / (bandCount - 1)
      return {
        middle: binOf(position),
        first: Math.ceil(binOf(position - half)),
        last: Math.floor(binOf(position + half)),
        gain: tiltDb * Math.log2(bandFrequency(position) / referenceHz),
      }
    })
  }

  /** Writes the level of each band to `levels`, dB: 0 for a full-scale sine at 1 kHz. */
  read(magnitudes: Float64Array, levels: Float32Array): void {
    for (const [index, { middle, first, last, gain }] of this.#bands.entries()) {
      const below = Math.floor(middle)
      const share = middle - below
      // A narrow low band falls between two bins.
      let highestBin = (magnitudes[below] ?? 0) * (1 - share) + (magnitudes[below + 1] ?? 0) * share
      for (let bin = first; bin <= last; bin += 1) highestBin = Math.max(highestBin, magnitudes[bin] ?? 0)
      levels[index] = 20 * Math.log10(highestBin + minAmplitude) + gain
    }
  }
}
