import { BandAnalyzer, bandCount } from './bands.ts'
import { SampleHistory, hopSamples, analysisSampleRate } from './sample-history.ts'
import { WindowSplitter } from './windows.ts'
import { BeatDetector, beatDetectionDelay, type DetectedBeat } from './beat-detector.ts'
import { Spectrum } from './spectrum.ts'

/** Samples of the window for the bands: 85 ms separate bass notes. */
export const bandWindowSamples = 4096

/** Properties of a whole recording, needed before its first frame is drawn. */
export interface AudioProfile {
  /** Band level that counts as full, dB: exceeded by 5 % of the recording. */
  readonly topDb: number
  /** Peak amplitude that 2 % of the hops exceed, 0 to 1. */
  readonly peak: number
  /** Principal axes of left against right: a line if one channel is a multiple of the other. */
  readonly sides: {
    /** Direction of the longer axis, radians from left to right. */
    readonly angle: number
    /** Relative length of the shorter axis: 0 for a line, 0.71 for uncorrelated channels. */
    readonly width: number
  }
  readonly beats: readonly DetectedBeat[]
}

/** Hops between two measurements of the bands: 20 per second. */
const bandEveryHops = 6

/** Share of measurements above the full level, and of hops above the peak. */
const fullLevelShare = 0.05
const peakShare = 0.02

/** Lowest full level, dB: nearly silent recordings are not shown as loud. */
const minTopDb = -50

/** A cut at the end looks like a beat: beats within this time of the end are dropped, seconds. */
const cutOffSeconds = 0.03

/** Computes the profile of stereo chunks of any size at 48 kHz, in constant memory. */
export class AudioProfiler {
  readonly #hops = new WindowSplitter({ size: 2 * hopSamples })
  readonly #history = new SampleHistory(bandWindowSamples)
  readonly #mono = new Float32Array(bandWindowSamples)
  readonly #spectrum = new Spectrum(bandWindowSamples)
  readonly #bands = new BandAnalyzer({ size: bandWindowSamples, rate: analysisSampleRate })
  readonly #levels = new Float32Array(bandCount)
  readonly #onsets = new BeatDetector()
  /** Histogram of the loudest band: steps of 0.5 dB from -100 dB. */
  readonly #loudest = new Uint32Array(300)
  /** Histogram of the peaks of hops: steps of 0.001. */
  readonly #peaks = new Uint32Array(1001)
  /** Sums of squares of both channels, and of their products. */
  readonly #squares = { left: 0, right: 0, both: 0 }
  #count = 0

  /** Adds interleaved stereo samples. */
  push(samples: Float32Array): void {
    for (const piece of this.#hops.split(samples)) this.#take(piece)
  }

  /** Returns the profile after the last sample. */
  finish(): AudioProfile {
    const seconds = (this.#count * hopSamples) / analysisSampleRate
    // Silence after the end lets the detector find late beats.
    for (let at = 0; at <= beatDetectionDelay; at += hopSamples / analysisSampleRate)
      this.#onsets.push(new Float32Array(2 * hopSamples))
    return {
      topDb: Math.max(minTopDb, upperQuantile(this.#loudest, fullLevelShare) / 2 - 100),
      peak: upperQuantile(this.#peaks, peakShare) / 1000,
      sides: this.#sides(),
      beats: this.#onsets.beats.filter(({ at }) => at < seconds - cutOffSeconds),
    }
  }

  /** Principal axes of all samples. */
  #sides(): AudioProfile['sides'] {
    const { left, right, both } = this.#squares
    const [mean, uneven] = [(left + right) / 2, (left - right) / 2]
    const across = Math.max(0, mean - Math.hypot(uneven, both))
    return { angle: Math.atan2(both, uneven) / 2, width: Math.sqrt(across / (2 * mean || 1)) }
  }

  #take(piece: Float32Array): void {
    this.#onsets.push(piece)
    this.#history.push(piece)
    const squares = this.#squares
    let peak = 0
    for (let at = 0; at < piece.length; at += 2) {
      const [left, right] = [piece[at] ?? 0, piece[at + 1] ?? 0]
      peak = Math.max(peak, Math.abs(left), Math.abs(right))
      squares.left += left * left
      squares.right += right * right
      squares.both += left * right
    }
    addToHistogram(this.#peaks, 1000 * peak)
    this.#count += 1
    if (this.#count % bandEveryHops !== 0) return
    this.#history.mix(0, this.#mono)
    this.#bands.read(this.#spectrum.magnitudes(this.#mono), this.#levels)
    addToHistogram(this.#loudest, 2 * (Math.max(...this.#levels) + 100))
  }
}

function addToHistogram(histogram: Uint32Array, value: number): void {
  const at = Math.min(histogram.length - 1, Math.max(0, Math.round(value)))
  histogram[at] = (histogram[at] ?? 0) + 1
}

/** Index of the histogram that `share` of all values exceed. */
function upperQuantile(histogram: Uint32Array, share: number): number {
  const all = histogram.reduce((sum, one) => sum + one, 0)
  let above = 0
  for (let at = histogram.length - 1; at > 0; at -= 1) {
    above += histogram[at] ?? 0
    if (above > share * all) return at
  }
  return 0
}
