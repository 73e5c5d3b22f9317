import { SampleHistory, hopSamples, hopSeconds, analysisSampleRate } from './sample-history.ts'
import { Spectrum } from './spectrum.ts'

/** An onset, such as a drum hit. */
export interface DetectedBeat {
  /** Seconds. */
  readonly at: number
  /** Onset strength relative to the strongest recent one, 0 to 1. */
  readonly strength: number
}

/** Samples of the window, 21 ms: short for good time resolution. */
const windowSize = 1024

/** Logarithmic compression of magnitudes: log(1 + compression x magnitude). */
const compression = 200

/** Weight of changes below this frequency, where most beats are. */
const bassBoost = { hertz: 180, factor: 2.5 }

/** Weight per bin: all octaves count alike; otherwise a hi-hat would outweigh any drum. */
const binWeights = Float64Array.from({ length: windowSize / 2 }, (_, bin) => {
  const octave = 1 / Math.max(1, bin) / Math.log(windowSize / 2)
  return (bin * analysisSampleRate) / windowSize < bassBoost.hertz ? bassBoost.factor * octave : octave
})

/** Hops on both sides among which a beat is the maximum: 42 ms. */
const peakHops = 5

/** Hops of the median filter: 0.8 s. */
const medianHops = 96

/** A beat exceeds the median by this factor, and by this constant. */
const minRiseFactor = 1.8
const minRise = 0.05

/** A beat has at least this share of the strongest recent one, which decays by half in 5 s. */
const minStrengthShare = 0.28
const strongestDecay = 0.5 ** (hopSeconds / 5)

/** Shortest time between two beats, seconds (330 per minute). Of two closer ones, a clearly stronger second one replaces the first. */
const minBeatDistance = 0.18
const clearlyStronger = 1.5

/** Samples per block for the exact start of a beat: about 1 ms. */
const blockSamples = 50

/** Detects beats by spectral flux (Bello et al., 2005), then locates their start by energy within the window. */
export class BeatDetector {
  readonly beats: DetectedBeat[] = []
  readonly #history = new SampleHistory(windowSize)
  readonly #mono = new Float32Array(windowSize)
  readonly #spectrum = new Spectrum(windowSize)
  #before = new Float64Array(windowSize / 2)
  /** Spectral flux of the latest hops, newest last. */
  readonly #rises = new Float64Array(medianHops + 2 * peakHops + 1)
  /** Energy of the differentiated signal in the latest blocks, newest last. */
  readonly #energies = new Float64Array(256)
  #latest = { at: 0, rise: 0 }
  #hops = 0
  #strongest = 0

  /** Adds one hop of interleaved stereo samples at 48 kHz. */
  push(samples: Float32Array): void {
    this.#history.push(samples)
    this.#history.mix(0, this.#mono)
    this.#noteEnergy()
    this.#rises.copyWithin(0, 1)
    this.#rises[this.#rises.length - 1] = this.#rise()
    this.#hops += 1
    this.#pick()
  }

  /** Energy of sample-to-sample differences, which emphasises sharp attacks. */
  #noteEnergy(): void {
    const blocks = hopSamples / blockSamples
    this.#energies.copyWithin(0, blocks)
    for (let index = 0; index < blocks; index += 1) {
      const from = windowSize - hopSamples + index * blockSamples
      let energy = 0
      for (let at = from; at < from + blockSamples; at += 1) {
        const change = (this.#mono[at] ?? 0) - (this.#mono[at - 1] ?? 0)
        energy += change * change
      }
      this.#energies[this.#energies.length - blocks + index] = energy
    }
  }

  #rise(): number {
    const magnitudes = this.#spectrum.magnitudes(this.#mono)
    let rise = 0
    for (let bin = 1; bin < magnitudes.length; bin += 1) {
      const now = Math.log1p(compression * (magnitudes[bin] ?? 0))
      const more = now - (this.#before[bin] ?? 0)
      if (more > 0) rise += more * (binWeights[bin] ?? 0)
      this.#before[bin] = now
    }
    return rise
  }

  /** Decides whether the hop in the middle of the peak range is a beat. */
  #pick(): void {
    const middle = this.#rises.length - 1 - peakHops
    const rise = this.#rises[middle] ?? 0
    this.#strongest *= strongestDecay
    if (rise < Math.max(minRise, minStrengthShare * this.#strongest)) return
    for (let at = middle - peakHops; at < this.#rises.length; at += 1) {
      const other = this.#rises[at] ?? 0
      if (at < middle ? other >= rise : other > rise) return
    }
    // The median is robust against a beat in the range.
    const before = this.#rises.slice(0, middle - peakHops).toSorted()
    if (rise < minRiseFactor * (before[before.length >>> 1] ?? 0) + minRise) return
    const at = this.#begin(this.#hops - peakHops)
    if (this.beats.length > 0 && at - this.#latest.at < minBeatDistance) {
      if (rise < clearlyStronger * this.#latest.rise) return
      this.beats.pop()
    }
    this.#latest = { at, rise }
    this.#strongest = Math.max(rise, this.#strongest)
    this.beats.push({ at, strength: rise / this.#strongest })
  }

  /** Start of the steepest rise of energy in the window that ended after `hops` hops; seconds. */
  #begin(hops: number): number {
    const end = this.#energies.length - (this.#hops - hops) * (hopSamples / blockSamples)
    const first = end - Math.ceil(windowSize / blockSamples)
    let steepest = 0
    const rises = Array.from({ length: end - first }, (_, index) => {
      const at = first + index
      const before = Math.max(this.#energies[at - 1] ?? 0, this.#energies[at - 2] ?? 0)
      const rise = Math.max(0, (this.#energies[at] ?? 0) - before)
      steepest = Math.max(steepest, rise)
      return rise
    })
    const steep = rises.findIndex((rise) => rise >= steepest / 2)
    // The attack may have started late in the previous block.
    const index = steep > 0 && (rises[steep - 1] ?? 0) > steepest / 20 ? steep - 1 : steep
    const blocks = hops * (hopSamples / blockSamples) - (end - (first + index))
    return Math.max(0, (blocks * blockSamples) / analysisSampleRate)
  }
}

/** Beats in (moment - span, moment], seconds, oldest first. `beats` is sorted. */
export function recentBeats(
  beats: readonly DetectedBeat[],
  moment: number,
  span: number,
): readonly DetectedBeat[] {
  const end = firstBeatAfter(beats, moment)
  return beats.slice(firstBeatAfter(beats, moment - span), end)
}

function firstBeatAfter(beats: readonly DetectedBeat[], moment: number): number {
  let from = 0
  let to = beats.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((beats[middle]?.at ?? Infinity) <= moment) from = middle + 1
    else to = middle
  }
  return from
}

/** Latency of the detector, seconds: sound required after a beat. */
export const beatDetectionDelay = (peakHops + 1) * hopSeconds + windowSize / analysisSampleRate
