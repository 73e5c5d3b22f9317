/** Rate of the sound that speech engines hear, Hz: one channel, samples from -1 to 1. */
export const speechRate = 16_000

/** A part of a recording, in seconds from its start; half open. */
export interface TimeSpan {
  readonly start: number
  readonly end: number
}

/** A word as it was spoken; in Chinese and Japanese a character. */
export interface TimedWord extends TimeSpan {
  readonly text: string
}

/** What was said in a piece of sound. */
export interface RecognitionResult {
  readonly text: string
  /** In order, none overlapping, within the sound. */
  readonly words: readonly TimedWord[]
  /** Whether the engine told when each word was spoken; else its time is shared out by length. */
  readonly timed: boolean
  /** 0 to 1; null where the engine tells none. */
  readonly confidence: number | null
  /** As the engine names it (ISO 639 as a rule); null where it tells none. */
  readonly language: string | null
}

/** A language that a piece of sound may be in. */
export interface LanguageCandidate {
  /** As the engine names it, ISO 639-1 where there is one. */
  readonly language: string
  /** 0 to 1, over all languages that the engine knows. */
  readonly probability: number
}

/** A part of a recording in which one person speaks. */
export interface SpeakerTurn extends TimeSpan {
  /** Counted from 0 in the order of their first words. */
  readonly speaker: number
}

/** Sound of one channel at its own rate. */
export interface MonoAudio {
  readonly samples: Float32Array
  /** Hz. */
  readonly rate: number
}
