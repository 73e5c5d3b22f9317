import { availableParallelism } from 'node:os'
import type { VideoFacts } from '../../contract/media-facts.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { alphaDecoder } from './alpha-decoder.ts'
import { decodingRuns, type DecodingRun } from './decoding-runs.ts'
import { keyFramesBefore } from './key-frames.ts'
import { readFrames } from './read-frames.ts'

/** Frames to decode: evenly spaced times and a target size in pixels. */
interface FramesAtOptions {
  readonly video: VideoFacts
  /** Times in ms, ascending. */
  readonly times: readonly number[]
  /** Distance between consecutive times, ms. */
  readonly stepMs: number
  readonly width: number
  readonly height: number
  readonly signal: AbortSignal | undefined
}

/** Pixels decoded in the 0.1 s that a process takes to start. Measured with H.264 on two cores. */
const pixelsPerStart = 40e6

/**
 * Returns the frame shown at each time as RGBA (4 bytes per pixel, row by row), or undefined if it does not
 * decode. Seeks to key frames where that is faster, decodes nothing twice and uses all cores.
 */
export async function framesAt(path: string, wish: FramesAtOptions): Promise<(Uint8Array | undefined)[]> {
  const { video, times, signal } = wish
  const { num, den } = video.frame_rate
  const pixelsPerMs = (video.coded_width * video.coded_height * num) / den / 1000
  const startMs = pixelsPerStart / pixelsPerMs
  // A single time needs no plan. No seek pays off if decoding everything is faster than starting a process.
  const isNear = times.length === 1 || (times.at(-1) ?? 0) <= startMs
  const keyFrames = isNear ? [] : await keyFramesBefore(path, times, { signal })
  const runs = decodingRuns(times, keyFrames, startMs)
  const inTurn = limitConcurrency(availableParallelism())
  const decoded = await Promise.allSettled(runs.map((run) => inTurn(() => decodeRun(path, run, wish))))
  // Rejects only after every process has ended, so that nothing reads the file any more.
  return decoded.flatMap((one) => {
    if (one.status === 'fulfilled') return one.value
    throw one.reason
  })
}

/** Time limit of each process, ms: longer than any client waits. */
const runTimeoutMs = 60_000

/**
 * Decodes one run. An accurate seek would drop the frame that is still shown at the requested time. Decoding
 * therefore starts at the key frame, the run's first time counts as 0, and fps picks the last frame at or
 * before each time.
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
