import { availableParallelism } from 'node:os'
import type { VideoFacts } from '../../contract/media-facts.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { alphaDecoder } from './alpha-decoder.ts'
import { decodingRuns, type DecodingRun } from './decoding-runs.ts'
import { keyFramesBefore } from './key-frames.ts'
import { readFrames } from './read-frames.ts'

/** Frames to fetch: evenly spaced times, and the size to scale them to. */
interface FramesAtOptions {
  readonly video: VideoFacts
  /** In ms, rising. */
  readonly times: readonly number[]
  /** From one time to the next. */
  readonly stepMs: number
  readonly width: number
  readonly height: number
  readonly signal: AbortSignal | undefined
}

/** Pixels decoded in the 0.1 s that a process takes to start: measured with H.264 on two cores. */
const pixelsPerStart = 40e6

/**
 * Four-byte pixels (red, green, blue, alpha) of the frame on screen at each time, undefined where
 * none decodes. Key frames are jumped to where that is faster, nothing is decoded twice, and all
 * cores are used.
 */
export async function framesAt(path: string, wish: FramesAtOptions): Promise<(Uint8Array | undefined)[]> {
  const { video, times, signal } = wish
  const { num, den } = video.frame_rate
  const pixelsPerMs = (video.coded_width * video.coded_height * num) / den / 1000
  const startMs = pixelsPerStart / pixelsPerMs
  // One time needs no plan, and no jump is worth it where the whole is decoded faster than a process starts.
  const isNear = times.length === 1 || (times.at(-1) ?? 0) <= startMs
  const keyFrames = isNear ? [] : await keyFramesBefore(path, times, { signal })
  const runs = decodingRuns(times, keyFrames, startMs)
  const inTurn = limitConcurrency(availableParallelism())
  const decoded = await Promise.allSettled(runs.map((run) => inTurn(() => decodeRun(path, run, wish))))
  // Only now, when none reads the file any more.
  return decoded.flatMap((one) => {
    if (one.status === 'fulfilled') return one.value
    throw one.reason
  })
}

/** Of each process: longer than any client waits. */
const runTimeoutMs = 60_000

/**
 * An accurate seek would drop what lies before its time, and with it the frame still on screen then.
 * So reading starts at the key frame, the run's first time counts as 0, and fps picks for each time
 * the last frame up to it.
 */
async function decodeRun(
  path: string,
  run: DecodingRun,
  { video, stepMs, width, height, signal }: FramesAtOptions,
): Promise<(Uint8Array | undefined)[]> {
  const before = [...(await alphaDecoder(video)), '-noaccurate_seek', '-ss', String(run[0] / 1000)]
  const filters = `fps=${1000 / stepMs}:start_time=0:round=up`
  const count = run.length
  const job = { before, filters, count, timeoutMs: runTimeoutMs, signal }
  const frames = await readFrames(path, { width, height }, job)
  return run.map((_, index) => frames[index])
}
