import { MediaError } from '../../contract/errors.ts'
import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import { pictureEnd, firstFrameIndex, constantRate, timeTolerance } from '../frame-rate.ts'

/** The frames of a video at a constant rate, and their times. */
export interface FrameGrid {
  readonly rate: Rational
  /** Number of frames counted from the start of the file, and end of the picture in seconds. */
  readonly count: number
  readonly end: number
  /**
   * Index of the first frame that exists, and its start time in ms, which may differ from the nominal time of that
   * index.
   */
  readonly first: number
  readonly startMs: number
}

/** Frame grid of a still image: one frame of 1 s. */
export const stillGrid: FrameGrid = { rate: { num: 1, den: 1 }, count: 1, end: 1, first: 0, startMs: 0 }

/** Returns the frame grid of a video at its constant rate. */
export function videoFrameGrid(video: VideoFacts): FrameGrid {
  const rate = constantRate(video)
  const end = pictureEnd(video)
  const count = Math.max(1, Math.floor(((end + 2 * timeTolerance) * rate.num) / rate.den))
  const first = Math.min(count - 1, firstFrameIndex(video, rate))
  return { rate, count, end, first, startMs: video.start_ms }
}

/** Returns the index of the frame shown at each time, in seconds. Throws 6016 for a time at or after the end. */
export function frameIndexesAt(
  times: readonly number[],
  { rate, count, end }: FrameGrid,
  name: string,
): number[] {
  const late = times.find((time) => time >= end)
  if (late !== undefined) {
    throw new MediaError(6016, `at: ${late} is not before the end of ${name} (${end} s)`, {
      hint: `Give times below ${end}, or omit at.`,
    })
  }
  return times.map((time) => Math.min(count - 1, Math.floor(((time + timeTolerance) * rate.num) / rate.den)))
}
