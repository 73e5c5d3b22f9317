import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { queryFfprobe, parseFfprobe, type ProbeOptions } from './ffprobe.ts'

const keyFramePackets = z.object({
  packets: z.array(z.object({ pts_time: z.coerce.number().optional() })).default([]),
  format: z.object({ start_time: z.coerce.number().catch(0) }),
})

/**
 * Returns the key frame from which each time is decoded, ms, according to the file's index, or the time
 * itself if none is known. Uses one process that seeks and decodes nothing. The result is an estimate,
 * because the seek positions ignore a start time other than 0.
 */
export async function keyFramesBefore(
  path: string,
  times: readonly number[],
  options: ProbeOptions,
): Promise<number[]> {
  // Each seek reads the packet of the key frame.
  const intervals = times.map((time) => `${time / 1000}%+#1`).join(',')
  const question = ['-select_streams', 'V:0', '-read_intervals', intervals]
  try {
    const { text } = await queryFfprobe(
      path,
      [...question, '-show_entries', 'packet=pts_time:format=start_time'],
      options,
    )
    const { packets: found, format } = parseFfprobe(keyFramePackets, text)
    const keyFrames = found.flatMap(({ pts_time }) =>
      pts_time === undefined ? [] : [(pts_time - format.start_time) * 1000],
    )
    return lastKeyFrames(times, keyFrames)
  } catch (error) {
    if (!(error instanceof MediaError) || error.code !== 6017) throw error
    return [...times]
  }
}

/** Returns the last key frame at or before each time, ms, or the time itself if there is none. */
function lastKeyFrames(times: readonly number[], keyFrames: readonly number[]): number[] {
  return times.map((time) => {
    const before = keyFrames.filter((one) => one <= time)
    return before.length > 0 ? Math.max(...before) : time
  })
}

/** Number of times at which the seek distance is sampled. The mean is off by 10 to 20 %. */
const seekSamples = 8

/** Time limit, ms. A file that does not support seeking would otherwise be read completely. */
const seekTimeoutMs = 10_000

/**
 * Returns the mean distance from the preceding key frame to a time of the video, ms, or undefined after a
 * timeout.
 */
export async function meanSeekDistance(
  path: string,
  durationMs: number,
  options: ProbeOptions,
): Promise<number | undefined> {
  const times = seekSampleTimes(durationMs)
  const patience = AbortSignal.timeout(seekTimeoutMs)
  const signal = options.signal ? AbortSignal.any([options.signal, patience]) : patience
  try {
    return meanDistance(times, await keyFramesBefore(path, times, { signal }))
  } catch (error) {
    if (error === patience.reason) return undefined
    throw error
  }
}

/** Returns the times at which the seek distance is sampled, ms, evenly spaced. */
export function seekSampleTimes(durationMs: number): number[] {
  return Array.from({ length: seekSamples }, (_, index) => ((index + 0.5) / seekSamples) * durationMs)
}

/** Returns the mean distance from the last preceding key frame to each time, ms. */
export function meanDistance(times: readonly number[], keyFrames: readonly number[]): number {
  const before = lastKeyFrames(times, keyFrames)
  return times.reduce((sum, time, index) => sum + time - (before[index] ?? time), 0) / times.length
}
