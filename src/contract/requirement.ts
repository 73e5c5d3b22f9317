import type { SpokenLanguage, VoiceLanguage } from './languages.ts'

/** One thing that must be installed or configured before a request can run. `engines/readiness.ts` checks it. */
export type Requirement = {
  /**
   * Optional, but used by usual requests: installed by the same command when something required is missing, and counted
   * as a download on first use.
   */
  readonly recommended?: true
  /** Used if there is one; requests also run without it. Only a language model and an embedding model can be optional. */
  readonly optional?: true
} & (
  | {
      /**
       * `ffmpeg`: with the parts that every operation uses. `canvas`: the drawing library. `text-detection`: model and
       * runtime. `piano-transcriber`, `piano-sound`, `language-identifier`, `embedding-model`: any engine of that kind.
       */
      readonly kind:
        | 'ffmpeg'
        | 'chromium'
        | 'canvas'
        | 'text-detection'
        | 'piano-transcriber'
        | 'piano-sound'
        | 'language-identifier'
        | 'language-model'
        | 'embedding-model'
    }
  /** ffmpeg's filters that map an HDR file to standard range. */
  | { readonly kind: 'tone-mapping'; readonly file: string }
  | {
      readonly kind: 'ffmpeg-encoders' | 'ffmpeg-filters'
      readonly names: readonly string[]
      /** Reason, the start of the error message. */
      readonly because: string
      /** Alternative without them, the end of the fix. */
      readonly instead: string
    }
  /** A pack, by its name in the manifest: installed, or small enough to be downloaded on first use. */
  | { readonly kind: 'pack'; readonly name: PackRequirement; readonly instead?: Alternative }
  /** Runtime of these models, if the user configured any of them. */
  | { readonly kind: 'own-models'; readonly names: readonly ('inpainting' | 'optical-flow')[] }
  | {
      readonly kind: 'speech-recogniser'
      readonly language: SpokenLanguage
      readonly instead?: Alternative
    }
  /** An engine that synthesizes `language` from a reference in `reference`. */
  | { readonly kind: 'voice-cloner'; readonly language: VoiceLanguage; readonly reference: VoiceLanguage }
  /**
   * A voice of the catalogue, by its id, and what speaks it. The voice and its language are values of the request: they
   * are checked before everything else.
   */
  | { readonly kind: 'catalogue-voice'; readonly id: string; readonly language: string }
)

/** What works without the requirement: a sentence, which ends the fix of the error. */
type Alternative = string

type PackRequirement =
  | 'onnx-runtime'
  | 'voice-activity'
  | 'speaker-segmentation'
  | 'face-detection'
  | 'voice-separation'
