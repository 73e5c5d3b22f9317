/** When something is to be seen, in seconds. */
interface TimeRange {
  readonly start: number
  readonly duration: number
}

/** Frames on which something is to be seen: from `first`, before `end`. */
export interface FrameSpan {
  readonly first: number
  readonly end: number
}

/** Rounding of times in decimals, in frames. */
const roundingTolerance = 1e-6

/** Frames whose time t = frame / fps lies in [start, start + duration), of an output of so many. */
export function frameSpan(
  { start, duration }: TimeRange,
  { fps, frames }: { fps: number; frames: number },
): FrameSpan {
  const first = Math.max(0, Math.ceil(start * fps - roundingTolerance))
  const end = Math.min(frames, Math.ceil((start + duration) * fps - roundingTolerance))
  return { first, end: Math.max(first, end) }
}

/** Seconds since the start of something, at a frame. */
export function particleTime({ start }: TimeRange, frame: number, fps: number): number {
  return Math.max(0, frame / fps - start)
}

/** Frames of one run, which wait for those before them, and bytes that they take where nothing can be compressed. */
const runLimits = { frames: 24, bytes: 64 * 2 ** 20 }

/** How many frames of a size make up a run, at the most. */
export function maxRunFrames({ width, height }: { width: number; height: number }): number {
  return Math.max(1, Math.min(runLimits.frames, Math.floor(runLimits.bytes / (width * height * 4))))
}

/**
 * All frames that the spans cover, in order, in runs of at most so many. Workers take one run after another, so
 * that what is ready early waits for little, whatever the length of the whole.
 */
export function splitIntoRuns(spans: readonly FrameSpan[], longest: number): FrameSpan[] {
  const runs: FrameSpan[] = []
  let reached = 0
  for (const { first, end } of spans.toSorted((one, other) => one.first - other.first)) {
    for (let from = Math.max(first, reached); from < end; from += longest) {
      const last = runs.at(-1)
      const to = Math.min(end, from + longest)
      // What follows on a short run goes on with it.
      if (last && last.end === from && last.end - last.first + to - from <= longest) {
        runs[runs.length - 1] = { first: last.first, end: to }
      } else runs.push({ first: from, end: to })
    }
    reached = Math.max(reached, end)
  }
  return runs
}
