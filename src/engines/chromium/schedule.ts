/** When something is to be seen, in seconds. */
interface Shown {
  readonly start: number
  readonly duration: number
}

/** Frames on which something is to be seen: from `first`, before `end`. */
export interface Span {
  readonly first: number
  readonly end: number
}

/** Rounding of times in decimals, in frames. */
const tolerance = 1e-6

/** Frames whose time t = frame / fps lies in [start, start + duration), of an output of so many. */
export function spanOf({ start, duration }: Shown, { fps, frames }: { fps: number; frames: number }): Span {
  const first = Math.max(0, Math.ceil(start * fps - tolerance))
  const end = Math.min(frames, Math.ceil((start + duration) * fps - tolerance))
  return { first, end: Math.max(first, end) }
}

/** Seconds since the start of something, at a frame. */
export function localTime({ start }: Shown, frame: number, fps: number): number {
  return Math.max(0, frame / fps - start)
}

/** Frames of one run, which wait for those before them, and bytes that they take where nothing can be compressed. */
const run = { frames: 24, bytes: 64 * 2 ** 20 }

/** How many frames of a size make up a run, at the most. */
export function longestRun({ width, height }: { width: number; height: number }): number {
  return Math.max(1, Math.min(run.frames, Math.floor(run.bytes / (width * height * 4))))
}

/**
 * All frames that the spans cover, in order, in runs of at most so many. Workers take one run after another, so
 * that what is ready early waits for little, whatever the length of the whole.
 */
export function runsOf(spans: readonly Span[], longest: number): Span[] {
  const runs: Span[] = []
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
