import { Spectrum } from '../audio/spectrum.ts'
import { partialCount, pianoSampleRate, silenceDb } from './frames.ts'
import { keyCount, lowestKey, pitchFrequency } from './note.ts'

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

/** Samples on each side of one that it is made of. */
const filterReach = 20

/** Weights of a sample and of those to one side: a windowed sinc (Blackman). */
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
 * A quarter of the samples of a sound, every fourth from its first on, for what is at most a twentieth of its rate
 * high: that is let through within 0.01 dB, and what would be taken for it is 75 dB fainter. Around the sound there is
 * silence. Written where `into` says.
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

/** All samples that count lie in the sound: reads beyond it would slow down all others. */
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
