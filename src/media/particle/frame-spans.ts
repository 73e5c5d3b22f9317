/** Time in which something is visible, in seconds. */
interface VisibleTime {
  readonly start: number
  readonly duration: number
}

/** Frames on which something is visible: from `first` to before `end`. */
export interface FrameSpan {
  readonly first: number
  readonly end: number
}

/** Tolerance for times rounded to decimals, in frames. */
const roundingTolerance = 1e-6

/** Returns the frames whose time frame / fps is in [start, start + duration), limited to `frames` frames. */
export function frameSpan(
  { start, duration }: VisibleTime,
  { fps, frames }: { fps: number; frames: number },
): FrameSpan {
  const first = Math.max(0, Math.ceil(start * fps - roundingTolerance))
  const end = Math.min(frames, Math.ceil((start + duration) * fps - roundingTolerance))
  return { first, end: Math.max(first, end) }
}

/** Returns the seconds from a particle's start to a frame, at least 0. */
export function particleTime({ start }: VisibleTime, frame: number, fps: number): number {
  return Math.max(0, frame / fps - start)
}

/** Most frames of one run, and most bytes of its pictures if nothing can be compressed. */
const runLimits = { frames: 24, bytes: 64 * 2 ** 20 }

/** Returns the number of frames of this size in one run, 1 to 24. */
export function maxRunFrames({ width, height }: { width: number; height: number }): number {
  return Math.max(1, Math.min(runLimits.frames, Math.floor(runLimits.bytes / (width * height * 4))))
}

/**
 * Splits the frames covered by any span into runs of at most `longest` frames, in order. Workers capture one run after
 * another, so few finished frames wait for earlier ones.
 */
export function splitIntoRuns(spans: readonly FrameSpan[], longest: number): FrameSpan[] {
  const runs: FrameSpan[] = []
  let reached = 0
  for (const { first, end } of spans.toSorted((one, other) => one.first - other.first)) {
    for (let from = Math.max(first, reached); from < end; from += longest) {
      const last = runs.at(-1)
      const to = Math.min(end, from + longest)
      // Extend a short run that ends where this one begins.
      if (last && last.end === from && last.end - last.first + to - from <= longest) {
        runs[runs.length - 1] = { first: last.first, end: to }
      } else runs.push({ first: from, end: to })
    }
    reached = Math.max(reached, end)
  }
  return runs
}
