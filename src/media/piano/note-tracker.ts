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

/** A transcribed note; times in seconds. */
export interface TranscribedNote extends OnsetEstimate {
  readonly pitch: number
  /** Seconds. */
  readonly start: number
  /** Release: when the damper falls, or the sound ends. */
  readonly end: number
  /** When the sound ends. */
  readonly soundEnd: number
}

/** A detected strike of a key; times in frames with a fraction. */
interface Strike extends OnsetEstimate {
  readonly at: number
  /** Frame in which the damper falls. */
  damperFrame?: number
}

/** Lowest probability of an accepted strike. */
export const acceptedProbability = 0.5

/** Shortest distance between two strikes of a key, frames: 46 ms. */
const minStrikeGap = 4

/** Latency of the model's onsets, frames: 3.5 ms. */
const onsetLatency = 0.3

/** A sound has ended when its probability stays below `minSounding` for `faintFrames` frames. */
const minSounding = 0.3
const faintFrames = 4

/**
 * A damper lowers the level by `fallDb` within `frames` (93 ms) and permanently; undamped strings decay more slowly.
 * High keys decay fast even undamped: above `fromKey` (A4), `extraDbPerKey` more are required per key. The
 * attack decays for `settleFrames` first.
 */
const damper = { fallDb: 6, fromKey: 48, extraDbPerKey: 0.2, frames: 8, settleFrames: 6 } as const

/** Shortest note, in frames. */
const minNoteFrames = 4

/** Converts frames, pushed in order, to notes: accepts strikes, then finds release and end of each. */
export class NoteTracker {
  readonly #frames = new RecentFrames(64)
  readonly #open: (Strike | undefined)[] = Array.from({ length: keyCount })
  readonly #pending: (Strike | undefined)[] = Array.from({ length: keyCount })
  readonly #faintCounts = new Uint8Array(keyCount)

  /** Adds the next frame. Returns the notes that ended. */
  push(frame: PianoFrame): TranscribedNote[] {
    this.#frames.push(frame)
    const now = this.#frames.count - 1 - featureLookAhead
    return now < 0 ? [] : this.#step(now)
  }

  /** Ends all open notes and returns them. */
  finish(): TranscribedNote[] {
    const last = this.#frames.count
    const notes: TranscribedNote[] = []
    while (this.#frames.count < last + featureLookAhead + minStrikeGap + 2)
      notes.push(...this.push(silentFrame))
    for (let key = 0; key < keyCount; key += 1) notes.push(...this.#end(key, last))
    return notes
  }

  #step(now: number): TranscribedNote[] {
    const notes: TranscribedNote[] = []
    for (let key = 0; key < keyCount; key += 1) {
      this.#detectStrike(now, key)
      const strike = this.#pending[key]
      if (strike && now - strike.at >= minStrikeGap) {
        notes.push(...this.#end(key, strike.at))
        this.#open[key] = strike
        this.#pending[key] = undefined
        this.#faintCounts[key] = 0
      }
      // A pending strike may precede the first faint frame; then the fading note ends at that strike.
      if (this.#fades(now, key))
        notes.push(...this.#end(key, Math.min(now - faintFrames + 1, this.#pending[key]?.at ?? Infinity)))
      else this.#detectDamper(now, key)
    }
    return notes
  }

  /** Detects a strike of the key. Of two strikes that are too close, the more probable one counts. */
  #detectStrike(now: number, key: number): void {
    const onset = onsetPeak(this.#frames, now, key)
    if (onset === null) return
    const estimate = classifyOnset(onsetFeatures(this.#frames, now, key))
    const other = this.#pending[key]
    if (estimate.probability < acceptedProbability || (other && other.probability >= estimate.probability))
      return
    this.#pending[key] = { at: onset, ...estimate }
  }

  /** Whether an open note has been faint for `faintFrames` frames. */
  #fades(now: number, key: number): boolean {
    if (!this.#open[key]) return false
    const isFaint = (this.#frames.at(now).sounding[key] ?? 0) < minSounding
    this.#faintCounts[key] = isFaint ? (this.#faintCounts[key] ?? 0) + 1 : 0
    return (this.#faintCounts[key] ?? 0) >= faintFrames
  }

  /** Detects the damper of an open note. The decay of the attack is skipped first. */
  #detectDamper(now: number, key: number): void {
    const strike = this.#open[key]
    if (!strike || strike.damperFrame !== undefined || now < strike.at + damper.settleFrames) return
    const level = (frame: number) => {
      const { levels } = this.#frames.at(frame)
      return Math.max(levels[key * partialCount] ?? silenceDb, levels[key * partialCount + 1] ?? silenceDb)
    }
    const maxDampedDb = level(now) - damper.fallDb - damper.extraDbPerKey * Math.max(0, key - damper.fromKey)
    if (level(now + damper.frames) < maxDampedDb && level(now + 2 * damper.frames) < maxDampedDb)
      strike.damperFrame = now + 1
  }

  #end(key: number, at: number): TranscribedNote[] {
    const strike = this.#open[key]
    if (!strike) return []
    this.#open[key] = undefined
    const { at: from, damperFrame = at, probability, velocity } = strike
    const minEnd = from + minNoteFrames
    return [
      {
        ...{ pitch: lowestKey + key, probability, velocity },
        start: frameSeconds(from),
        end: frameSeconds(Math.max(Math.min(damperFrame, at), minEnd)),
        soundEnd: frameSeconds(Math.max(at, minEnd)),
      },
    ]
  }
}

/** Time of a frame, seconds, corrected by the latency of the model. */
export function frameSeconds(frame: number): number {
  return Math.max(0, ((frame - onsetLatency) * pianoFrameHop) / pianoSampleRate)
}
