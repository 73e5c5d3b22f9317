/** Frames shared by two windows in which both voices must speak to match, and their share of the frames in which either speaks. */
const minSharedFrames = 12
const minSharedFraction = 0.3

/** A half-open range of frames in which a track speaks. */
export interface TrackTurn {
  readonly track: number
  readonly start: number
  readonly end: number
}

/**
 * Tracks voices across overlapping windows: voices that speak in the same shared frames are the same track. Windows
 * start `hop` frames apart. A voice that is silent for a whole window starts a new track.
 */
export class SpeakerTracker {
  /** Final turns, in order of their ends. */
  readonly turns: TrackTurn[] = []
  /** Pairs of tracks that occur in one window, as `a b` with a < b: they are different speakers. */
  readonly simultaneousTracks = new Set<string>()
  readonly #window: number
  readonly #hop: number
  /** Per track and frame of the last window, the number of windows in which it speaks. */
  #votes = new Map<number, Uint8Array>()
  /** Number of windows that cover each of these frames. */
  #coverage: Uint8Array
  #open = new Map<number, number>()
  #begin = 0
  #tracks = 0
  #isFirst = true

  constructor({ window, hop }: { readonly window: number; readonly hop: number }) {
    this.#window = window
    this.#hop = hop
    this.#coverage = new Uint8Array(window)
  }

  /** Adds a window: per voice, the frames in which it speaks (1). Returns the track of each voice, -1 if silent. */
  add(voices: readonly Uint8Array[]): number[] {
    if (!this.#isFirst) this.#settle(this.#hop)
    this.#isFirst = false
    for (let frame = 0; frame < this.#window; frame += 1)
      this.#coverage[frame] = (this.#coverage[frame] ?? 0) + 1
    const tracks = this.#match(voices)
    for (const [index, track] of tracks.entries()) {
      if (track < 0) continue
      const votes = this.#votes.get(track) ?? new Uint8Array(this.#window)
      this.#votes.set(track, votes)
      for (const [frame, speaks] of voices[index]?.entries() ?? [])
        votes[frame] = (votes[frame] ?? 0) + speaks
      for (const other of tracks) if (other > track) this.simultaneousTracks.add(`${track} ${other}`)
    }
    return tracks
  }

  /** Ends all open turns. */
  end(): void {
    this.#settle(this.#window)
    for (const [track, start] of this.#open) this.turns.push({ track, start, end: this.#begin })
    this.#open.clear()
  }

  /** Matches voices to tracks, largest overlap first. Unmatched voices get new tracks, silent ones -1. */
  #match(voices: readonly Uint8Array[]): number[] {
    const found = voices.map((voice): number | undefined => (voice.includes(1) ? undefined : -1))
    const pairs = voices.flatMap((voice, index) =>
      [...this.#votes].map(([track, votes]) => ({ index, track, ...this.#shared(voice, votes) })),
    )
    for (const { index, track, both, either } of pairs.toSorted((one, other) => other.both - one.both)) {
      if (found[index] !== undefined || found.includes(track)) continue
      if (both >= minSharedFrames && both >= minSharedFraction * either) found[index] = track
    }
    return found.map((track) => track ?? this.#tracks++)
  }

  #shared(voice: Uint8Array, votes: Uint8Array): { both: number; either: number } {
    let [both, either] = [0, 0]
    for (let frame = 0; frame < this.#window - this.#hop; frame += 1) {
      const [one, other] = [voice[frame] === 1, (votes[frame] ?? 0) > 0]
      if (one && other) both += 1
      if (one || other) either += 1
    }
    return { both, either }
  }

  /** Decides the first frames by majority and drops them. */
  #settle(frames: number): void {
    for (let frame = 0; frame < frames; frame += 1) {
      for (const [track, votes] of this.#votes) {
        const speaks = (votes[frame] ?? 0) * 2 > (this.#coverage[frame] ?? 0)
        const start = this.#open.get(track)
        if (speaks && start === undefined) this.#open.set(track, this.#begin + frame)
        if (speaks || start === undefined) continue
        this.turns.push({ track, start, end: this.#begin + frame })
        this.#open.delete(track)
      }
    }
    this.#begin += frames
    this.#coverage = shiftLeft(this.#coverage, frames)
    const kept = [...this.#votes].map(([track, votes]) => [track, shiftLeft(votes, frames)] as const)
    this.#votes = new Map(
      kept.filter(([track, votes]) => this.#open.has(track) || votes.some((vote) => vote > 0)),
    )
  }
}

function shiftLeft(values: Uint8Array, by: number): Uint8Array {
  const moved = new Uint8Array(values.length)
  moved.set(values.subarray(by))
  return moved
}

/** Speakers of each powerset class of the model: nobody, one of three, or two at once. */
const classSpeakers: readonly (readonly number[])[] = [[], [0], [1], [2], [0, 1], [0, 2], [1, 2]]

/** Speakers per window of the model. */
const windowSpeakers = 3

/** Activity per speaker and frame (1 if speaking), by the most likely class. Layout of `scores`: frame, class. */
export function decodePowerset(scores: Float32Array, frames: number): Uint8Array[] {
  const active = Array.from({ length: windowSpeakers }, () => new Uint8Array(frames))
  const classes = classSpeakers.length
  for (let frame = 0; frame < frames; frame += 1) {
    let best = 0
    for (let each = 1; each < classes; each += 1) {
      if ((scores[frame * classes + each] ?? 0) > (scores[frame * classes + best] ?? 0)) best = each
    }
    for (const speaker of classSpeakers[best] ?? []) active[speaker]?.fill(1, frame, frame + 1)
  }
  return active
}
