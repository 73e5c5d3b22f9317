import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { queryFfprobe, parseFfprobe, type ProbeOptions } from './ffprobe.ts'

const keyFramePackets = z.object({
  packets: z.array(z.object({ pts_time: z.coerce.number().optional() })).default([]),
  format: z.object({ start_time: z.coerce.number().catch(0) }),
})

/**
 * Where a decoder has to begin for each of these times, as far as the file's index tells: ms, the time
 * itself where nothing is told. One process that seeks and decodes nothing; for estimates, as a file
 * that does not begin at 0 is asked for other places.
 */
export async function keyFramesBefore(
  path: string,
  times: readonly number[],
  options: ProbeOptions,
): Promise<number[]> {
  // Each seek reads the key frame's packet.
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

/** The last key frame before each of some times; the time itself where there is none. */
function lastKeyFrames(times: readonly number[], keyFrames: readonly number[]): number[] {
  return times.map((time) => {
    const before = keyFrames.filter((one) => one <= time)
    return before.length > 0 ? Math.max(...before) : time
  })
}

/** Places of a file at which the way from the key frame is looked up; their mean is off by a tenth or two. */
const seekSamples = 8

/** A file that cannot be sought in would be read whole. */
const seekTimeoutMs = 10_000

/**
 * Mean way from the key frame where decoding has to begin to any time of a video, ms; undefined where that takes
 * too long to tell.
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

/** Times of a video at which the way from the key frame is looked up, ms. */
export function seekSampleTimes(durationMs: number): number[] {
  return Array.from({ length: seekSamples }, (_, index) => ((index + 0.5) / seekSamples) * durationMs)
}

/** Mean way to each of some times from the last key frame before it, ms. */
export function meanDistance(times: readonly number[], keyFrames: readonly number[]): number {
  const before = lastKeyFrames(times, keyFrames)
  return times.reduce((sum, time, index) => sum + time - (before[index] ?? time), 0) / times.length
}
