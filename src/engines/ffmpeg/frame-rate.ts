import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import { hertz } from '../../media/frame-rate.ts'
import { parseRatio } from './geometry.ts'

/** Frame rates and field order of a picture stream, as ffprobe prints them. */
export interface StreamRates {
  readonly avg_frame_rate?: string | undefined
  readonly r_frame_rate?: string | undefined
  readonly field_order?: string | undefined
}

type RateFacts = Pick<VideoFacts, 'frame_rate' | 'steady_rate' | 'base_rate' | 'variable_rate'>

/** Returns the frame rates of a moving picture. */
export function frameRates(told: StreamRates): RateFacts {
  const isVariable = hasVariableRate(told)
  const base = parseRatio(told.r_frame_rate)
  return {
    frame_rate: statedRate(told) ?? { num: 0, den: 1 },
    ...(isVariable ? base && { base_rate: base } : steadyRate(told)),
    variable_rate: isVariable,
  }
}

/**
 * Returns whether the rate may be that of a clock or of the first pictures only, as in browser recordings.
 */
export function isRateDoubtful(told: StreamRates): boolean {
  const rate = statedRate(told)
  if (!rate || hertz(rate) <= maxUnevenRate) return false
  return hasVariableRate(told) || !parseRatio(told.avg_frame_rate)
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
  const told = statedRate(one)
  if (told && hertz(told) > maxRate) return true
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
