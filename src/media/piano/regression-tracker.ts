import { keyCount, lowestKey, type PedalSpan } from './note.ts'
import type { TranscribedNote } from './note-tracker.ts'

/** What a model that tells onsets and offsets by regression says of a hundredth of a second (Kong et al., 2021). */
export interface RegressionFrame {
  /** By keys, 0 to 1; onsets and offsets peak at the frame that lies nearest. */
  readonly onsets: Float32Array
  readonly offsets: Float32Array
  readonly sounding: Float32Array
  readonly velocities: Float32Array
  readonly pedalOffset: number
  readonly pedal: number
}

/** Frames a second. */
export const regressionFrameRate = 100

/** What a peak and a sound reach at least, as published with the model. */
const threshold = { onset: 0.3, offset: 0.3, sounding: 0.1, pedalOffset: 0.2, pedal: 0.5 } as const

/** Frames at both sides over which an onset, and an offset, rises to its peak and falls. */
const slope = { onset: 2, offset: 4 } as const

/** Longest note, frames, and how long a pedal that is up waits for its offset. */
const longest = 600
const pedalWait = 10

const reach = slope.offset

/** A note that is held. */
interface HeldNote {
  readonly at: number
  readonly probability: number
  readonly velocity: number
  /** Frame from which on it is not heard, and moment of an offset. */
  gone?: number
  offset?: number
}

/** Follows keys and pedal through frames that are pushed in order, and tells notes as they end. */
export class RegressionTracker {
  readonly pedals: PedalSpan[] = []
  readonly #frames: RegressionFrame[] = []
  readonly #held: (HeldNote | undefined)[] = Array.from({ length: keyCount })
  #pedal: { readonly start: number; up?: number } | undefined
  #wasDown = false
  #count = 0

  /** Takes the next frame; answers the notes that ended. */
  push(frame: RegressionFrame): TranscribedNote[] {
    this.#frames.push(frame)
    if (this.#frames.length > 2 * reach + 1) this.#frames.shift()
    this.#count += 1
    return this.#count > reach ? this.#step(this.#count - 1 - reach) : []
  }

  /** Ends what still sounds. */
  finish(): TranscribedNote[] {
    const last = this.#count
    const notes: TranscribedNote[] = []
    while (this.#count < last + reach) notes.push(...this.push(silentRegressionFrame))
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
        // Not at the frame, which may be later: its end would end the new note.
        notes.push(...this.#end(key, at))
        const { onsets, velocities } = this.#at(0)
        // Published as a share of 128.
        const velocity = Math.floor(128 * (velocities[key] ?? 0))
        this.#held[key] = { at, probability: onsets[key] ?? 0, velocity }
      } else notes.push(...this.#follow(now, key))
    }
    this.#followPedal(now)
    return notes
  }

  /** Ends a note where it is gone: at its offset, if that is nearer to where it is gone than to where it began. */
  #follow(now: number, key: number): TranscribedNote[] {
    const held = this.#held[key]
    if (!held) return []
    const offset = this.#peak((frame) => frame.offsets[key] ?? 0, slope.offset, threshold.offset)
    if (offset !== null) held.offset ??= now + offset
    if ((this.#at(0).sounding[key] ?? 0) <= threshold.sounding) held.gone ??= now
    if (held.gone !== undefined) {
      const isItsOwn = held.offset !== undefined && held.offset - held.at > held.gone - held.offset
      return this.#end(key, isItsOwn ? (held.offset ?? held.gone) : held.gone)
    }
    return now - held.at >= longest ? this.#end(key, now) : []
  }

  #end(key: number, at: number): TranscribedNote[] {
    const held = this.#held[key]
    if (!held) return []
    this.#held[key] = undefined
    const start = held.at / regressionFrameRate
    const end = Math.max(at / regressionFrameRate, start + 1 / regressionFrameRate)
    return [
      {
        pitch: lowestKey + key,
        start,
        end,
        soundEnd: end,
        probability: held.probability,
        velocity: held.velocity,
      },
    ]
  }

  #followPedal(now: number): void {
    const isDown = this.#at(0).pedal >= threshold.pedal
    const rises = isDown && !this.#wasDown
    this.#wasDown = isDown
    const held = this.#pedal
    if (rises) {
      if (held?.up !== undefined) this.#lift(held.up)
      this.#pedal ??= { start: now / regressionFrameRate }
      return
    }
    if (!held) return
    if (!isDown) held.up ??= now
    const offset = this.#peak((frame) => frame.pedalOffset, slope.offset, threshold.pedalOffset)
    if (offset !== null) this.#lift(now + offset)
    else if (held.up !== undefined && now - held.up >= pedalWait) this.#lift(held.up)
  }

  #lift(at: number): void {
    if (!this.#pedal) return
    const end = at / regressionFrameRate
    if (end > this.#pedal.start) this.pedals.push({ start: this.#pedal.start, end })
    this.#pedal = undefined
  }

  /** A frame so many after the one that is looked at. */
  #at(apart: number): RegressionFrame {
    return this.#frames[this.#frames.length - 1 - reach + apart] ?? silentRegressionFrame
  }

  /** Where around this frame a peak lies, in frames; null where there is none. */
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
