import { MediaError } from '../../contract/errors.ts'
import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import { pictureEnd, firstFrameIndex, constantRate, timeTolerance } from '../frame-rate.ts'

/** The frames of a picture, and when they are. */
export interface FrameGrid {
  readonly rate: Rational
  /** Frames from the start of the file on, and where the picture ends, s. */
  readonly count: number
  readonly end: number
  /** The first frame there is, and when that begins, ms: not always with the frame it counts as. */
  readonly first: number
  readonly startMs: number
}

/** That of a still picture. */
export const stillGrid: FrameGrid = { rate: { num: 1, den: 1 }, count: 1, end: 1, first: 0, startMs: 0 }

/** That of a video, at the rate at which it is cleaned. */
export function videoFrameGrid(video: VideoFacts): FrameGrid {
  const rate = constantRate(video)
  const end = pictureEnd(video)
  const count = Math.max(1, Math.floor(((end + 2 * timeTolerance) * rate.num) / rate.den))
  const first = Math.min(count - 1, firstFrameIndex(video, rate))
  return { rate, count, end, first, startMs: video.start_ms }
}

/** The frames that show at these times. Throws 6016 for one after the end. */
export function frameIndexesAt(
  times: readonly number[],
  { rate, count, end }: FrameGrid,
  name: string,
): number[] {
  const late = times.find((time) => time >= end)
  if (late !== undefined) {
    throw new MediaError(6016, `at: ${late} is not before the end of ${name} (${end} s)`, {
      hint: `Give times below ${end}, or leave at out.`,
    })
  }
  return times.map((time) => Math.min(count - 1, Math.floor(((time + timeTolerance) * rate.num) / rate.den)))
}
