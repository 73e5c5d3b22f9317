import { quartered } from '../audio/decimate.ts'
import { Spectrum } from '../audio/spectrum.ts'
import { frameRate, partials, silence } from './frames.ts'
import { hertzOf, keys, lowestKey } from './note.ts'

/**
 * Samples of the longer and the shorter look: 186 ms tell low keys apart, 93 ms tell high ones in time. The longer one
 * is at a quarter of them: no partial of the keys it is for is higher than 800 Hz.
 */
const sizes = { long: 4096, short: 2048 } as const
const every = 4

/** From this MIDI number on, the short look tells a key from its neighbours: they lie 12 Hz apart. */
const shortFrom = 56

/** Measures the partials of every key. */
export class Levels {
  readonly #long = new Spectrum(sizes.long / every)
  readonly #short = new Spectrum(sizes.short)
  #fewer = new Float32Array(0)

  /**
   * Level of each partial of each key, dB, at moments of a sound: moment by moment, key by key. Moments are samples,
   * multiples of four, with 2048 of them before and after. Written where `into` says.
   */
  measure(sound: Float32Array, moments: readonly number[], into: Float32Array): void {
    const count = Math.floor(sound.length / every)
    if (this.#fewer.length !== count) this.#fewer = new Float32Array(count)
    quartered(sound, this.#fewer)
    for (const [index, moment] of moments.entries())
      this.#at(sound, moment, into.subarray(index * places.length, (index + 1) * places.length))
  }

  #at(sound: Float32Array, moment: number, levels: Float32Array): void {
    const around = (samples: Float32Array, middle: number, size: number) =>
      samples.subarray(middle - size / 2, middle + size / 2)
    this.#long.take(around(this.#fewer, moment / every, sizes.long / every))
    this.#short.take(around(sound, moment, sizes.short))
    for (let at = 0; at < places.length; at += 1) {
      const look = at < shortAt ? this.#long : this.#short
      const bin = places[at] ?? 0
      const most = Math.max(look.power(bin - 1), look.power(bin), look.power(bin + 1))
      levels[at] = Math.max(silence, 10 * Math.log10(most + 1e-18))
    }
  }
}

/** The first partial that is told by the short look. */
const shortAt = (shortFrom - lowestKey) * partials

/** The bin of its look in which each partial lies; those beyond the spectrum are silent. */
const places = Int32Array.from({ length: keys * partials }, (_, at) => {
  const hertz = hertzOf(lowestKey + Math.floor(at / partials)) * ((at % partials) + 1)
  return Math.round((hertz * (at < shortAt ? sizes.long : sizes.short)) / frameRate)
})
