/** Sample rate of the input of speech engines, Hz: mono, samples from -1 to 1. */
export const speechRate = 16_000

/** A half-open span of a recording, seconds from its start. */
export interface TimeSpan {
  readonly start: number
  readonly end: number
}

/** A word with its time; in Chinese and Japanese a character. */
export interface TimedWord extends TimeSpan {
  readonly text: string
}

/** Recognised speech of a piece of sound. */
export interface RecognitionResult {
  readonly text: string
  /** In order, without overlaps, within the sound. */
  readonly words: readonly TimedWord[]
  /** Whether the engine reported word times; otherwise they are distributed by length. */
  readonly timed: boolean
  /** 0 to 1; null if the engine reports none. */
  readonly confidence: number | null
  /** Language code of the engine, usually ISO 639; null if it reports none. */
  readonly language: string | null
}

/** Recognised speech of a span of a recording; times are relative to the recording. */
export interface RecognisedSegment extends RecognitionResult {
  readonly span: TimeSpan
}

/** A candidate language of a piece of sound. */
export interface LanguageCandidate {
  /** Language code of the engine, ISO 639-1 if one exists. */
  readonly language: string
  /** Probability among all languages of the engine, 0 to 1. */
  readonly probability: number
}

/** A span in which one person speaks. */
export interface SpeakerTurn extends TimeSpan {
  /** Number of the speaker, from 0 in order of first speech. */
  readonly speaker: number
}

/** Mono sound with its sample rate. */
export interface MonoAudio {
  readonly samples: Float32Array
  /** Hz. */
  readonly rate: number
}
