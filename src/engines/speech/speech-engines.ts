import type { LanguageCandidate, RecognitionResult, MonoAudio } from '../../media/speech/speech-types.ts'

/** Recording whose voice is cloned. */
export interface VoiceReference extends MonoAudio {
  /** Transcript of the recording. */
  readonly text: string
  /** Contract language: zh-CN, zh-HK, en-US, ja-JP or ko-KR. */
  readonly language: string
}

/** A sentence to synthesize in the voice of a reference. */
export interface Utterance {
  readonly text: string
  readonly language: string
  readonly reference: VoiceReference
  /** 1 is the speed of the voice, 2 twice as fast. */
  readonly speed: number
}

/** An opened engine. */
interface Engine extends AsyncDisposable {
  /** Name reported in results: `sense-voice`, `whisper-1 at 127.0.0.1:8000`. */
  readonly name: string
}

/** Options of a call of an engine. */
export interface SpeechCallOptions {
  readonly signal: AbortSignal
}

/** A speech recogniser: a local model or a transcription service. */
export interface Recogniser extends Engine {
  /** Longest sound per request, seconds. */
  readonly maxSeconds: number
  /** Recognises speech in mono sound at 16 kHz. Without `language` (a contract language) the engine detects it. */
  recognise(
    sound: Float32Array,
    options: SpeechCallOptions & { readonly language?: string },
  ): Promise<RecognitionResult>
}

/** Identifies the spoken language of a recording. */
export interface LanguageIdentifier extends Engine {
  /** The five most likely languages of at most 30 s of mono sound at 16 kHz, most likely first. */
  identify(sound: Float32Array, options: SpeechCallOptions): Promise<readonly LanguageCandidate[]>
}

/** A voice engine that synthesizes speech in the voice of a recording. */
export interface VoiceCloner extends Engine {
  /** Contract languages it supports. */
  readonly languages: readonly string[]
  /**
   * Synthesizes a sentence in the voice of its reference, as mono sound at the sample rate of the engine. Throws 6401
   * if the engine fails or does not support the language, 6402 if its result is invalid.
   */
  speak(utterance: Utterance, options: SpeechCallOptions): Promise<MonoAudio>
}
