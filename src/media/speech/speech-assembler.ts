import type { TimeSpan } from './speech-types.ts'

/** A sentence in the sound that was assembled. */
export interface SentenceSpan extends TimeSpan {
  readonly text: string
}

/** What of a sentence counts as silence, of its loudest 10 ms: -40 dB. */
const silenceShare = 0.01

/** Left before the first and after the last sound of a sentence, as a breath or the end of a word is soft, seconds. */
const keptSeconds = 0.03

/** Over which each sentence comes in and goes out, so that nothing clicks, seconds. */
const fadeSeconds = 0.005

/** Window of which loudness is told, seconds. */
const levelWindowSeconds = 0.01

interface SpeechAssemblerOptions {
  /** Hz, of every sentence. */
  readonly rate: number
  /** Seconds between the end of a sentence and the beginning of the next one. */
  readonly pause: number
}

/** Puts spoken sentences one after another, each without the silence around it, with even pauses. */
export class SpeechAssembler {
  readonly #wish: SpeechAssemblerOptions
  readonly #placed: SentenceSpan[] = []
  #samples = 0

  constructor(wish: SpeechAssemblerOptions) {
    this.#wish = wish
  }

  /** Adds a sentence: the sound to be written next, the pause before it included. */
  add(text: string, spoken: Float32Array): Float32Array {
    const { rate, pause } = this.#wish
    const before = this.#placed.length === 0 ? 0 : Math.round(pause * rate)
    const sound = fadeEnds(trimSilence(spoken, rate), rate)
    const piece = new Float32Array(before + sound.length)
    piece.set(sound, before)
    const start = this.#samples + before
    this.#samples += piece.length
    this.#placed.push({ text, start: start / rate, end: this.#samples / rate })
    return piece
  }

  /** Hz. */
  get rate(): number {
    return this.#wish.rate
  }

  /** Where each sentence is heard. */
  get placed(): readonly SentenceSpan[] {
    return this.#placed
  }

  /** Of all so far, seconds. */
  get seconds(): number {
    return this.#samples / this.#wish.rate
  }
}

/** Sound from its first to its last part that is not silent. */
function trimSilence(samples: Float32Array, rate: number): Float32Array {
  const size = Math.max(1, Math.round(levelWindowSeconds * rate))
  const levels = Array.from({ length: Math.ceil(samples.length / size) }, (_, index) => {
    const part = samples.subarray(index * size, (index + 1) * size)
    return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length)
  })
  const least = silenceShare * levels.reduce((most, level) => Math.max(most, level), 0)
  const first = levels.findIndex((level) => level > least)
  if (first === -1) return samples.subarray(0, 0)
  const last = levels.findLastIndex((level) => level > least)
  const room = Math.round(keptSeconds * rate)
  return samples.subarray(
    Math.max(0, first * size - room),
    Math.min(samples.length, (last + 1) * size + room),
  )
}

/** A copy of sound that comes in and goes out. */
function fadeEnds(samples: Float32Array, rate: number): Float32Array {
  const soft = samples.slice()
  const length = Math.min(Math.round(fadeSeconds * rate), Math.floor(soft.length / 2))
  for (let at = 0; at < length; at += 1) {
    const gain = (at + 0.5) / length
    soft[at] = (soft[at] ?? 0) * gain
    const back = soft.length - 1 - at
    soft[back] = (soft[back] ?? 0) * gain
  }
  return soft
}
