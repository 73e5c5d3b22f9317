/** Frames, of those that two windows share, in which a voice must be heard by both to be one, and their share of all. */
const minSharedFrames = 12
const minSharedFraction = 0.3

/** A stretch of frames in which a track speaks; half open. */
export interface TrackTurn {
  readonly track: number
  readonly start: number
  readonly end: number
}

/**
 * Follows voices from window to window by the frames that these share: a voice that is heard in the same frames is
 * the same. Each window begins so many frames after the one before; a voice that falls silent for a window is lost.
 */
export class SpeakerTracker {
  /** What is settled: in the order in which they end. */
  readonly turns: TrackTurn[] = []
  /** Pairs of tracks that a window told apart, as `one other`, the lower first. */
  readonly apart = new Set<string>()
  readonly #window: number
  readonly #hop: number
  /** By track, in how many windows it speaks, for each frame of the window that was last. */
  #votes = new Map<number, Uint8Array>()
  /** How many windows told of each of these frames. */
  #told: Uint8Array
  #open = new Map<number, number>()
  #begin = 0
  #tracks = 0
  #isFirst = true

  constructor({ window, hop }: { readonly window: number; readonly hop: number }) {
    this.#window = window
    this.#hop = hop
    this.#told = new Uint8Array(window)
  }

  /** Takes the next window: for each voice in it the frames in which it speaks. Answers their tracks. */
  add(voices: readonly Uint8Array[]): number[] {
    if (!this.#isFirst) this.#settle(this.#hop)
    this.#isFirst = false
    for (let frame = 0; frame < this.#window; frame += 1) this.#told[frame] = (this.#told[frame] ?? 0) + 1
    const tracks = this.#match(voices)
    for (const [index, track] of tracks.entries()) {
      if (track < 0) continue
      const votes = this.#votes.get(track) ?? new Uint8Array(this.#window)
      this.#votes.set(track, votes)
      for (const [frame, speaks] of voices[index]?.entries() ?? [])
        votes[frame] = (votes[frame] ?? 0) + speaks
      for (const other of tracks) if (other > track) this.apart.add(`${track} ${other}`)
    }
    return tracks
  }

  /** Settles all that is left. */
  end(): void {
    this.#settle(this.#window)
    for (const [track, start] of this.#open) this.turns.push({ track, start, end: this.#begin })
    this.#open.clear()
  }

  /** The track of each voice: those that share most first, others are new; -1 for silent ones. */
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

  /** Decides by majority over the first frames, and moves on past them. */
  #settle(frames: number): void {
    for (let frame = 0; frame < frames; frame += 1) {
      for (const [track, votes] of this.#votes) {
        const speaks = (votes[frame] ?? 0) * 2 > (this.#told[frame] ?? 0)
        const start = this.#open.get(track)
        if (speaks && start === undefined) this.#open.set(track, this.#begin + frame)
        if (speaks || start === undefined) continue
        this.turns.push({ track, start, end: this.#begin + frame })
        this.#open.delete(track)
      }
    }
    this.#begin += frames
    this.#told = shiftLeft(this.#told, frames)
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

/** Who speaks, by classes of the model: nobody, one of three, or two of them at once. */
const classSpeakers: readonly (readonly number[])[] = [[], [0], [1], [2], [0, 1], [0, 2], [1, 2]]

/** Speakers that the model tells apart in a window. */
const windowSpeakers = 3

/** For each of the speakers of a window, in which frames they speak: the likeliest class of each frame. */
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
