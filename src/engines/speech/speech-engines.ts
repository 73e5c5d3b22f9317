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

interface Engine extends AsyncDisposable {
  /** Name reported in results: `sense-voice`, `whisper-1 at 127.0.0.1:8000`. */
  readonly name: string
}

export interface SpeechCallOptions {
  readonly signal: AbortSignal
}

export interface Recogniser extends Engine {
  /** Longest sound per request, seconds. */
  readonly longest: number
  /** Recognises speech in mono sound at 16 kHz. Without `language` (a contract language) the engine detects it. */
  recognise(
    sound: Float32Array,
    options: SpeechCallOptions & { readonly language?: string },
  ): Promise<RecognitionResult>
}

export interface LanguageIdentifier extends Engine {
  /** The five most likely languages of at most 30 s of mono sound at 16 kHz, most likely first. */
  identify(sound: Float32Array, options: SpeechCallOptions): Promise<readonly LanguageCandidate[]>
}

export interface VoiceCloner extends Engine {
  /** Contract languages it supports. */
  readonly languages: readonly string[]
  speak(utterance: Utterance, options: SpeechCallOptions): Promise<MonoAudio>
}
