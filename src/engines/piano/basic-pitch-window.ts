/** Samples and frames of a window of the model, which is fixed. */
export const window = { samples: 43_844, frames: 172 } as const

/** Frames at both ends of a window that do not count, as too little is heard around them: 0.17 s. */
export const margin = 15

export const counted = window.frames - 2 * margin

/** What is known of the frames of a window that count, one after another. */
export interface Looked {
  /** 0 to 1, by keys. */
  readonly onsets: Float32Array<ArrayBuffer>
  readonly sounding: Float32Array<ArrayBuffer>
  /** dB, by keys and their partials. */
  readonly levels: Float32Array<ArrayBuffer>
}
