import { Spectrum } from '../audio/spectrum.ts'
import { frameRate, partials, silence } from './frames.ts'
import { hertzOf, keys, lowestKey } from './note.ts'

/** Samples of the longer and the shorter look: 186 ms tell low keys apart, 93 ms tell high ones in time. */
const sizes = { long: 4096, short: 2048 } as const

/** Samples that `levelsOf` looks at, around its moment. */
export const lookLength = sizes.long

/** From this MIDI number on, the short look tells a key from its neighbours: they lie 12 Hz apart. */
const shortFrom = 56

/** Measures the partials of every key at a moment. */
export class Levels {
  readonly #long = new Spectrum(sizes.long)
  readonly #short = new Spectrum(sizes.short)

  /** Level of each partial of each key, dB, at the middle of `lookLength` samples. */
  measure(samples: Float32Array): Float32Array {
    const rest = (sizes.long - sizes.short) / 2
    const long = this.#long.magnitudes(samples)
    const short = this.#short.magnitudes(samples.subarray(rest, rest + sizes.short))
    const levels = new Float32Array(keys * partials)
    for (const [at, { bin, isShort }] of places.entries()) {
      const amplitudes = isShort ? short : long
      const most = Math.max(amplitudes[bin - 1] ?? 0, amplitudes[bin] ?? 0, amplitudes[bin + 1] ?? 0)
      levels[at] = Math.max(silence, 20 * Math.log10(most + 1e-9))
    }
    return levels
  }
}

/** Where each partial lies; those beyond the spectrum are silent. */
const places = Array.from({ length: keys * partials }, (_, at) => {
  const pitch = lowestKey + Math.floor(at / partials)
  const isShort = pitch >= shortFrom
  const size = isShort ? sizes.short : sizes.long
  const hertz = hertzOf(pitch) * ((at % partials) + 1)
  return { isShort, bin: Math.round((hertz * size) / frameRate) }
})
