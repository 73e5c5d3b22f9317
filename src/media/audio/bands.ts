/** Bands a spectrum is told in, from low to high. */
export const bandCount = 96

/** Frequencies of the first and the last band's middle, Hz: what music is made of. */
const lowestHz = 40
const highestHz = 14_000

/** Music has less of high frequencies, by about so much an octave; shown as it is, its bass would be all one sees. dB. */
const tiltDb = 3.5

/** Levels are told as if at this frequency, Hz. */
const referenceHz = 1000

const minAmplitude = 1e-6

/** Middle of the frequency at a place among the bands, 0 to 1; Hz. */
export function bandFrequency(place: number): number {
  return lowestHz * (highestHz / lowestHz) ** place
}

/** Place of a frequency among the bands, 0 to 1 for what they cover. */
export function bandPosition(hertz: number): number {
  return Math.log(hertz / lowestHz) / Math.log(highestHz / lowestHz)
}

interface Band {
  /** In bins, fractional. */
  readonly middle: number
  readonly first: number
  readonly last: number
  readonly gain: number
}

/** Bands evenly spaced by pitch, read from the magnitudes of a spectrum. */
export class BandAnalyzer {
  readonly #bands: readonly Band[]

  constructor({ size, rate }: { readonly size: number; readonly rate: number }) {
    const half = 0.5 / (bandCount - 1)
    const binOf = (place: number) => (bandFrequency(place) * size) / rate
    this.#bands = Array.from({ length: bandCount }, (_, index) => {
      const place = index / (bandCount - 1)
      return {
        middle: binOf(place),
        first: Math.ceil(binOf(place - half)),
        last: Math.floor(binOf(place + half)),
        gain: tiltDb * Math.log2(bandFrequency(place) / referenceHz),
      }
    })
  }

  /** Writes each band's level into `levels`: dB, 0 for a sine of full scale at 1 kHz. */
  read(magnitudes: Float64Array, levels: Float32Array): void {
    for (const [index, { middle, first, last, gain }] of this.#bands.entries()) {
      const below = Math.floor(middle)
      const share = middle - below
      // A narrow low band lies between two bins.
      let highestBin = (magnitudes[below] ?? 0) * (1 - share) + (magnitudes[below + 1] ?? 0) * share
      for (let bin = first; bin <= last; bin += 1) highestBin = Math.max(highestBin, magnitudes[bin] ?? 0)
      levels[index] = 20 * Math.log10(highestBin + minAmplitude) + gain
    }
  }
}
