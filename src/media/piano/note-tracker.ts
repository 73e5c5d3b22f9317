import {
  classifyOnset,
  featureLookAhead,
  type OnsetEstimate,
  onsetFeatures,
  onsetPeak,
} from './onset-classifier.ts'
import {
  pianoFrameHop,
  pianoSampleRate,
  partialCount,
  RecentFrames,
  silenceDb,
  silentFrame,
  type PianoFrame,
} from './frames.ts'
import { keyCount, lowestKey } from './note.ts'

/** A note as it was heard. */
export interface TranscribedNote extends OnsetEstimate {
  readonly pitch: number
  /** Seconds. */
  readonly start: number
  /** When it is left: where a damper falls, or it is heard no more. */
  readonly end: number
  /** When it is heard no more. */
  readonly soundEnd: number
}

/** A key that was struck: its moment in frames, between two of them as a rule. */
interface Strike extends OnsetEstimate {
  readonly at: number
  /** Where a damper falls. */
  damped?: number
}

/** From here on a strike is believed. */
export const acceptedProbability = 0.5

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
  readonly #open: (Strike | undefined)[] = Array.from({ length: keyCount })
  readonly #waiting: (Strike | undefined)[] = Array.from({ length: keyCount })
  readonly #faint = new Uint8Array(keyCount)

  /** Takes the next frame; answers the notes that ended. */
  push(frame: PianoFrame): TranscribedNote[] {
    this.#frames.push(frame)
    const now = this.#frames.count - 1 - featureLookAhead
    return now < 0 ? [] : this.#step(now)
  }

  /** Ends what still sounds. */
  finish(): TranscribedNote[] {
    const last = this.#frames.count
    const notes: TranscribedNote[] = []
    while (this.#frames.count < last + featureLookAhead + apart + 2) notes.push(...this.push(silentFrame))
    for (let key = 0; key < keyCount; key += 1) notes.push(...this.#end(key, last))
    return notes
  }

  #step(now: number): TranscribedNote[] {
    const notes: TranscribedNote[] = []
    for (let key = 0; key < keyCount; key += 1) {
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
    const rise = onsetPeak(this.#frames, now, key)
    if (rise === null) return
    const judged = classifyOnset(onsetFeatures(this.#frames, now, key))
    const other = this.#waiting[key]
    if (judged.probability < acceptedProbability || (other && other.probability >= judged.probability)) return
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
    if (!strike || strike.damped !== undefined || now < strike.at + damped.settles) return
    const level = (frame: number) => {
      const { levels } = this.#frames.at(frame)
      return Math.max(levels[key * partialCount] ?? silenceDb, levels[key * partialCount + 1] ?? silenceDb)
    }
    const least = level(now) - damped.fall - damped.more * Math.max(0, key - damped.from)
    if (level(now + damped.frames) < least && level(now + 2 * damped.frames) < least) strike.damped = now + 1
  }

  #end(key: number, at: number): TranscribedNote[] {
    const strike = this.#open[key]
    if (!strike) return []
    this.#open[key] = undefined
    const { at: from, damped: left = at, probability: sure, velocity } = strike
    const least = from + shortest
    return [
      {
        ...{ pitch: lowestKey + key, probability: sure, velocity },
        start: frameSeconds(from),
        end: frameSeconds(Math.max(Math.min(left, at), least)),
        soundEnd: frameSeconds(Math.max(at, least)),
      },
    ]
  }
}

/** Seconds of a moment in frames. */
export function frameSeconds(frame: number): number {
  return Math.max(0, ((frame - lag) * pianoFrameHop) / pianoSampleRate)
}
