import { BandAnalyzer, bandCount } from './bands.ts'
import { SampleHistory, hopSamples, HopSplitter, analysisSampleRate } from './sample-history.ts'
import { BeatDetector, beatDetectionDelay, type DetectedBeat } from './beat-detector.ts'
import { Spectrum } from './spectrum.ts'

/** Samples under one look at the bands: 85 ms tells bass notes apart. */
export const bandWindowSamples = 4096

/** What is to be known of a whole piece before its first moment is shown. */
export interface AudioProfile {
  /** Level of its loud places, dB as of bands: what counts as full. */
  readonly topDb: number
  /** Amplitude that few samples exceed, 0 to 1. */
  readonly peak: number
  /** How left against right lies, which is a line where one side is the other, louder, turned or silent. */
  readonly sides: {
    /** Direction in which it is longest, radians from left to right. */
    readonly angle: number
    /** Share of its level that is across: 0 for a line, 0.71 where both sides have nothing in common. */
    readonly width: number
  }
  readonly beats: readonly DetectedBeat[]
}

/** Every so many hops the bands are looked at: what is loud is known from 20 looks a second. */
const bandEveryHops = 6

/** Shares of the looks that are louder than what counts as full, and of the hops with a higher peak. */
const fullLevelShare = 0.05
const peakShare = 0.02

/** A piece below this is as good as silent and is not made to look loud. dB. */
const minTopDb = -50

/** Where sound is cut off it seems to begin: within so much of the end, seconds. */
const cutOffSeconds = 0.03

/** Gathers the profile of sound given in pieces of any size, in the same small memory however long it lasts. */
export class AudioProfiler {
  readonly #hops = new HopSplitter()
  readonly #history = new SampleHistory(bandWindowSamples)
  readonly #mono = new Float32Array(bandWindowSamples)
  readonly #spectrum = new Spectrum(bandWindowSamples)
  readonly #bands = new BandAnalyzer({ size: bandWindowSamples, rate: analysisSampleRate })
  readonly #levels = new Float32Array(bandCount)
  readonly #onsets = new BeatDetector()
  /** Looks by the level of their loudest band, half a dB each from -100 dB. */
  readonly #loudest = new Uint32Array(300)
  /** Hops by their highest sample, a thousandth each. */
  readonly #peaks = new Uint32Array(1001)
  /** Sums of squares of both sides, and of their products. */
  readonly #squares = { left: 0, right: 0, both: 0 }
  #count = 0

  /** Takes the next samples of two channels, one after the other. */
  push(samples: Float32Array): void {
    for (const piece of this.#hops.split(samples)) this.#take(piece)
  }

  /** Ends the piece. */
  finish(): AudioProfile {
    const seconds = (this.#count * hopSamples) / analysisSampleRate
    // A beat near the end is found in the silence after it, whose own beginning is none.
    for (let at = 0; at <= beatDetectionDelay; at += hopSamples / analysisSampleRate)
      this.#onsets.push(new Float32Array(2 * hopSamples))
    return {
      topDb: Math.max(minTopDb, upperQuantile(this.#loudest, fullLevelShare) / 2 - 100),
      peak: upperQuantile(this.#peaks, peakShare) / 1000,
      sides: this.#sides(),
      beats: this.#onsets.beats.filter(({ at }) => at < seconds - cutOffSeconds),
    }
  }

  /** The principal axes of all samples. */
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

/** The value that a share of all lies above. */
function upperQuantile(histogram: Uint32Array, share: number): number {
  const all = histogram.reduce((sum, one) => sum + one, 0)
  let above = 0
  for (let at = histogram.length - 1; at > 0; at -= 1) {
    above += histogram[at] ?? 0
    if (above > share * all) return at
  }
  return 0
}
