import { keyCount, lowestKey, type PedalSpan } from './note.ts'
import type { TranscribedNote } from './note-tracker.ts'

/** Output of a regression model (Kong et al., 2021) for one frame of 10 ms. */
export interface RegressionFrame {
  /** Indexed by key, 0 to 1. Onsets and offsets peak at the frame nearest to the event. */
  readonly onsets: Float32Array
  readonly offsets: Float32Array
  readonly sounding: Float32Array
  readonly velocities: Float32Array
  readonly pedalOffset: number
  readonly pedal: number
}

/** Frames a second. */
export const regressionFrameRate = 100

/** Thresholds published with the model. */
const threshold = { onset: 0.3, offset: 0.3, sounding: 0.1, pedalOffset: 0.2, pedal: 0.5 } as const

/** Frames on both sides over which an onset, and an offset, rises to its peak and falls. */
const slope = { onset: 2, offset: 4 } as const

/** Longest note, and longest wait of a released pedal for its offset, frames. */
const maxNoteFrames = 600
const pedalWait = 10

const lookaheadFrames = slope.offset

/** An open note; times in frames. */
interface OpenNote {
  readonly at: number
  readonly probability: number
  readonly velocity: number
  /** First silent frame, and time of an offset. */
  silentFrom?: number
  offset?: number
}

/** Converts regression frames, pushed in order, to notes and pedal spans (post-processing of Kong et al., 2021). */
export class RegressionTracker {
  readonly pedals: PedalSpan[] = []
  readonly #frames: RegressionFrame[] = []
  readonly #openNotes: (OpenNote | undefined)[] = Array.from({ length: keyCount })
  #pedal: { readonly start: number; up?: number } | undefined
  #wasDown = false
  #count = 0

  /** Adds the next frame. Returns the notes that ended. */
  push(frame: RegressionFrame): TranscribedNote[] {
    this.#frames.push(frame)
    if (this.#frames.length > 2 * lookaheadFrames + 1) this.#frames.shift()
    this.#count += 1
    return this.#count > lookaheadFrames ? this.#step(this.#count - 1 - lookaheadFrames) : []
  }

  /** Ends all open notes and the pedal. Returns the notes. */
  finish(): TranscribedNote[] {
    const last = this.#count
    const notes: TranscribedNote[] = []
    while (this.#count < last + lookaheadFrames) notes.push(...this.push(silentRegressionFrame))
    for (let key = 0; key < keyCount; key += 1) notes.push(...this.#end(key, last))
    if (this.#pedal)
      this.pedals.push({ start: this.#pedal.start, end: (this.#pedal.up ?? last) / regressionFrameRate })
    this.#pedal = undefined
    return notes
  }

  #step(now: number): TranscribedNote[] {
    const notes: TranscribedNote[] = []
    for (let key = 0; key < keyCount; key += 1) {
      const onset = this.#peak((frame) => frame.onsets[key] ?? 0, slope.onset, threshold.onset)
      if (onset !== null) {
        const at = Math.max(0, now + onset)
        // Not at the frame, which may be later: the end of the old note would end the new one.
        notes.push(...this.#end(key, at))
        const { onsets, velocities } = this.#at(0)
        // The model outputs velocity / 128.
        const velocity = Math.floor(128 * (velocities[key] ?? 0))
        this.#openNotes[key] = { at, probability: onsets[key] ?? 0, velocity }
      } else notes.push(...this.#follow(now, key))
    }
    this.#followPedal(now)
    return notes
  }

  /** Ends a note that became silent: at its offset if that is nearer to the silence than to the start, else at the silence. */
  #follow(now: number, key: number): TranscribedNote[] {
    const note = this.#openNotes[key]
    if (!note) return []
    const offset = this.#peak((frame) => frame.offsets[key] ?? 0, slope.offset, threshold.offset)
    if (offset !== null) note.offset ??= now + offset
    if ((this.#at(0).sounding[key] ?? 0) <= threshold.sounding) note.silentFrom ??= now
    if (note.silentFrom !== undefined) {
      const isItsOwn = note.offset !== undefined && note.offset - note.at > note.silentFrom - note.offset
      return this.#end(key, isItsOwn ? (note.offset ?? note.silentFrom) : note.silentFrom)
    }
    return now - note.at >= maxNoteFrames ? this.#end(key, now) : []
  }

  #end(key: number, at: number): TranscribedNote[] {
    const note = this.#openNotes[key]
    if (!note) return []
    this.#openNotes[key] = undefined
    const start = note.at / regressionFrameRate
    const end = Math.max(at / regressionFrameRate, start + 1 / regressionFrameRate)
    return [
      {
        pitch: lowestKey + key,
        start,
        end,
        soundEnd: end,
        probability: note.probability,
        velocity: note.velocity,
      },
    ]
  }

  #followPedal(now: number): void {
    const isDown = this.#at(0).pedal >= threshold.pedal
    const rises = isDown && !this.#wasDown
    this.#wasDown = isDown
    const pedal = this.#pedal
    if (rises) {
      if (pedal?.up !== undefined) this.#lift(pedal.up)
      this.#pedal ??= { start: now / regressionFrameRate }
      return
    }
    if (!pedal) return
    if (!isDown) pedal.up ??= now
    const offset = this.#peak((frame) => frame.pedalOffset, slope.offset, threshold.pedalOffset)
    if (offset !== null) this.#lift(now + offset)
    else if (pedal.up !== undefined && now - pedal.up >= pedalWait) this.#lift(pedal.up)
  }

  #lift(at: number): void {
    if (!this.#pedal) return
    const end = at / regressionFrameRate
    if (end > this.#pedal.start) this.pedals.push({ start: this.#pedal.start, end })
    this.#pedal = undefined
  }

  /** Frame at a distance of `apart` from the current one. */
  #at(apart: number): RegressionFrame {
    return this.#frames[this.#frames.length - 1 - lookaheadFrames + apart] ?? silentRegressionFrame
  }

  /** Offset of a peak from the current frame, in frames; null if there is none. */
  #peak(of: (frame: RegressionFrame) => number, sides: number, least: number): number | null {
    const [before, here, after] = [of(this.#at(-1)), of(this.#at(0)), of(this.#at(1))]
    if (here <= least || here <= before) return null
    for (let side = 0; side < sides; side += 1) {
      if (of(this.#at(-side)) < of(this.#at(-side - 1)) || of(this.#at(side)) < of(this.#at(side + 1)))
        return null
    }
    const fall = before > after ? here - after : here - before
    return fall === 0 ? 0 : (after - before) / fall / 2
  }
}

const silentRegressionFrame: RegressionFrame = {
  onsets: new Float32Array(keyCount),
  offsets: new Float32Array(keyCount),
  sounding: new Float32Array(keyCount),
  velocities: new Float32Array(keyCount),
  pedalOffset: 0,
  pedal: 0,
}
