import { Spectrum } from '../audio/spectrum.ts'
import { partialCount, pianoSampleRate, silenceDb } from './frames.ts'
import { keyCount, lowestKey, pitchFrequency } from './note.ts'

/**
 * Samples of the two analysis windows: 186 ms resolve low keys in frequency, 93 ms resolve high keys in time. The long
 * window is analysed at a quarter of the sample rate, as no partial of the low keys is above 800 Hz.
 */
const windowSizes = { long: 4096, short: 2048 } as const
const decimation = 4

/** From this MIDI number on, the short window separates neighbouring keys: they are 12 Hz apart. */
const shortWindowFrom = 56

/** Measures the levels of the partials of all keys. */
export class PartialLevelMeter {
  readonly #long = new Spectrum(windowSizes.long / decimation)
  readonly #short = new Spectrum(windowSizes.short)
  #decimated = new Float32Array(0)

  /**
   * Writes the level of each partial, dB (-100 at least), for several frames of mono sound at 22,050 Hz. `moments` are
   * sample indexes, multiples of four, at least 2048 samples from both ends. Layout of `into`: frame, key, partial.
   */
  measure(sound: Float32Array, moments: readonly number[], into: Float32Array): void {
    const count = Math.floor(sound.length / decimation)
    if (this.#decimated.length !== count) this.#decimated = new Float32Array(count)
    decimateBy4(sound, this.#decimated)
    for (const [index, moment] of moments.entries())
      this.#at(sound, moment, into.subarray(index * partialBins.length, (index + 1) * partialBins.length))
  }

  #at(sound: Float32Array, moment: number, levels: Float32Array): void {
    const around = (samples: Float32Array, middle: number, size: number) =>
      samples.subarray(middle - size / 2, middle + size / 2)
    this.#long.analyze(around(this.#decimated, moment / decimation, windowSizes.long / decimation))
    this.#short.analyze(around(sound, moment, windowSizes.short))
    for (let at = 0; at < partialBins.length; at += 1) {
      const spectrum = at < firstShortPartial ? this.#long : this.#short
      const bin = partialBins[at] ?? 0
      const most = Math.max(spectrum.power(bin - 1), spectrum.power(bin), spectrum.power(bin + 1))
      levels[at] = Math.max(silenceDb, 10 * Math.log10(most + 1e-18))
    }
  }
}

/** Index of the first partial that the short window measures. */
const firstShortPartial = (shortWindowFrom - lowestKey) * partialCount

/** Spectrum bin of each partial in its window; bins beyond the spectrum are silent. */
const partialBins = Int32Array.from({ length: keyCount * partialCount }, (_, at) => {
  const hertz = pitchFrequency(lowestKey + Math.floor(at / partialCount)) * ((at % partialCount) + 1)
  return Math.round(
    (hertz * (at < firstShortPartial ? windowSizes.long : windowSizes.short)) / pianoSampleRate,
  )
})

/** Taps on each side of the centre of the low-pass filter. */
const filterReach = 20

/** One half of the symmetric filter, centre first: a sinc under a Blackman window. */
const filterWeights = lowPassWeights()

function lowPassWeights(): Float64Array {
  const sinc = Float64Array.from({ length: filterReach + 1 }, (_, at) => {
    const turn = (Math.PI * at) / (filterReach + 1)
    const window = 0.42 + 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn)
    const x = (Math.PI * at) / 4
    return window * (at === 0 ? 1 : Math.sin(x) / x)
  })
  const sum = sinc.reduce((total, weight) => total + 2 * weight, -(sinc[0] ?? 0))
  return sinc.map((weight) => weight / sum)
}

/**
 * Decimates sound by 4 into `into`: low-pass filter, then every fourth sample from the first on. Frequencies up to a
 * twentieth of the sample rate pass within 0.01 dB; their aliases are attenuated by 75 dB. Sound is padded with silence.
 */
export function decimateBy4(sound: Float32Array, into: Float32Array): Float32Array {
  const edge = new Float32Array(2 * filterReach + 1)
  for (let at = 0; at < into.length; at += 1) {
    const middle = 4 * at
    const isInside = middle >= filterReach && middle + filterReach < sound.length
    into[at] = isInside
      ? filteredSample(sound, middle)
      : filteredSample(samplesAround(sound, middle, edge), filterReach)
  }
  return into
}

/** Filter output at `middle`, which is at least `filterReach` from both ends: reads out of bounds would slow this down. */
function filteredSample(sound: Float32Array, middle: number): number {
  let sum = (filterWeights[0] ?? 0) * (sound[middle] ?? 0)
  for (let apart = 1; apart <= filterReach; apart += 1)
    sum += (filterWeights[apart] ?? 0) * ((sound[middle - apart] ?? 0) + (sound[middle + apart] ?? 0))
  return sum
}

function samplesAround(sound: Float32Array, middle: number, into: Float32Array): Float32Array {
  for (let at = 0; at < into.length; at += 1) into[at] = sound[middle - filterReach + at] ?? 0
  return into
}
