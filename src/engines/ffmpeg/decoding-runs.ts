/** Times covered by one decoding process, ms, ascending. */
export type DecodingRun = readonly [number, ...number[]]

/**
 * Splits ascending times into runs. Each run is decoded from the key frame before its first time to its last
 * time. The next time joins the current run unless a seek to its own key frame skips more video than a
 * process start costs. No part of the video is decoded twice.
 *
 * @param keyFrameBefore the key frame before each time, ms; default: the time itself
 * @param startMs video that could be decoded while a process starts, ms
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
