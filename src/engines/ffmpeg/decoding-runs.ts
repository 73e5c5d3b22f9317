/** Times that one decoding passes, in ms, rising. */
export type DecodingRun = readonly [number, ...number[]]

/**
 * Splits rising times into runs, each decoded from the key frame before its first time to its last:
 * the next time belongs to the same run unless a jump to its own key frame skips more than a new
 * process costs. No stretch is decoded twice.
 *
 * @param keyFrameBefore key frame before each time, ms; where it is left out, the time itself counts
 * @param startMs how much video is decoded in the time that a process takes to start, ms
 */
export function decodingRuns(
  times: readonly number[],
  keyFrameBefore: readonly number[],
  startMs: number,
): DecodingRun[] {
  const runs: [number, ...number[]][] = []
  for (const [index, time] of times.entries()) {
    const run = runs.at(-1)
    const skipped = (keyFrameBefore[index] ?? time) - (run?.at(-1) ?? -Infinity)
    if (run && skipped <= startMs) run.push(time)
    else runs.push([time])
  }
  return runs
}
