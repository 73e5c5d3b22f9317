import { BandAnalyzer, bandCount, bandFrequency } from './bands.ts'
import { SampleHistory, hopSamples, hopSeconds, analysisSampleRate } from './sample-history.ts'
import { WindowSplitter } from './windows.ts'
import { Spectrum } from './spectrum.ts'
import { bandWindowSamples, type AudioProfile } from './audio-profile.ts'

/** Audio features of one video frame. The arrays are reused for the next frame. */
export interface AudioFeatures {
  /** Index of the frame, from 0. */
  readonly index: number
  /** Time of the frame, seconds. */
  readonly time: number
  /** Level of each band, 0 to 1, smoothed: rises fast, falls slowly. */
  readonly bands: Float32Array
  /** Overall level, 0 to 1, smoothed slowly. */
  readonly loudness: number
  /** Mean level of the bands below 150 Hz, 0 to 1. */
  readonly bass: number
  /** Samples of both channels, centred on the time of the frame. */
  readonly left: Float32Array
  readonly right: Float32Array
}

/** Samples of the waveform of a frame: 43 ms. */
export const waveformSamples = 2048

/** Visible range of levels, dB, and the exponent that emphasises loud levels. */
const rangeDb = 44
const levelContrast = 1.5

/** Time constants of smoothing, seconds: fast rise, slow fall. */
const bandTimes = { up: 0.008, down: 0.16 }
const loudnessTimes = { up: 0.05, down: 0.4 }

const bassHertz = 150

/** Hops required after the time of a frame: half a window. */
const hopsAhead = Math.ceil(bandWindowSamples / 2 / hopSamples)

/** Samples kept: half a window before the time of a frame, and all after it. */
const historySamples = bandWindowSamples / 2 + (hopsAhead + 2) * hopSamples

interface AudioFeatureTrackerOptions {
  readonly profile: AudioProfile
  readonly fps: number
  readonly frames: number
}

/**
 * Computes audio features at the exact time of every video frame, i / fps, from stereo chunks of any size at 48 kHz.
 * Smoothing depends on time, not on frames, so that features at a time are the same at any frame rate.
 */
export class AudioFeatureTracker {
  readonly #options: AudioFeatureTrackerOptions
  readonly #hops = new WindowSplitter({ size: 2 * hopSamples })
  readonly #history = new SampleHistory(historySamples)
  readonly #mono = new Float32Array(bandWindowSamples)
  readonly #spectrum = new Spectrum(bandWindowSamples)
  readonly #bands = new BandAnalyzer({ size: bandWindowSamples, rate: analysisSampleRate })
  readonly #levels = new Float32Array(bandCount)
  readonly #now = new Float32Array(bandCount)
  readonly #before = new Float32Array(bandCount)
  readonly #shown = new Float32Array(bandCount)
  readonly #left = new Float32Array(waveformSamples)
  readonly #right = new Float32Array(waveformSamples)
  readonly #bassBands = Math.max(
    1,
    Array.from({ length: bandCount }, (_, index) => bandFrequency(index / (bandCount - 1))).filter(
      (hertz) => hertz < bassHertz,
    ).length,
  )
  #loudness = { before: 0, now: 0 }
  #count = 0
  #frame = 0

  constructor(options: AudioFeatureTrackerOptions) {
    this.#options = options
  }

  /** Adds interleaved stereo samples. Yields the features of the frames they complete. */
  *push(samples: Float32Array): Generator<AudioFeatures> {
    for (const piece of this.#hops.split(samples)) yield* this.#addHop(piece)
  }

  /** Yields the remaining frames, with silence after the last sample. */
  *finish(): Generator<AudioFeatures> {
    const silent = new Float32Array(2 * hopSamples)
    while (this.#frame < this.#options.frames) yield* this.push(silent)
  }

  *#addHop(piece: Float32Array): Generator<AudioFeatures> {
    this.#history.push(piece)
    this.#count += 1
    const at = this.#count - hopsAhead
    if (at < 0) return
    this.#updateLevels()
    const { fps, frames } = this.#options
    // Half a millionth of a hop absorbs rounding of times that coincide with a hop.
    while (this.#frame < frames && this.#frame / fps <= (at + 5e-7) * hopSeconds) {
      yield this.#moment(at)
      this.#frame += 1
    }
  }

  /** Updates the smoothed levels by one hop. */
  #updateLevels(): void {
    const middle = historySamples - hopsAhead * hopSamples
    this.#history.mix(middle - bandWindowSamples / 2, this.#mono)
    this.#bands.read(this.#spectrum.magnitudes(this.#mono), this.#levels)
    this.#before.set(this.#now)
    const { topDb } = this.#options.profile
    let loudest = 0
    for (let band = 0; band < bandCount; band += 1) {
      const above = ((this.#levels[band] ?? 0) - topDb + rangeDb) / rangeDb
      const level = Math.min(1, Math.max(0, above)) ** levelContrast
      loudest = Math.max(loudest, level)
      this.#now[band] = approach(this.#now[band] ?? 0, level, bandTimes)
    }
    const mean = this.#now.reduce((sum, level) => sum + level, 0) / bandCount
    const { now } = this.#loudness
    this.#loudness = { before: now, now: approach(now, (loudest + mean) / 2, loudnessTimes) }
  }

  #moment(at: number): AudioFeatures {
    const index = this.#frame
    const time = index / this.#options.fps
    // Position between the previous hop (0) and this one (1).
    const share = Math.min(1, Math.max(0, time / hopSeconds - at + 1))
    for (let band = 0; band < bandCount; band += 1) {
      const before = this.#before[band] ?? 0
      this.#shown[band] = before + ((this.#now[band] ?? 0) - before) * share
    }
    const from =
      historySamples - hopsAhead * hopSamples - Math.round((1 - share) * hopSamples) - waveformSamples / 2
    this.#left.set(this.#history.left.subarray(from, from + waveformSamples))
    this.#right.set(this.#history.right.subarray(from, from + waveformSamples))
    const { before, now } = this.#loudness
    return {
      index,
      time,
      bands: this.#shown,
      loudness: before + (now - before) * share,
      bass: this.#shown.subarray(0, this.#bassBands).reduce((sum, one) => sum + one, 0) / this.#bassBands,
      left: this.#left,
      right: this.#right,
    }
  }
}

function approach(level: number, target: number, { up, down }: { up: number; down: number }): number {
  const seconds = target > level ? up : down
  return level + (target - level) * (1 - Math.exp(-hopSeconds / seconds))
}

/** Level at a position among the bands, 0 to 1, linearly interpolated. */
export function bandLevelAt(bands: Float32Array, position: number): number {
  const at = Math.min(1, Math.max(0, position)) * (bands.length - 1)
  const below = Math.floor(at)
  const low = bands[below] ?? 0
  return low + ((bands[below + 1] ?? low) - low) * (at - below)
}
