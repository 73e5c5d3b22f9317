import { availableParallelism } from 'node:os'
import { MediaError } from '../../contract/errors.ts'
import type { VideoFacts } from '../../contract/media-facts.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { transparentSeekTime } from './alpha-seek.ts'
import { alphaDecoder } from './input-options.ts'
import { keyFramesBefore } from './quick-probe.ts'
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
export async function framesAt(path: string, options: FramesAtOptions): Promise<(Uint8Array | undefined)[]> {
  const { video, times, signal } = options
  const { num, den } = video.frame_rate
  const pixelsPerMs = (video.coded_width * video.coded_height * num) / den / 1000
  const startMs = pixelsPerStart / pixelsPerMs
  // A single time needs no plan. No seek pays off if decoding everything is faster than starting a process.
  const isNear = times.length === 1 || (times.at(-1) ?? 0) <= startMs
  const keyFrames = isNear ? [] : await keyFramesBefore(path, times, { signal })
  const runs = decodingRuns(times, keyFrames, startMs)
  const limited = limitConcurrency(availableParallelism())
  const decoded = await Promise.allSettled(runs.map((run) => limited(() => decodeRun(path, run, options))))
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
  const seconds = run[0] / 1000
  const from = (await transparentSeekTime(path, { video, seconds, signal })) ?? seconds
  const before = [...(await alphaDecoder(video)), '-noaccurate_seek', '-ss', String(from)]
  const shift = from < seconds ? `settb=AVTB,setpts=PTS-${(seconds - from).toFixed(6)}/TB,` : ''
  const filters = `${shift}fps=${1000 / stepMs}:start_time=0:round=up`
  const count = run.length
  const job = { before, filters, count, timeoutMs: runTimeoutMs, signal }
  const frames = await readFrames(path, { width, height }, job)
  return run.map((_, index) => frames[index])
}

/** Times covered by one decoding process, ms, ascending. */
type DecodingRun = readonly [number, ...number[]]

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

/** How to fetch frames at arbitrary times. */
interface FetchFramesOptions {
  /** Returns the frame at a time in ms as RGBA (4 bytes per pixel), or undefined if it does not decode. */
  readonly fetch: (ms: number, signal: AbortSignal) => Promise<Uint8Array | undefined>
  /** Aborts when the time for all frames is over. */
  readonly deadline: AbortSignal
  readonly signal: AbortSignal | undefined
}

/** Replaces a frame that was not decoded in time. The text is shown in its cell. */
export const frameTimedOut = 'not decoded in time'

/**
 * Fetches the frames at these times (ms), in their order. After the deadline no fetch starts, and running
 * ones are aborted. Throws 6402 if no frame was decoded in time and 6021 if none decodes.
 */
export async function fetchFrames(
  times: readonly number[],
  { fetch, deadline, signal }: FetchFramesOptions,
): Promise<(Uint8Array | typeof frameTimedOut | undefined)[]> {
  const combined = signal ? AbortSignal.any([signal, deadline]) : deadline
  const limited = limitConcurrency(availableParallelism())
  const fetched = await Promise.allSettled(
    times.map((ms) =>
      limited(async () => {
        if (deadline.aborted) return frameTimedOut
        try {
          return await fetch(ms, combined)
        } catch (error) {
          if (deadline.aborted && !signal?.aborted) return frameTimedOut
          throw error
        }
      }),
    ),
  )
  // Rejects only after every fetch has ended, so that nothing reads the file any more.
  const frames = fetched.map((one) => {
    if (one.status === 'fulfilled') return one.value
    throw one.reason
  })
  if (frames.some((one) => one instanceof Uint8Array)) return frames
  if (frames.includes(frameTimedOut)) {
    throw new MediaError(6402, 'none of these frames could be decoded in time', {
      hint: 'Request fewer times at once, or try again when the machine is less busy.',
    })
  }
  throw new MediaError(6021, 'none of these frames could be decoded', {
    hint: 'Request frames at other times.',
  })
}
