import { BandAnalyzer, bandCount, bandFrequency } from './bands.ts'
import { SampleHistory, hopSamples, HopSplitter, hopSeconds, analysisSampleRate } from './sample-history.ts'
import { Spectrum } from './spectrum.ts'
import { bandWindowSamples, type AudioProfile } from './audio-profile.ts'

/** What is heard at the moment of one frame. Its arrays are used again for the next. */
export interface AudioFeatures {
  /** Of the frame, from 0. */
  readonly index: number
  /** Seconds. */
  readonly time: number
  /** Level of each band, 0 to 1, rising fast and falling slowly. */
  readonly bands: Float32Array
  /** Level of all of it, 0 to 1, moving slowly. */
  readonly loudness: number
  /** Level of what is below 150 Hz, 0 to 1. */
  readonly bass: number
  /** The sound around this moment, which is in the middle. */
  readonly left: Float32Array
  readonly right: Float32Array
}

/** Samples of the sound around a moment: 43 ms. */
export const waveformSamples = 2048

/** Range of levels that shows, dB; and how what is loud is set apart from the rest. */
const rangeDb = 44
const levelContrast = 1.5

/** Time constants of the levels, seconds: up at once, down as the eye follows. */
const bandTimes = { up: 0.008, down: 0.16 }
const loudnessTimes = { up: 0.05, down: 0.4 }

const bassHertz = 150

/** Hops that must be there after a moment: half a window. */
const hopsAhead = Math.ceil(bandWindowSamples / 2 / hopSamples)

/** Samples kept: half a window before a moment, and all after it. */
const historySamples = bandWindowSamples / 2 + (hopsAhead + 2) * hopSamples

interface AudioFeatureTrackerOptions {
  readonly profile: AudioProfile
  readonly fps: number
  readonly frames: number
}

/**
 * Follows sound given in pieces of any size and tells what is heard at the exact time of every frame, i / fps.
 * Levels move by seconds, not by frames, so that what is seen at a time is the same at any rate.
 */
export class AudioFeatureTracker {
  readonly #wish: AudioFeatureTrackerOptions
  readonly #hops = new HopSplitter()
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

  constructor(wish: AudioFeatureTrackerOptions) {
    this.#wish = wish
  }

  /** The moments that these samples complete, of two channels one after the other. */
  *push(samples: Float32Array): Generator<AudioFeatures> {
    for (const piece of this.#hops.split(samples)) yield* this.#take(piece)
  }

  /** What is left after the last sample: silence follows it. */
  *finish(): Generator<AudioFeatures> {
    const silent = new Float32Array(2 * hopSamples)
    while (this.#frame < this.#wish.frames) yield* this.push(silent)
  }

  *#take(piece: Float32Array): Generator<AudioFeatures> {
    this.#history.push(piece)
    this.#count += 1
    const at = this.#count - hopsAhead
    if (at < 0) return
    this.#look()
    const { fps, frames } = this.#wish
    // Half a millionth of a hop absorbs the rounding of times that lie on one.
    while (this.#frame < frames && this.#frame / fps <= (at + 5e-7) * hopSeconds) {
      yield this.#moment(at)
      this.#frame += 1
    }
  }

  /** Moves the levels on by one hop. */
  #look(): void {
    const middle = historySamples - hopsAhead * hopSamples
    this.#history.mix(middle - bandWindowSamples / 2, this.#mono)
    this.#bands.read(this.#spectrum.magnitudes(this.#mono), this.#levels)
    this.#before.set(this.#now)
    const { topDb } = this.#wish.profile
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
    const time = index / this.#wish.fps
    // Share of the way from the hop before to this one.
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

/** Level at a place among the bands, 0 to 1, between two of them where it lies so. */
export function bandLevelAt(bands: Float32Array, place: number): number {
  const at = Math.min(1, Math.max(0, place)) * (bands.length - 1)
  const below = Math.floor(at)
  const low = bands[below] ?? 0
  return low + ((bands[below + 1] ?? low) - low) * (at - below)
}
