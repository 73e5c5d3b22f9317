import type { Rational, VideoFacts } from '../../contract/media-facts.ts'
import { hertz } from '../../media/frame-rate.ts'
import { parseRatio } from './geometry.ts'

/** What ffprobe tells of a picture stream's times. */
export interface StreamRates {
  readonly avg_frame_rate?: string | undefined
  readonly r_frame_rate?: string | undefined
  readonly field_order?: string | undefined
}

type RateFacts = Pick<VideoFacts, 'frame_rate' | 'steady_rate' | 'base_rate' | 'variable_rate'>

/** The rates of a moving picture. */
export function frameRates(told: StreamRates): RateFacts {
  const isVariable = hasVariableRate(told)
  const base = parseRatio(told.r_frame_rate)
  return {
    frame_rate: statedRate(told) ?? { num: 0, den: 1 },
    ...(isVariable ? base && { base_rate: base } : steadyRate(told)),
    variable_rate: isVariable,
  }
}

/** Whether the rate may be that of a clock's ticks, or of the first pictures alone: recordings of browsers tell such. */
export function isRateDoubtful(told: StreamRates): boolean {
  const rate = statedRate(told)
  if (!rate || hertz(rate) <= maxUnevenRate) return false
  return hasVariableRate(told) || !parseRatio(told.avg_frame_rate)
}

function statedRate({ avg_frame_rate, r_frame_rate }: StreamRates): Rational | undefined {
  return parseRatio(avg_frame_rate) ?? parseRatio(r_frame_rate)
}

/** Recorders of uneven pictures are slower, frames a second. */
const maxUnevenRate = 60

/** Above this a rate is a clock's tick (1000/1), frames a second. */
const maxRate = 480

/** Difference between the two rates that rounding and a longer last frame explain. */
const rateTolerance = 0.02

/**
 * ffprobe's r_frame_rate is the coarsest clock that all first times fit: with even spacing it
 * equals the average, or twice that when the picture is interlaced and fields are counted.
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

/** The rate that even spacing tells: of frames, also where it tells that of fields. */
function steadyRate({ avg_frame_rate, r_frame_rate }: StreamRates): Pick<RateFacts, 'steady_rate'> {
  const average = parseRatio(avg_frame_rate)
  const base = parseRatio(r_frame_rate)
  if (!average || !base) return {}
  const { num, den } = base
  const halves = Math.round((2 * hertz(base)) / hertz(average))
  return { steady_rate: halves === 2 ? base : halves > 2 ? { num, den: 2 * den } : { num: 2 * num, den } }
}
