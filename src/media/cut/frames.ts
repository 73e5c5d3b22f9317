import type { Rational } from '../../contract/media-facts.ts'
import { hertz } from '../frame-rate.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import type { TimeSpan } from '../speech/speech-types.ts'
import { chooseJoint, keptEnds, keptStarts, offeredSilence, type Loudness } from './joint.ts'
import { targetPause, type BreakClass, type Rhythm } from './pauses.ts'

/** A kept stretch of speech. Times are seconds of the source. */
export interface KeptSegment {
  /** From the first to the last voiced moment. */
  readonly voiced: TimeSpan
  /** `voiced` with the silence around it that touches no other speech. */
  readonly available: TimeSpan
  /** Punctuation class after the segment; null within a sentence. */
  readonly breakAfter: BreakClass | null
  /** Whether only silence is between this segment and the next one in the source, so that all of it is available. */
  readonly contiguous: boolean
}

export interface PlanCutsOptions {
  readonly rate: Rational
  /** Frames of the picture. */
  readonly mediaFrames: number
  readonly rhythm: Rhythm
  /** Silence kept after the last segment, seconds. Default: padOut of the rhythm. */
  readonly tailSeconds?: number | undefined
  /** Level around a source time, dBFS. Pauses longer than the pads are cut where it is low. */
  readonly loudness?: Loudness | undefined
}

/** The pause between two kept segments, seconds. */
export interface PlannedPause {
  /** End of the voice before the pause, source seconds. */
  readonly time: number
  readonly want: number
  readonly got: number
}

export interface CutPlan {
  /**
   * Kept source frames in the order of the output; disjoint, except a frame that has the end of one voice and the start
   * of another if these are not successive. Ascending for segments in source order. Successive ranges do not touch.
   */
  readonly ranges: readonly FrameSpan[]
  /** Sum of the ranges, frames. */
  readonly frames: number
  /** One pause per pair of successive segments. */
  readonly pauses: readonly PlannedPause[]
  /** Pauses for which the source offers less silence than wanted; silence is never added. */
  readonly insufficientBreaks: readonly PlannedPause[]
}

/** Least deviation of a pause that counts, seconds. */
const minDeviation = 0.02

/** Largest deviation of a pause, seconds: the rounding to frames and the resolution of the edges. */
function pauseTolerance(rate: Rational): number {
  return Math.max(minDeviation, 0.5 / hertz(rate) + 0.002)
}

/**
 * Plans which frames of a source are kept, so that pauses between the segments follow the rhythm. `segments` are in the
 * order of the output, which may differ from that of the source; their voices are disjoint. A pause is the silence from
 * the last to the first voiced moment, including both pads; a shorter pause shortens the pads in proportion. Both edges
 * of a pause are rounded to frames together: its error is at most half a frame if the source offers the silence. No
 * voice loses more than 20 ms, even if a pause below one and a half frames becomes longer for that.
 */
export function planCuts(given: readonly KeptSegment[], options: PlanCutsOptions): CutPlan {
  const segments = shareSilences(given)
  const { rate, mediaFrames } = options
  const ranges: FrameSpan[] = []
  const pauses: PlannedPause[] = []
  const [head] = segments
  let first = head && mediaFrames > 0 ? firstFrame(head, options) : 0
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1]
    if (!next) {
      const end = Math.min(mediaFrames, endFrame(segment, options))
      if (end > first) ranges.push({ first, end })
      break
    }
    const { want, joint } = planJoint([segment, next], first, options)
    pauses.push({ time: segment.voiced.end, want, got: joint.got })
    if (joint.next === joint.end) continue
    if (joint.end > first) ranges.push({ first, end: joint.end })
    first = joint.next
  }
  const tolerance = pauseTolerance(rate)
  return {
    ranges,
    frames: ranges.reduce((sum, { first: from, end }) => sum + end - from, 0),
    pauses,
    insufficientBreaks: pauses.filter(({ want, got }) => got < want - tolerance),
  }
}

/**
 * Returns segments in the same order, of which no two use the same silence: a silence between two that are neighbours in
 * the source but not on the output is divided in its middle.
 */
function shareSilences(segments: readonly KeptSegment[]): KeptSegment[] {
  const shared = [...segments]
  const indexes = [...segments.keys()].toSorted(
    (one, other) => startOf(segments, one) - startOf(segments, other),
  )
  for (const [position, index] of indexes.entries()) {
    const next = indexes[position + 1]
    if (next === undefined || next === index + 1) continue
    const [before, after] = [shared[index], shared[next]]
    if (!before || !after || before.available.end <= after.available.start) continue
    const middle = (before.voiced.end + after.voiced.start) / 2
    const border = Math.min(Math.max(middle, after.available.start), before.available.end)
    shared[index] = { ...before, available: { start: before.available.start, end: border } }
    shared[next] = { ...after, available: { start: border, end: after.available.end } }
  }
  return shared
}

function startOf(segments: readonly KeptSegment[], index: number): number {
  return segments[index]?.voiced.start ?? 0
}

function planJoint(
  [before, after]: readonly [KeptSegment, KeptSegment],
  first: number,
  { rate, mediaFrames, rhythm, loudness }: PlanCutsOptions,
) {
  const gap = { start: before.voiced.end, end: after.voiced.start }
  const isContiguous = before.contiguous && gap.end >= gap.start
  const tail = isContiguous ? gap : { start: gap.start, end: before.available.end }
  const lead = isContiguous ? gap : { start: after.available.start, end: gap.end }
  const surroundings = { before: before.voiced, after: after.voiced, tail, lead }
  const measured = offeredSilence(surroundings)
  const want = targetPause({ class: before.breakAfter, measured, rhythm })
  const limits = { first, end: mediaFrames }
  const joint = chooseJoint(surroundings, { rate, limits, want, rhythm, loudness })
  return { want, joint }
}

/** First kept frame: the lead-in before the voice, within the available silence. */
function firstFrame(
  { voiced, available }: KeptSegment,
  { rate, mediaFrames, rhythm }: PlanCutsOptions,
): number {
  const [from, to] = keptStarts(voiced, available.start, rate)
  const wanted = Math.round((voiced.start - rhythm.padIn) * hertz(rate))
  return Math.min(Math.max(wanted, from, 0), Math.max(0, to), mediaFrames - 1)
}

/** End of the kept frames: the tail after the voice, within the available silence. */
function endFrame(
  { voiced, available }: KeptSegment,
  { rate, rhythm, tailSeconds = rhythm.padOut }: PlanCutsOptions,
): number {
  const [from, to] = keptEnds(voiced, available.end, rate)
  return Math.min(Math.max(Math.round((voiced.end + tailSeconds) * hertz(rate)), from), to)
}
