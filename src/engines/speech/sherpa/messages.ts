import type { MonoAudio } from '../../../media/speech/speech-types.ts'

/** Settings of sherpa-onnx under its own names. Booleans are 0 and 1, as it does not accept `true`. */
export type SherpaSettings = { readonly [name: string]: string | number | SherpaSettings }

/** Kind of model that a sherpa-onnx process runs. */
export type SherpaModelKind = 'recogniser' | 'embedding' | 'denoiser' | 'voice'

/** First message to the process: the folder that contains the engine's `node_modules`, and the model to load. */
export interface SherpaLoadRequest {
  readonly engine: string
  readonly kind: SherpaModelKind
  readonly settings: SherpaSettings
}

/** Request to the loaded model, one at a time. */
export interface SherpaRequest extends MonoAudio {
  /** For speech synthesis: text, transcript of the reference samples, and speed. */
  readonly speak?: { readonly text: string; readonly reference: string; readonly speed: number }
}

/** Reply to either message; the result of loading is null. */
export type SherpaReply = { readonly result: unknown } | { readonly error: string }
