import { partialCount } from '../../media/piano/frames.ts'
import { keyCount } from '../../media/piano/note.ts'

/** Samples and frames of a window; fixed by the model. */
export const basicPitchWindow = { samples: 43_844, frames: 172 } as const

/** Frames discarded at both ends of a window, because their context is incomplete: 0.17 s. */
export const marginFrames = 15

/** Frames of a window that are analysed: those between the margins. */
export const countedFrames = basicPitchWindow.frames - 2 * marginFrames

/**
 * A window and the analysis of its counted frames. The main thread and a model thread share this memory and reuse it:
 * the garbage collector underestimates shared memory, so that new buffers per window would pile up.
 */
export interface WindowAnalysis {
  readonly samples: Float32Array
  /** Probabilities, 0 to 1. Layout: frame, key. */
  readonly onsets: Float32Array
  readonly sounding: Float32Array
  /** dB. Layout: frame, key, partial. */
  readonly levels: Float32Array
}

/** Allocates a window and its analysis in shared memory, filled with zeros. */
export function newWindowAnalysis(): WindowAnalysis {
  const shared = (length: number) => new Float32Array(new SharedArrayBuffer(4 * length))
  return {
    samples: shared(basicPitchWindow.samples),
    ...{ onsets: shared(countedFrames * keyCount), sounding: shared(countedFrames * keyCount) },
    levels: shared(countedFrames * keyCount * partialCount),
  }
}
