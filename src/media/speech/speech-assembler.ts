import type { TimeSpan } from './speech-types.ts'

/** A sentence and its span in the assembled sound. */
export interface SentenceSpan extends TimeSpan {
  readonly text: string
}

/** Silence relative to the loudest 10 ms of a sentence: -40 dB. */
const silenceShare = 0.01

/** Time kept before the first and after the last sound of a sentence, as word endings are soft, seconds. */
const keptSeconds = 0.03

/** Fade at both ends of a sentence against clicks, seconds. */
const fadeSeconds = 0.005

/** Window of the level measurement, seconds. */
const levelWindowSeconds = 0.01

interface SpeechAssemblerOptions {
  /** Sample rate of every sentence, Hz. */
  readonly rate: number
  /** Pause between sentences, seconds. */
  readonly pause: number
}

/** Joins spoken sentences with equal pauses; silence around each sentence is trimmed. */
export class SpeechAssembler {
  readonly #options: SpeechAssemblerOptions
  readonly #placed: SentenceSpan[] = []
  #samples = 0

  constructor(options: SpeechAssemblerOptions) {
    this.#options = options
  }

  /** Adds a sentence. Returns the samples to append, including the pause before it. */
  add(text: string, spoken: Float32Array): Float32Array {
    const { rate, pause } = this.#options
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
    return this.#options.rate
  }

  /** Span of each sentence. */
  get placed(): readonly SentenceSpan[] {
    return this.#placed
  }

  /** Duration so far, seconds. */
  get seconds(): number {
    return this.#samples / this.#options.rate
  }
}

/** Trims silence at both ends. */
function trimSilence(samples: Float32Array, rate: number): Float32Array {
  const { from, to } = soundSpan(samples, rate)
  return samples.subarray(from, to)
}

/** Span of mono speech without silence at its ends, in samples; empty for silence. rate: Hz. */
export function soundSpan(
  samples: Float32Array,
  rate: number,
): { readonly from: number; readonly to: number } {
  const size = Math.max(1, Math.round(levelWindowSeconds * rate))
  const levels = Array.from({ length: Math.ceil(samples.length / size) }, (_, index) => {
    const part = samples.subarray(index * size, (index + 1) * size)
    return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length)
  })
  const least = silenceShare * levels.reduce((most, level) => Math.max(most, level), 0)
  const first = levels.findIndex((level) => level > least)
  if (first === -1) return { from: 0, to: 0 }
  const last = levels.findLastIndex((level) => level > least)
  const room = Math.round(keptSeconds * rate)
  return {
    from: Math.max(0, first * size - room),
    to: Math.min(samples.length, (last + 1) * size + room),
  }
}

/** Copy of the sound, faded in and out. */
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
