import { partialCount } from '../../media/piano/frames.ts'
import { keyCount } from '../../media/piano/note.ts'

/** Samples and frames of a window of the model, which is fixed. */
export const basicPitchWindow = { samples: 43_844, frames: 172 } as const

/** Frames at both ends of a window that do not count, as too little is heard around them: 0.17 s. */
export const marginFrames = 15

export const countedFrames = basicPitchWindow.frames - 2 * marginFrames

/**
 * A window and what is known of its frames that count, one after another. A thread and who asks it share the memory,
 * which serves one window after another: what each left to be collected would pile up, as little is seen of it.
 */
export interface WindowAnalysis {
  readonly samples: Float32Array
  /** 0 to 1, by keys. */
  readonly onsets: Float32Array
  readonly sounding: Float32Array
  /** dB, by keys and their partials. */
  readonly levels: Float32Array
}

export function newWindowAnalysis(): WindowAnalysis {
  const shared = (length: number) => new Float32Array(new SharedArrayBuffer(4 * length))
  return {
    samples: shared(basicPitchWindow.samples),
    ...{ onsets: shared(countedFrames * keyCount), sounding: shared(countedFrames * keyCount) },
    levels: shared(countedFrames * keyCount * partialCount),
  }
}
