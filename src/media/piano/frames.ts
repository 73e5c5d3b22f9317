import { keyCount } from './note.ts'

/** Sample rate of the analysed sound, Hz, and samples per frame: 86 frames a second (as Basic Pitch). */
export const pianoSampleRate = 22_050
export const pianoFrameHop = 256

/** Partials measured per key. */
export const partialCount = 4

/** Analysis of one frame; arrays are indexed by key, 0 = A0. */
export interface PianoFrame {
  /** Probability of the model, 0 to 1, that the key is struck, and that it sounds. */
  readonly onsets: Float32Array
  readonly sounding: Float32Array
  /** Level of each partial, dB; index `key * partialCount + partial`. */
  readonly levels: Float32Array
}

/** Ring buffer of the latest frames. Frames outside it are silent. */
export class RecentFrames {
  readonly #frames: (PianoFrame | undefined)[]
  #count = 0

  constructor(kept: number) {
    this.#frames = Array.from({ length: kept })
  }

  /** Number of frames pushed so far. */
  get count(): number {
    return this.#count
  }

  /** Copies a frame, so that the caller may reuse its arrays. */
  push(frame: PianoFrame): void {
    const kept = (this.#frames[this.#count % this.#frames.length] ??= emptyFrame())
    kept.onsets.set(frame.onsets)
    kept.sounding.set(frame.sounding)
    kept.levels.set(frame.levels)
    this.#count += 1
  }

  /** Frame by its index since the first push. */
  at(index: number): PianoFrame {
    if (index < 0 || index >= this.#count || index < this.#count - this.#frames.length) return silentFrame
    return this.#frames[index % this.#frames.length] ?? silentFrame
  }
}

/** Lowest level, dB. */
export const silenceDb = -100

function emptyFrame(): PianoFrame {
  return {
    onsets: new Float32Array(keyCount),
    sounding: new Float32Array(keyCount),
    levels: new Float32Array(keyCount * partialCount).fill(silenceDb),
  }
}

export const silentFrame = emptyFrame()
