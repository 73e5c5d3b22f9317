import type { Rational, VideoFacts } from '../contract/media-facts.ts'

/** Rate assumed for a video whose header states none. */
const defaultRate: Rational = { num: 30, den: 1 }

/** Frame rates in common use, ascending. */
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

/** Maximum relative deviation of an average rate from the standard rate it represents. One long frame causes as much. */
const standardTolerance = 0.005

/**
 * Returns the constant rate at which to re-encode a video. The average of a variable rate is below the rate of its
 * fastest passages, so a variable rate becomes the standard rate that fits all its frame times, or else the next
 * standard rate above the average. An average above all standard rates is returned unchanged.
 */
export function nominalRate({
  frame_rate,
  base_rate,
  variable_rate,
}: Pick<VideoFacts, 'frame_rate' | 'base_rate' | 'variable_rate'>): Rational {
  if (frame_rate.num <= 0) return defaultRate
  const base = variable_rate && base_rate && nearestStandardRate(base_rate)
  const standard = nearestStandardRate(frame_rate)
  if (base && hertz(base) > hertz(frame_rate) && !(standard && isMultipleOf(base, standard))) return base
  if (standard) return standard
  if (!variable_rate) return frame_rate
  return standardRates.find((rate) => hertz(rate) > hertz(frame_rate)) ?? frame_rate
}

/**
 * Returns whether the base rate is a multiple of a standard rate, or 2.5 times it. Then fields, jitter or pulldown
 * explain it, and the video has no faster passages.
 */
function isMultipleOf(base: Rational, standard: Rational): boolean {
  const factor = hertz(base) / hertz(standard)
  return [2.5, Math.round(factor)].some((exact) => Math.abs(factor / exact - 1) <= 2 * standardTolerance)
}

/** Returns the closest standard rate, or undefined if none is within `standardTolerance`. */
function nearestStandardRate(rate: Rational): Rational | undefined {
  const deviation = (standard: Rational) => Math.abs(hertz(standard) / hertz(rate) - 1)
  const nearest = standardRates.reduce((one, other) => (deviation(other) < deviation(one) ? other : one))
  return deviation(nearest) <= standardTolerance ? nearest : undefined
}

/** Converts a rate to frames per second. */
export function hertz({ num, den }: Rational): number {
  return num / den
}

/** Returns the greatest common divisor of two whole numbers. */
export function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other)
}

/** Reduces a rate to the smallest whole numbers: 15360/256 is 60/1. */
export function reducedRate({ num, den }: Rational): Rational {
  const divisor = greatestCommonDivisor(num, den)
  return { num: num / divisor, den: den / divisor }
}

/**
 * Largest difference, in seconds, between a time rounded to milliseconds and the frame time it denotes. Slightly
 * more than half a millisecond, because of binary rounding.
 */
export const timeTolerance = 0.000_501

/**
 * Returns the constant rate at which a video is analysed and cleaned: its own steady rate, or `nominalRate` if the rate
 * varies. Frame k starts k / rate seconds after the start of the file, both in detected and in requested regions.
 */
export function constantRate(
  video: Pick<VideoFacts, 'frame_rate' | 'steady_rate' | 'base_rate' | 'variable_rate'>,
): Rational {
  return video.steady_rate ?? nominalRate(video)
}

/** Returns the index of the first frame of a video, counted from the start of the file. */
export function firstFrameIndex({ start_ms }: Pick<VideoFacts, 'start_ms'>, rate: Rational): number {
  return Math.round((start_ms / 1000) * hertz(rate))
}

/** Returns the end of the picture of a video, seconds from the start of the file. */
export function pictureEnd({ start_ms, duration_ms }: Pick<VideoFacts, 'start_ms' | 'duration_ms'>): number {
  return (start_ms + duration_ms) / 1000
}

/** Rates that are commonly written as decimals, such as 29.97. */
const broadcastRates: readonly Rational[] = [
  { num: 24_000, den: 1001 },
  { num: 30_000, den: 1001 },
  { num: 48_000, den: 1001 },
  { num: 60_000, den: 1001 },
  { num: 120_000, den: 1001 },
]

/** Largest difference, in frames per second, between a decimal and the broadcast rate it denotes. */
const decimalTolerance = 0.002

/** Denominator of any other fractional rate. */
const decimalSteps = 1000

/** Returns the exact rate that a decimal number of frames per second denotes: 29.97 is 30000/1001. */
export function exactRate(fps: number): Rational {
  const broadcast = broadcastRates.find((rate) => Math.abs(hertz(rate) - fps) < decimalTolerance)
  if (broadcast) return broadcast
  return Number.isInteger(fps)
    ? { num: fps, den: 1 }
    : { num: Math.round(fps * decimalSteps), den: decimalSteps }
}

/** Returns the index of the frame that starts closest to a time in seconds. */
export function nearestFrame(seconds: number, rate: Rational): number {
  return Math.round((seconds * rate.num) / rate.den)
}

/** Returns the start time of a frame, seconds. */
export function frameTime(frame: number, rate: Rational): number {
  return (frame * rate.den) / rate.num
}

/**
 * Returns the number of frames in a duration, at least 1. The duration is rounded to whole frames once, so that
 * rounding errors do not add up.
 */
export function frameCount(durationMs: number, { num, den }: Rational): number {
  return Math.max(1, Math.round((durationMs * num) / (1000 * den)))
}

/**
 * Returns the frames that start within a time span in seconds: `first` inclusive, `end` exclusive. Times may be
 * rounded to milliseconds.
 */
export function framesBetween(
  { start, end }: { readonly start: number; readonly end: number },
  { num, den }: Rational,
): { readonly first: number; readonly end: number } {
  const frameAfter = (seconds: number) => Math.max(0, Math.ceil(((seconds - timeTolerance) * num) / den))
  return { first: frameAfter(start), end: frameAfter(end) }
}

/** Formats a rate as `num/den`, which ffmpeg accepts. */
export function formatRate(rate: Rational): string {
  return `${rate.num}/${rate.den}`
}
