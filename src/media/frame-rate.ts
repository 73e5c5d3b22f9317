import type { Rational, VideoFacts } from '../contract/media-facts.ts'

/** Rate of a video that does not tell its own. */
const defaultRate: Rational = { num: 30, den: 1 }

const standardRates: readonly Rational[] = [
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
const standardTolerance = 0.005

/**
 * The constant rate at which a video is shown anew. A variable one is below the pace of its fast passages on average:
 * the standard rate that all its times fit holds them, else the next one; above all of these it is the average itself.
 */
export function nominalRate({
  frame_rate,
  base_rate,
  variable_rate,
}: Pick<VideoFacts, 'frame_rate' | 'base_rate' | 'variable_rate'>): Rational {
  if (frame_rate.num <= 0) return defaultRate
  const base = variable_rate && base_rate && nearestStandardRate(base_rate)
  const near = nearestStandardRate(frame_rate)
  if (base && hertz(base) > hertz(frame_rate) && !(near && isMultipleOf(base, near))) return base
  if (near) return near
  if (!variable_rate) return frame_rate
  return standardRates.find((rate) => hertz(rate) > hertz(frame_rate)) ?? frame_rate
}

/** Whether a base tells fields, jitter or pulldown (2.5 times) of a standard rate, and no faster passages. */
function isMultipleOf(base: Rational, near: Rational): boolean {
  const times = hertz(base) / hertz(near)
  return [2.5, Math.round(times)].some((one) => Math.abs(times / one - 1) <= 2 * standardTolerance)
}

function nearestStandardRate(told: Rational): Rational | undefined {
  const off = (rate: Rational) => Math.abs(hertz(rate) / hertz(told) - 1)
  const near = standardRates.reduce((one, another) => (off(another) < off(one) ? another : one))
  return off(near) <= standardTolerance ? near : undefined
}

/** A rate as a number, frames a second. */
export function hertz({ num, den }: Rational): number {
  return num / den
}

/**
 * Times are told to the millisecond: what one may lie beside a frame's and still mean it, s. A little over half of one,
 * which may fall short of itself in binary.
 */
export const timeTolerance = 0.000_501

/**
 * The constant rate at which a video is cleaned: its own, or where that varies a standard one that loses none. Frame k begins
 * k / rate seconds after the start of the file, in what detection finds and in what regions say.
 */
export function constantRate(
  video: Pick<VideoFacts, 'frame_rate' | 'steady_rate' | 'base_rate' | 'variable_rate'>,
): Rational {
  return video.steady_rate ?? nominalRate(video)
}

/** The frame at which a video's picture begins, counted from the start of the file. */
export function firstFrameIndex({ start_ms }: Pick<VideoFacts, 'start_ms'>, rate: Rational): number {
  return Math.round((start_ms / 1000) * hertz(rate))
}

/** When a video's picture ends, s from the start of the file: nothing of it can be marked later. */
export function pictureEnd({ start_ms, duration_ms }: Pick<VideoFacts, 'start_ms' | 'duration_ms'>): number {
  return (start_ms + duration_ms) / 1000
}

/** Rates that people write with two or three decimals. */
const broadcastRates: readonly Rational[] = [
  { num: 24_000, den: 1001 },
  { num: 30_000, den: 1001 },
  { num: 48_000, den: 1001 },
  { num: 60_000, den: 1001 },
  { num: 120_000, den: 1001 },
]

/** How far a written rate may be from the one that is meant: 29.97 is 0.00003 off. */
const decimalTolerance = 0.002

/** Steps of any other rate. */
const decimalSteps = 1000

/** The exact rate that is meant by a number of frames a second. */
export function exactRate(fps: number): Rational {
  const meant = broadcastRates.find((rate) => Math.abs(rate.num / rate.den - fps) < decimalTolerance)
  if (meant) return meant
  return Number.isInteger(fps)
    ? { num: fps, den: 1 }
    : { num: Math.round(fps * decimalSteps), den: decimalSteps }
}

/** The frame that begins closest to a time. */
export function nearestFrame(seconds: number, rate: Rational): number {
  return Math.round((seconds * rate.num) / rate.den)
}

/** When a frame begins. */
export function frameTime(frame: number, rate: Rational): number {
  return (frame * rate.den) / rate.num
}

/** A rate as ffmpeg takes it. */
export function formatRate(rate: Rational): string {
  return `${rate.num}/${rate.den}`
}
