import { keyCount } from './note.ts'

/** Rate of the sound that is looked at, Hz, and samples from one look to the next: 86 looks a second. */
export const pianoSampleRate = 22_050
export const pianoFrameHop = 256

/** Partials of each key that are followed. */
export const partialCount = 4

/** What is known of one moment of the sound, by keys. */
export interface PianoFrame {
  /** 0 to 1: how sure a model is that a key is struck, and that it sounds. */
  readonly onsets: Float32Array
  readonly sounding: Float32Array
  /** Level of each partial of each key, dB; key by key. */
  readonly levels: Float32Array
}

/** The latest frames. Frames before the first, and after the last, are silent. */
export class RecentFrames {
  readonly #frames: (PianoFrame | undefined)[]
  #count = 0

  constructor(kept: number) {
    this.#frames = Array.from({ length: kept })
  }

  /** Frames pushed so far. */
  get count(): number {
    return this.#count
  }

  /** Takes what the frame holds now: whose it is may use it again. */
  push(frame: PianoFrame): void {
    const kept = (this.#frames[this.#count % this.#frames.length] ??= emptyFrame())
    kept.onsets.set(frame.onsets)
    kept.sounding.set(frame.sounding)
    kept.levels.set(frame.levels)
    this.#count += 1
  }

  /** A frame among the latest. */
  at(index: number): PianoFrame {
    if (index < 0 || index >= this.#count || index < this.#count - this.#frames.length) return silentFrame
    return this.#frames[index % this.#frames.length] ?? silentFrame
  }
}

/** Level of nothing, dB. */
export const silenceDb = -100

function emptyFrame(): PianoFrame {
  return {
    onsets: new Float32Array(keyCount),
    sounding: new Float32Array(keyCount),
    levels: new Float32Array(keyCount * partialCount).fill(silenceDb),
  }
}

export const silentFrame = emptyFrame()
