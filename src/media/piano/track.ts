import { featuresOf, lookAhead } from './features.ts'
import { frameHop, frameRate, partials, RecentFrames, silence, silentFrame, type Frame } from './frames.ts'
import { judge, type Judgement } from './judge.ts'
import { keys, lowestKey } from './note.ts'
import { riseAt } from './rise.ts'

/** A note as it was heard. */
export interface HeardNote extends Judgement {
  readonly pitch: number
  /** Seconds. */
  readonly start: number
  /** When it is left: where a damper falls, or it is heard no more. */
  readonly end: number
  /** When it is heard no more. */
  readonly gone: number
}

/** A key that was struck: its moment in frames, between two of them as a rule. */
interface Strike extends Judgement {
  readonly at: number
  /** Where a damper falls. */
  left?: number
}

/** From here on a strike is believed. */
export const believed = 0.5

/** Frames within which a key is not struck twice: 46 ms. */
const apart = 4

/** Frames by which the model tells a begin late: 3.5 ms. */
const lag = 0.3

/** A sound has ended when it stays below this for so many frames. */
const faint = 0.3
const faintFrames = 4

/**
 * A damper takes so many dB within so many frames, 93 ms, and for good; what rings on fades more slowly, though high
 * keys fade fast by themselves: from A4 on more is asked for, dB a key.
 */
const damped = { fall: 6, from: 48, more: 0.2, frames: 8, settles: 6 } as const

/** Shortest note, frames. */
const shortest = 4

/** Follows all keys through frames that are pushed in order, and tells notes as they end. */
export class NoteTracker {
  readonly #frames = new RecentFrames(64)
  readonly #open: (Strike | undefined)[] = Array.from({ length: keys })
  readonly #waiting: (Strike | undefined)[] = Array.from({ length: keys })
  readonly #faint = new Uint8Array(keys)

  /** Takes the next frame; answers the notes that ended. */
  push(frame: Frame): HeardNote[] {
    this.#frames.push(frame)
    const now = this.#frames.count - 1 - lookAhead
    return now < 0 ? [] : this.#step(now)
  }

  /** Ends what still sounds. */
  finish(): HeardNote[] {
    const last = this.#frames.count
    const notes: HeardNote[] = []
    while (this.#frames.count < last + lookAhead + apart + 2) notes.push(...this.push(silentFrame))
    for (let key = 0; key < keys; key += 1) notes.push(...this.#end(key, last))
    return notes
  }

  #step(now: number): HeardNote[] {
    const notes: HeardNote[] = []
    for (let key = 0; key < keys; key += 1) {
      this.#look(now, key)
      const strike = this.#waiting[key]
      if (strike && now - strike.at >= apart) {
        notes.push(...this.#end(key, strike.at))
        this.#open[key] = strike
        this.#waiting[key] = undefined
        this.#faint[key] = 0
      }
      // A strike that waits may lie before the first faint frame: its note ends the one that fades.
      if (this.#fades(now, key))
        notes.push(...this.#end(key, Math.min(now - faintFrames + 1, this.#waiting[key]?.at ?? Infinity)))
      else this.#damp(now, key)
    }
    return notes
  }

  /** Looks whether the key was struck; of strikes that are too near the surest counts. */
  #look(now: number, key: number): void {
    const rise = riseAt(this.#frames, now, key)
    if (rise === null) return
    const judged = judge(featuresOf(this.#frames, now, key))
    const other = this.#waiting[key]
    if (judged.sure < believed || (other && other.sure >= judged.sure)) return
    this.#waiting[key] = { at: rise, ...judged }
  }

  /** Whether an open note has been faint for long enough. */
  #fades(now: number, key: number): boolean {
    if (!this.#open[key]) return false
    const isFaint = (this.#frames.at(now).sounding[key] ?? 0) < faint
    this.#faint[key] = isFaint ? (this.#faint[key] ?? 0) + 1 : 0
    return (this.#faint[key] ?? 0) >= faintFrames
  }

  /** Looks whether an open note is damped here; it loses its strike first. */
  #damp(now: number, key: number): void {
    const strike = this.#open[key]
    if (!strike || strike.left !== undefined || now < strike.at + damped.settles) return
    const level = (frame: number) => {
      const { levels } = this.#frames.at(frame)
      return Math.max(levels[key * partials] ?? silence, levels[key * partials + 1] ?? silence)
    }
    const least = level(now) - damped.fall - damped.more * Math.max(0, key - damped.from)
    if (level(now + damped.frames) < least && level(now + 2 * damped.frames) < least) strike.left = now + 1
  }

  #end(key: number, at: number): HeardNote[] {
    const strike = this.#open[key]
    if (!strike) return []
    this.#open[key] = undefined
    const { at: from, left = at, sure, velocity } = strike
    const least = from + shortest
    return [
      {
        ...{ pitch: lowestKey + key, sure, velocity },
        start: secondsOf(from),
        end: secondsOf(Math.max(Math.min(left, at), least)),
        gone: secondsOf(Math.max(at, least)),
      },
    ]
  }
}

/** Seconds of a moment in frames. */
export function secondsOf(frame: number): number {
  return Math.max(0, ((frame - lag) * frameHop) / frameRate)
}
