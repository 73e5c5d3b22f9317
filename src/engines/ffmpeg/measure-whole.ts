import type { ProbeOptions } from './ffprobe.ts'
import { inputArgs, runWithReports } from './run.ts'

/** Time limit for reading a whole file, ms. Suffices for 20 GB at 50 MB/s, plus a margin. */
const wholeFileTimeoutMs = 10 * 60_000

/** Reads streams of a whole file without decoding. Returns when they end, ms, and the number of pictures. */
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
