import type { MonoAudio } from '../../../media/speech/speech-types.ts'

/** Settings of sherpa-onnx, by its own names; switches are 0 and 1, as it does not know `true`. */
export type SherpaSettings = { readonly [name: string]: string | number | SherpaSettings }

/** What a process of sherpa-onnx is for. */
export type SherpaModelKind = 'recogniser' | 'embedding' | 'denoiser' | 'voice'

/** What such a process is told first: the folder above the engine's `node_modules`, and what to open. */
export interface SherpaLoadRequest {
  readonly engine: string
  readonly kind: SherpaModelKind
  readonly settings: SherpaSettings
}

/** What it is asked then, one at a time. */
export interface SherpaRequest extends MonoAudio {
  /** For a voice: what to say, what is said in the samples, and how fast. */
  readonly speak?: { readonly text: string; readonly reference: string; readonly speed: number }
}

/** What it answers, also to its opening, where nothing is told. */
export type SherpaReply = { readonly told: unknown } | { readonly failed: string }
