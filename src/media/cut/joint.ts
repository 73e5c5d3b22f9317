import type { Rational } from '../../contract/media-facts.ts'
import { hertz } from '../frame-rate.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import type { TimeSpan } from '../speech/speech-types.ts'
import type { Rhythm } from './pauses.ts'

/** Level around a source time in seconds, dBFS. */
export type Loudness = (seconds: number) => number

/** Most voice that rounding to frames may remove at each edge, seconds. */
const maxVoiceLoss = 0.02

/**
 * Deviation of a pause that costs little, seconds, at rates whose half frame is shorter. With 1 ms of inexactness at both
 * edges it is 20 ms.
 */
const freeDeviation = 0.018

/** Tolerance for binary rounding of times, frames. */
const roundingTolerance = 1e-6

/** The surroundings of a joint, source seconds. */
export interface JointSurroundings {
  /** Voices that the joint connects; the second one may be earlier in the source. */
  readonly before: TimeSpan
  readonly after: TimeSpan
  /** Silence available after the first and before the second voice; both are the same gap if nothing is between. */
  readonly tail: TimeSpan
  readonly lead: TimeSpan
}

interface ChooseJointOptions {
  readonly rate: Rational
  /** Start of the range that the joint ends, and frames of the media. */
  readonly limits: FrameSpan
  /** Wanted pause, seconds. */
  readonly want: number
  readonly rhythm: Pick<Rhythm, 'padIn' | 'padOut'>
  readonly loudness?: Loudness | undefined
}

/**
 * End of the kept frames before a joint, first kept frame after it, and its pause. Both frames are equal if nothing is
 * removed, and the second one is lower if the second voice is earlier in the source.
 */
export interface FrameJoint {
  readonly end: number
  readonly next: number
  /** Kept silence, seconds. */
  readonly got: number
}

/**
 * Range of frames in which a kept start may be: from the first frame of the available silence to the last frame that
 * removes at most 20 ms of voice, and not its middle.
 */
export function keptStarts(voice: TimeSpan, availableFrom: number, rate: Rational): [number, number] {
  const middle = (voice.start + voice.end) / 2
  const latest = floorFrame(Math.min(voice.start + maxVoiceLoss, middle), rate)
  return [Math.min(latest, ceilFrame(availableFrom, rate)), latest]
}

/** Range of frames in which a kept end may be, likewise; the end is exclusive. */
export function keptEnds(voice: TimeSpan, availableTo: number, rate: Rational): [number, number] {
  const middle = (voice.start + voice.end) / 2
  const earliest = Math.max(ceilFrame(voice.end - maxVoiceLoss, rate), floorFrame(middle, rate) + 1)
  return [earliest, Math.max(earliest, floorFrame(availableTo, rate))]
}

function floorFrame(seconds: number, rate: Rational): number {
  return Math.floor(seconds * hertz(rate) + roundingTolerance)
}

function ceilFrame(seconds: number, rate: Rational): number {
  return Math.ceil(seconds * hertz(rate) - roundingTolerance)
}

/**
 * Chooses both frames of a joint together. All ends within the wanted pause are tried, each with the two frames after
 * the joint whose pause is closest, and without a cut if only silence is between the voices. The pair with the lowest
 * cost wins; see `jointCost`.
 */
export function chooseJoint(surroundings: JointSurroundings, options: ChooseJointOptions): FrameJoint {
  const { before, after, tail, lead } = surroundings
  const { rate, limits, want } = options
  const [endFrom, endTo] = keptEnds(before, tail.end, rate).map((frame) =>
    Math.min(Math.max(frame, limits.first), limits.end),
  ) as [number, number]
  const [nextFrom, nextTo] = keptStarts(after, lead.start, rate)
  const lastEnd = Math.max(endFrom, Math.min(endTo, ceilFrame(before.end + want, rate)))
  const cost = jointCost(surroundings, options)
  const isForward = inSourceOrder(surroundings)
  const canStay = isOneGap(surroundings)
  let best: FrameJoint | undefined
  let lowest = Number.POSITIVE_INFINITY
  for (let end = endFrom; end <= lastEnd; end += 1) {
    const ideal = (lead.end - want + overlap(tail, before.end, end / hertz(rate))) * hertz(rate)
    const closest = [Math.floor(ideal), Math.ceil(ideal)].map((wished) => {
      const allowed = Math.min(Math.max(wished, nextFrom), nextTo)
      return Math.min(Math.max(allowed, isForward ? end : 0), limits.end)
    })
    for (const next of canStay ? [...closest, end] : closest) {
      const got = keptSilence(surroundings, { end, next }, rate)
      const price = cost({ end, next, got })
      if (price < lowest) [best, lowest] = [{ end, next, got }, price]
    }
  }
  return best ?? { end: endFrom, next: endFrom, got: 0 }
}

/** Seconds of a span between two times. */
function overlap({ start, end }: TimeSpan, from: number, to: number): number {
  return Math.max(0, Math.min(end, to) - Math.max(start, from))
}

/** Whether the second voice of a joint follows the first one in the source. */
function inSourceOrder({ before, after }: JointSurroundings): boolean {
  return after.start >= before.end
}

/** Whether only silence is between both voices: a tail that reaches the next voice is the same gap as the lead. */
function isOneGap(surroundings: JointSurroundings): boolean {
  return inSourceOrder(surroundings) && surroundings.tail.end >= surroundings.lead.end
}

/** Silences around a joint, disjoint: one gap, or the tail and the lead. */
function silences(surroundings: JointSurroundings): TimeSpan[] {
  const { before, after, tail, lead } = surroundings
  return isOneGap(surroundings) ? [{ start: before.end, end: after.start }] : [tail, lead]
}

/** Silence that a joint offers, seconds. */
export function offeredSilence(surroundings: JointSurroundings): number {
  return silences(surroundings).reduce((sum, { start, end }) => sum + Math.max(0, end - start), 0)
}

/** Silence that a joint keeps, seconds. */
function keptSilence(
  surroundings: JointSurroundings,
  { end, next }: Omit<FrameJoint, 'got'>,
  rate: Rational,
): number {
  const [from, to] = [end / hertz(rate), next / hertz(rate)]
  if (!inSourceOrder(surroundings)) {
    const { before, after, tail, lead } = surroundings
    return overlap(tail, before.end, from) + overlap(lead, to, after.start)
  }
  const removed = silences(surroundings).reduce((sum, silence) => sum + overlap(silence, from, to), 0)
  return offeredSilence(surroundings) - removed
}

/**
 * Weights of the parts of a cost. A pause within the rounding error of the wanted one is decisive, then unimpaired voices,
 * then the pads. One decibel of loudness counts as much as a pad that is 1 ms too short.
 */
const weights = { excess: 1e6, loss: 1e3, shortPad: 10, loudness: 0.01, deviation: 5, share: 0.2 } as const

/** Returns the cost function of joints: no unit, lower is better. */
function jointCost(
  { before, after, tail, lead }: JointSurroundings,
  { rate, want, rhythm, loudness }: ChooseJointOptions,
): (joint: FrameJoint) => number {
  const tolerance = Math.max(0.5 / hertz(rate), freeDeviation)
  const offered = { tail: Math.max(0, tail.end - tail.start), lead: Math.max(0, lead.end - lead.start) }
  const pads = rhythm.padIn + rhythm.padOut
  const share = pads > 0 ? (want * rhythm.padOut) / pads : want / 2
  const preferred = Math.min(Math.max(share, want - offered.lead), offered.tail)
  const [padOut, padIn] = [Math.min(rhythm.padOut, preferred), Math.min(rhythm.padIn, want - preferred)]
  return ({ end, next, got }) => {
    const [endTime, nextTime] = [end / hertz(rate), next / hertz(rate)]
    const [keptTail, keptLead] = [overlap(tail, before.end, endTime), overlap(lead, nextTime, after.start)]
    const deviation = Math.abs(got - want)
    const isCut = next !== end
    const loss = isCut ? Math.max(0, before.end - endTime) + Math.max(0, nextTime - after.start) : 0
    const foreign = Math.max(0, endTime - tail.end) + Math.max(0, lead.start - nextTime)
    const short = isCut ? Math.max(0, padOut - keptTail) + Math.max(0, padIn - keptLead) : 0
    const loud = loudness && isCut ? Math.max(-120, loudness(endTime), loudness(nextTime)) + 120 : 0
    return (
      weights.excess * Math.max(0, deviation - tolerance) +
      weights.loss * (loss + foreign) +
      weights.shortPad * short +
      weights.loudness * loud +
      weights.deviation * deviation +
      weights.share * (isCut ? Math.abs(keptTail - preferred) : 0)
    )
  }
}
