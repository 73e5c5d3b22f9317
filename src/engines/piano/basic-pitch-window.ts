import { partials } from '../../media/piano/frames.ts'
import { keys } from '../../media/piano/note.ts'

/** Samples and frames of a window of the model, which is fixed. */
export const window = { samples: 43_844, frames: 172 } as const

/** Frames at both ends of a window that do not count, as too little is heard around them: 0.17 s. */
export const margin = 15

export const counted = window.frames - 2 * margin

/**
 * A window and what is known of its frames that count, one after another. A thread and who asks it share the memory,
 * which serves one window after another: what each left to be collected would pile up, as little is seen of it.
 */
export interface Look {
  readonly samples: Float32Array
  /** 0 to 1, by keys. */
  readonly onsets: Float32Array
  readonly sounding: Float32Array
  /** dB, by keys and their partials. */
  readonly levels: Float32Array
}

export function newLook(): Look {
  const shared = (length: number) => new Float32Array(new SharedArrayBuffer(4 * length))
  return {
    samples: shared(window.samples),
    ...{ onsets: shared(counted * keys), sounding: shared(counted * keys) },
    levels: shared(counted * keys * partials),
  }
}
