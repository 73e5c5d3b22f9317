import { decimateBy4 } from '../audio/decimate.ts'
import { Spectrum } from '../audio/spectrum.ts'
import { pianoSampleRate, partialCount, silenceDb } from './frames.ts'
import { pitchFrequency, keyCount, lowestKey } from './note.ts'

/**
 * Samples of the longer and the shorter look: 186 ms tell low keys apart, 93 ms tell high ones in time. The longer one
 * is at a quarter of them: no partial of the keys it is for is higher than 800 Hz.
 */
const windowSizes = { long: 4096, short: 2048 } as const
const decimation = 4

/** From this MIDI number on, the short look tells a key from its neighbours: they lie 12 Hz apart. */
const shortWindowFrom = 56

/** Measures the partials of every key. */
export class PartialLevelMeter {
  readonly #long = new Spectrum(windowSizes.long / decimation)
  readonly #short = new Spectrum(windowSizes.short)
  #fewer = new Float32Array(0)

  /**
   * Level of each partial of each key, dB, at moments of a sound: moment by moment, key by key. Moments are samples,
   * multiples of four, with 2048 of them before and after. Written where `into` says.
   */
  measure(sound: Float32Array, moments: readonly number[], into: Float32Array): void {
    const count = Math.floor(sound.length / decimation)
    if (this.#fewer.length !== count) this.#fewer = new Float32Array(count)
    decimateBy4(sound, this.#fewer)
    for (const [index, moment] of moments.entries())
      this.#at(sound, moment, into.subarray(index * partialBins.length, (index + 1) * partialBins.length))
  }

  #at(sound: Float32Array, moment: number, levels: Float32Array): void {
    const around = (samples: Float32Array, middle: number, size: number) =>
      samples.subarray(middle - size / 2, middle + size / 2)
    this.#long.analyze(around(this.#fewer, moment / decimation, windowSizes.long / decimation))
    this.#short.analyze(around(sound, moment, windowSizes.short))
    for (let at = 0; at < partialBins.length; at += 1) {
      const look = at < firstShortPartial ? this.#long : this.#short
      const bin = partialBins[at] ?? 0
      const most = Math.max(look.power(bin - 1), look.power(bin), look.power(bin + 1))
      levels[at] = Math.max(silenceDb, 10 * Math.log10(most + 1e-18))
    }
  }
}

/** The first partial that is told by the short look. */
const firstShortPartial = (shortWindowFrom - lowestKey) * partialCount

/** The bin of its look in which each partial lies; those beyond the spectrum are silent. */
const partialBins = Int32Array.from({ length: keyCount * partialCount }, (_, at) => {
  const hertz = pitchFrequency(lowestKey + Math.floor(at / partialCount)) * ((at % partialCount) + 1)
  return Math.round(
    (hertz * (at < firstShortPartial ? windowSizes.long : windowSizes.short)) / pianoSampleRate,
  )
})
