import type { LanguageCandidate, RecognitionResult, MonoAudio } from '../../media/speech/speech-types.ts'

/** What a voice is copied from. */
export interface VoiceReference extends MonoAudio {
  /** What is said in it. */
  readonly text: string
  /** As the contract writes it: zh-CN, zh-HK, en-US, ja-JP, ko-KR. */
  readonly language: string
}

/** A sentence to be spoken in somebody's voice. */
export interface Utterance {
  readonly text: string
  readonly language: string
  readonly reference: VoiceReference
  /** 1 is the voice's own pace, 2 twice as fast. */
  readonly speed: number
}

interface Engine extends AsyncDisposable {
  /** As results name it: `sense-voice`, `whisper-1 at 127.0.0.1:8000`. */
  readonly name: string
}

export interface SpeechCallOptions {
  readonly signal: AbortSignal
}

export interface Recogniser extends Engine {
  /** Most sound it takes at once, seconds. */
  readonly longest: number
  /** What is said in sound of 16 kHz. `language` as the contract writes it; left out, the engine finds it. */
  recognise(
    sound: Float32Array,
    wish: SpeechCallOptions & { readonly language?: string },
  ): Promise<RecognitionResult>
}

export interface LanguageIdentifier extends Engine {
  /** The five likeliest languages of at most 30 s of sound of 16 kHz, the likeliest first. */
  identify(sound: Float32Array, wish: SpeechCallOptions): Promise<readonly LanguageCandidate[]>
}

export interface VoiceCloner extends Engine {
  /** Languages it speaks, as the contract writes them. */
  readonly languages: readonly string[]
  speak(utterance: Utterance, wish: SpeechCallOptions): Promise<MonoAudio>
}
