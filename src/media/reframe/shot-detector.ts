import { findMix, keepBestMixes, type Mix } from './find-mix.ts'
import {
  lumaCorrelation,
  minLightCorrelation,
  relativeDifference,
  unexplainedByMotion,
} from './compare-thumbnails.ts'
import type { Thumbnail } from './thumbnail.ts'

/** A change of shot. */
export interface ShotChange {
  /** First frame of the new shot; of a dissolve, the first in which it prevails. */
  readonly frame: number
  /** Frames over which the shots are mixed; 0 for a hard cut. */
  readonly mixed: number
}

/** Least difference of the frames at a cut, relative to their contrast. */
const minCutDifference = 0.35

/** A cut differs at least this many times as much as the frames around it move. */
const minCutRatio = 2.2

/** Frames before and after a cut whose motion counts: a hard cut is known so many frames after it. */
export const cutDelay = 8

/** Of the steps around a cut, the largest ones that are ignored: both ends of a flash or of a short shot. */
const ignoredSteps = 2

/** Longest flash or inserted picture that does not divide a shot, frames. */
const longestFlash = 4

/** After a flash, the picture differs from the one before it by at most this share of the step into the flash. */
const flashReturn = 0.35

/** Share of a difference that motion leaves unexplained at a change of shot, at least. */
const minUnexplained = 0.3

/** Lengths of the windows in which dissolves are searched, frames. A window finds those of half to all its length. */
const mixWindows = [10, 20, 40]

/** Dissolves last as long at high rates, so have more frames. */
const highRateWindow = 80
const highRate = 40

/**
 * Finds changes of shot in thumbnails of successive frames. A frame is a hard cut if it differs far more from the one
 * before than the frames around it differ from each other. Differences are relative to the contrast, so that cuts between
 * dark scenes are found. Pans, flashes, changes of the light and jerks of the camera are not cuts. Dissolves and fades
 * are found by `findMix`. Decisions depend only on the `delay` frames before and after. Memory: 8 bytes per frame.
 */
export class ShotDetector {
  readonly #windows: readonly number[]
  /** The last frames, newest last. */
  readonly #recent: Thumbnail[] = []
  /** Difference of each frame from the one before. */
  readonly #steps: number[] = []
  readonly #cuts = new Set<number>()
  readonly #mixes: Mix[] = []

  /** Most frames by which a change is known later than it occurs. */
  readonly delay: number

  /** @param perSecond frames per second */
  constructor(perSecond: number) {
    this.#windows = perSecond > highRate ? [...mixWindows, highRateWindow] : mixWindows
    this.delay = this.#windows.at(-1) ?? 0
  }

  /** Adds the next frame. Frames are counted from 0. */
  add(frame: Thumbnail): void {
    const before = this.#recent.at(-1)
    this.#recent.push(frame)
    if (this.#recent.length > this.delay + 1) this.#recent.shift()
    this.#steps.push(before ? relativeDifference(before, frame) : 0)
    this.#decide(this.#steps.length - 1 - cutDelay)
    const mix = this.#findMix()
    if (mix) this.#mixes.push(mix)
  }

  /** Whether a frame is a hard cut. Known `cutDelay` frames later, or at the end. */
  isCut(frame: number): boolean {
    return this.#cuts.has(frame)
  }

  /** Ends the input: decides about the last frames. */
  end(): void {
    const frames = this.#steps.length
    for (let frame = Math.max(0, frames - cutDelay); frame < frames; frame += 1) this.#decide(frame)
  }

  /** Returns the changes in order. They are final up to `delay` frames before the newest frame. */
  changes(): ShotChange[] {
    const mixes = keepBestMixes(this.#mixes)
    // The last step of a mixture into a flat picture is large beside the contrast. No step of a mixture is a cut.
    const cuts = [...this.#cuts].filter((cut) => mixes.every(({ first, end }) => cut < first || cut > end))
    return [
      ...cuts.map((frame) => ({ frame, mixed: 0 })),
      ...mixes.map(({ frame, first, end }) => ({ frame, mixed: end - first })),
    ].toSorted((one, other) => one.frame - other.frame)
  }

  #decide(frame: number): void {
    if (frame > 0 && this.#isHardCut(frame)) this.#cuts.add(frame)
  }

  #isHardCut(frame: number): boolean {
    const step = this.#steps[frame] ?? 0
    if (step < minCutDifference || step < minCutRatio * this.#motionAround(frame)) return false
    const [before, after] = [this.#at(frame - 1), this.#at(frame)]
    if (!before || !after || this.#isFlash(frame, step)) return false
    return (
      lumaCorrelation(before, after) < minLightCorrelation &&
      unexplainedByMotion(before, after) >= minUnexplained
    )
  }

  /** Returns the step from frame to frame around a cut, without the cut and the few largest ones. */
  #motionAround(frame: number): number {
    const others = [
      ...this.#steps.slice(Math.max(1, frame - cutDelay), frame),
      ...this.#steps.slice(frame + 1, frame + 1 + cutDelay),
    ].toSorted((one, other) => other - one)
    return others[ignoredSteps] ?? 0
  }

  /** Whether the picture before a frame returns soon, or a picture soon before it is the one from it on. */
  #isFlash(frame: number, step: number): boolean {
    const [before, after] = [this.#at(frame - 1), this.#at(frame)]
    for (let length = 1; length <= longestFlash; length += 1) {
      const [later, earlier] = [this.#at(frame + length), this.#at(frame - 1 - length)]
      if (before && later && relativeDifference(before, later) <= flashReturn * step) return true
      if (after && earlier && relativeDifference(earlier, after) <= flashReturn * step) return true
    }
    return false
  }

  /** Returns a recent frame by its number. */
  #at(frame: number): Thumbnail | undefined {
    return this.#recent[frame - (this.#steps.length - this.#recent.length)]
  }

  /** Returns a mixture of two shots that ends near the newest frame. */
  #findMix(): Mix | undefined {
    const newest = this.#steps.length - 1
    for (const length of this.#windows) {
      const window = this.#recent.slice(-1 - length)
      if (window.length <= length) return undefined
      const steps = this.#steps.slice(newest - length + 1)
      const mix = findMix(window, steps)
      if (!mix) continue
      const start = newest - length
      return { ...mix, first: start + mix.first, frame: start + mix.frame, end: start + mix.end }
    }
    return undefined
  }
}
