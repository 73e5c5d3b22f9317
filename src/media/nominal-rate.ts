import type { Rational, VideoFacts } from '../contract/media-facts.ts'

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
  { num: 60, den: 1 },
  { num: 90, den: 1 },
  { num: 100, den: 1 },
  { num: 120_000, den: 1001 },
  { num: 120, den: 1 },
]

/** A header's average this close to a standard rate is that rate, off by one long frame. */
const tolerance = 0.005

/**
 * The constant rate at which a video is shown anew. A variable one is below the pace of its fast passages on average:
 * the standard rate that all its times fit holds them, else the next one; above all of these it is the average itself.
 */
export function nominalRate({
  frame_rate,
  base_rate,
  variable_rate,
}: Pick<VideoFacts, 'frame_rate' | 'base_rate' | 'variable_rate'>): Rational {
  if (frame_rate.num <= 0) return usual
  const base = variable_rate && base_rate && standardNear(base_rate)
  const near = standardNear(frame_rate)
  if (base && hertz(base) > hertz(frame_rate) && !(near && isOnlyFiner(base, near))) return base
  if (near) return near
  if (!variable_rate) return frame_rate
  return standard.find((rate) => hertz(rate) > hertz(frame_rate)) ?? frame_rate
}

/** Whether a base tells fields, jitter or pulldown (2.5 times) of a standard rate, and no faster passages. */
function isOnlyFiner(base: Rational, near: Rational): boolean {
  const times = hertz(base) / hertz(near)
  return [2.5, Math.round(times)].some((one) => Math.abs(times / one - 1) <= 2 * tolerance)
}

function standardNear(told: Rational): Rational | undefined {
  const off = (rate: Rational) => Math.abs(hertz(rate) / hertz(told) - 1)
  const near = standard.reduce((one, another) => (off(another) < off(one) ? another : one))
  return off(near) <= tolerance ? near : undefined
}

/** A rate as a number, frames a second. */
export function hertz({ num, den }: Rational): number {
  return num / den
}
