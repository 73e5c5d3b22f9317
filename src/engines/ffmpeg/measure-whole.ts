import type { ProbeOptions } from './ffprobe.ts'
import { inputArgs, runWithReports } from './run.ts'

/** Time for reading a whole file whose header does not tell its length: 20 GB at 50 MB/s and some. */
const wholeFileTimeoutMs = 10 * 60_000

/** Reads streams of a whole file without decoding to learn when they end, and how many pictures they have. */
export async function measureStreams(
  path: string,
  streams: readonly string[],
  options: ProbeOptions,
): Promise<{ readonly durationMs: number; readonly frames: number }> {
  let [durationMs, frames] = [0, 0]
  await runWithReports(
    {
      args: [
        ...[...inputArgs(path), ...streams.flatMap((one) => ['-map', one])],
        ...['-c', 'copy', '-f', 'null', '-'],
      ],
      timeoutMs: wholeFileTimeoutMs,
      signal: options.signal,
    },
    (report) => {
      durationMs = Math.round(report.timeMs)
      frames = report.frames
    },
  )
  return { durationMs, frames }
}
