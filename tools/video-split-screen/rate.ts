import type { Rational, VideoFacts } from '../../src/contract/media-facts.ts'
import { hertz, nominalRate } from '../../src/media/frame-rate.ts'

/** Maximum frame rate of a result, frames per second. */
const maxOutputRate: Rational = { num: 60, den: 1 }

/** Returns the frame rate of a result: the highest of its sources, at most 60. */
export function outputRate(
  videos: readonly Pick<VideoFacts, 'frame_rate' | 'base_rate' | 'variable_rate'>[],
): Rational {
  const rates = videos.map(nominalRate)
  const highest = rates.reduce((one, another) => (hertz(another) > hertz(one) ? another : one), {
    num: 1,
    den: 1,
  })
  return hertz(highest) > hertz(maxOutputRate) ? maxOutputRate : highest
}
