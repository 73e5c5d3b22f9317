import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import { hertz } from '../../media/frame-rate.ts'

/** Frame rates and field order of a picture stream, as ffprobe prints them. */
interface StreamRates {
  readonly avg_frame_rate?: string | undefined
  readonly r_frame_rate?: string | undefined
  readonly field_order?: string | undefined
}

type RateFacts = Pick<VideoFacts, 'frame_rate' | 'steady_rate' | 'base_rate' | 'variable_rate'>

/** Returns the frame rates of a moving picture. */
export function frameRates(rates: StreamRates): RateFacts {
  const isVariable = hasVariableRate(rates)
  const base = parseRatio(rates.r_frame_rate)
  return {
    frame_rate: statedRate(rates) ?? { num: 0, den: 1 },
    ...(isVariable ? base && { base_rate: base } : steadyRate(rates)),
    variable_rate: isVariable,
  }
}

/**
 * Returns whether the rate may be that of a clock or of the first pictures only, as in browser recordings.
 */
export function isRateDoubtful(rates: StreamRates): boolean {
  const rate = statedRate(rates)
  if (!rate || hertz(rate) <= maxUnevenRate) return false
  return hasVariableRate(rates) || !parseRatio(rates.avg_frame_rate)
}

function statedRate({ avg_frame_rate, r_frame_rate }: StreamRates): Rational | undefined {
  return parseRatio(avg_frame_rate) ?? parseRatio(r_frame_rate)
}

/** Upper limit for recordings with uneven frame spacing, frames per second. */
const maxUnevenRate = 60

/** Above this, a rate is the tick of a clock (1000/1), frames per second. */
const maxRate = 480

/** Relative difference between both rates that rounding and a longer last frame explain. */
const rateTolerance = 0.02

/**
 * Returns whether the frame spacing varies. ffprobe's r_frame_rate is the lowest rate whose ticks match all
 * first timestamps. With even spacing it equals the average, or twice the average if fields are counted.
 */
function hasVariableRate(one: StreamRates): boolean {
  const { avg_frame_rate, r_frame_rate, field_order = 'unknown' } = one
  const stated = statedRate(one)
  if (stated && hertz(stated) > maxRate) return true
  const average = parseRatio(avg_frame_rate)
  const base = parseRatio(r_frame_rate)
  if (!average || !base) return false
  const times = hertz(base) / hertz(average)
  const near = (value: number) => Math.abs(times - value) <= rateTolerance * value
  const interlaced = field_order !== 'unknown' && field_order !== 'progressive'
  return !(near(1) || (interlaced && (near(2) || near(0.5))))
}

/** Returns the frame rate of an evenly spaced picture, also if ffprobe reports its field rate. */
function steadyRate({ avg_frame_rate, r_frame_rate }: StreamRates): Pick<RateFacts, 'steady_rate'> {
  const average = parseRatio(avg_frame_rate)
  const base = parseRatio(r_frame_rate)
  if (!average || !base) return {}
  const { num, den } = base
  const halves = Math.round((2 * hertz(base)) / hertz(average))
  return { steady_rate: halves === 2 ? base : halves > 2 ? { num, den: 2 * den } : { num: 2 * num, den } }
}

/** Parses ffprobe's "30000/1001" or "16:9". Returns undefined if absent, zero or not a ratio. */
export function parseRatio(text: string | undefined): Rational | undefined {
  const [, num, den] = /^(\d{1,10})[/:](\d{1,10})$/.exec(text ?? '') ?? []
  const ratio = { num: Number(num), den: Number(den) }
  return ratio.num > 0 && ratio.den > 0 ? ratio : undefined
}

/**
 * Converts the counter-clockwise degrees of a display matrix to a clockwise quarter turn for display. Like
 * ffmpeg's automatic rotation, it accepts angles within one degree of a quarter turn and returns 0 for any
 * other. A mirrored picture keeps its sides, so mirroring is ignored.
 */
export function quarterTurn(counterClockwise: number | undefined): 0 | 90 | 180 | 270 {
  // A matrix of zeros has no angle. ffprobe then prints the smallest 64-bit integer.
  if (counterClockwise === undefined || !(Math.abs(counterClockwise) <= 360)) return 0
  const clockwise = (720 - counterClockwise) % 360
  return ([90, 180, 270] as const).find((turn) => Math.abs(clockwise - turn) < 1) ?? 0
}

/** Largest plausible sample aspect ratio, in either direction. The most extreme real ones are about 2. */
const maxStretch = 10

/** Returns the sample aspect ratio, or 1:1 if it is absent or implausible. */
export function sampleRatio(text: string | undefined): Rational {
  const ratio = parseRatio(text)
  const stretch = ratio ? ratio.num / ratio.den : 0
  return ratio && stretch <= maxStretch && stretch >= 1 / maxStretch ? ratio : { num: 1, den: 1 }
}

/** Returns the display size in pixels: the width multiplied by the sample aspect ratio, then rotated. */
export function displaySize(coded: {
  width: number
  height: number
  ratio: Rational
  rotation: 0 | 90 | 180 | 270
}): { width: number; height: number } {
  const stretched = Math.max(1, Math.round((coded.width * coded.ratio.num) / coded.ratio.den))
  return coded.rotation % 180 === 0
    ? { width: stretched, height: coded.height }
    : { width: coded.height, height: stretched }
}
