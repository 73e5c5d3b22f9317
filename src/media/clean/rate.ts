import type { Rational, VideoFacts } from '../../contract/media-facts.ts'

/** Rate of a video that tells none, frames a second. */
const usual: Rational = { num: 30, den: 1 }

/**
 * The constant rate at which a video is cleaned: its own, or the mean one where that varies. Frame k begins k / rate
 * seconds after the start of the file, in what detection finds and in what regions say.
 */
export function rateOf({
  frame_rate,
  steady_rate,
}: Pick<VideoFacts, 'frame_rate' | 'steady_rate'>): Rational {
  if (steady_rate) return steady_rate
  return frame_rate.num > 0 ? frame_rate : usual
}
