import type { Samples } from '../../../media/speech/spoken.ts'

/** Settings of sherpa-onnx, by its own names; switches are 0 and 1, as it does not know `true`. */
export type Settings = { readonly [name: string]: string | number | Settings }

/** What a process of sherpa-onnx is for. */
export type Part = 'recogniser' | 'embedding' | 'denoiser' | 'voice'

/** What such a process is told first: the folder above the engine's `node_modules`, and what to open. */
export interface Opening {
  readonly engine: string
  readonly part: Part
  readonly settings: Settings
}

/** What it is asked then, one at a time. */
export interface Question extends Samples {
  /** For a voice: what to say, what is said in the samples, and how fast. */
  readonly say?: { readonly text: string; readonly reference: string; readonly speed: number }
}

/** What it answers, also to its opening, where nothing is told. */
export type Reply = { readonly told: unknown } | { readonly failed: string }
