import type { Rational, VideoFacts } from '../../src/contract/media-facts.ts'

/** Highest rate of a result, frames a second. */
const fastest: Rational = { num: 60, den: 1 }

/** Rate of a video that does not tell its own. */
const usual: Rational = { num: 30, den: 1 }

const standard: readonly Rational[] = [
  { num: 24000, den: 1001 },
  { num: 24, den: 1 },
  { num: 25, den: 1 },
  { num: 30000, den: 1001 },
  { num: 30, den: 1 },
  { num: 48, den: 1 },
  { num: 50, den: 1 },
  { num: 60000, den: 1001 },
  fastest,
]

/** A header's average this close to a standard rate is that rate, off by one long frame. */
const tolerance = 0.005

/** Rate of a result: the highest of its sources', at most 60. */
export function outputRate(videos: readonly Pick<VideoFacts, 'frame_rate' | 'variable_rate'>[]): Rational {
  const rates = videos.map(nominalRate)
  const highest = rates.reduce((one, another) => (hertz(another) > hertz(one) ? another : one), {
    num: 1,
    den: 1,
  })
  return hertz(highest) > hertz(fastest) ? fastest : highest
}

/** A variable rate is below the pace of its fast passages on average: the next standard rate holds them. */
function nominalRate({
  frame_rate,
  variable_rate,
}: Pick<VideoFacts, 'frame_rate' | 'variable_rate'>): Rational {
  if (frame_rate.num <= 0) return usual
  const near = standard
    .map((rate) => ({ rate, off: Math.abs(hertz(rate) / hertz(frame_rate) - 1) }))
    .reduce((one, another) => (another.off < one.off ? another : one))
  if (near.off <= tolerance) return near.rate
  if (!variable_rate) return frame_rate
  return standard.find((rate) => hertz(rate) > hertz(frame_rate)) ?? fastest
}

/** Frames of a result: its length rounded to whole frames once, so that no error adds up; at least one. */
export function frameCount(durationMs: number, { num, den }: Rational): number {
  return Math.max(1, Math.round((durationMs * num) / (1000 * den)))
}

export function hertz({ num, den }: Rational): number {
  return num / den
}
