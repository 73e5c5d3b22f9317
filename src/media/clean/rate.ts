import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import { hertz, nominalRate } from '../nominal-rate.ts'

/**
 * Times are told to the millisecond: what one may lie beside a frame's and still mean it, s. A little over half of one,
 * which may fall short of itself in binary.
 */
export const timeSlack = 0.000_501

/**
 * The constant rate at which a video is cleaned: its own, or where that varies a standard one that loses none. Frame k begins
 * k / rate seconds after the start of the file, in what detection finds and in what regions say.
 */
export function rateOf(
  video: Pick<VideoFacts, 'frame_rate' | 'steady_rate' | 'base_rate' | 'variable_rate'>,
): Rational {
  return video.steady_rate ?? nominalRate(video)
}

/** The frame at which a video's picture begins, counted from the start of the file. */
export function firstFrame({ start_ms }: Pick<VideoFacts, 'start_ms'>, rate: Rational): number {
  return Math.round((start_ms / 1000) * hertz(rate))
}

/** When a video's picture ends, s from the start of the file: nothing of it can be marked later. */
export function endOf({ start_ms, duration_ms }: Pick<VideoFacts, 'start_ms' | 'duration_ms'>): number {
  return (start_ms + duration_ms) / 1000
}
