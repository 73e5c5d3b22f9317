import fc from 'fast-check'
import type { FrameSpan } from '../../src/media/particle/frame-spans.ts'
import type { KeptSegment, PlanCutsOptions } from '../../src/media/cut/frames.ts'
import { breakClasses, rhythmTable, type BreakClass } from '../../src/media/cut/pauses.ts'
import { frameTime, hertz } from '../../src/media/frame-rate.ts'
import type { TimeSpan } from '../../src/media/speech/speech-types.ts'

const rates = [
  { num: 24_000, den: 1001 },
  { num: 24, den: 1 },
  { num: 25, den: 1 },
  { num: 30_000, den: 1001 },
  { num: 30, den: 1 },
  { num: 50, den: 1 },
  { num: 60_000, den: 1001 },
  { num: 60, den: 1 },
]

/** A time from `min` to `max`, seconds. */
export const seconds = (min: number, max: number) => fc.double({ min, max, noNaN: true })

/** What follows a segment: a silence, or silence, something removed, and silence. */
const someGap = fc.record({
  silences: fc.tuple(seconds(0, 1.5), seconds(0, 1.5)),
  removed: fc.option(seconds(0.01, 2)),
  breakAfter: fc.option(fc.constantFrom<BreakClass>(...breakClasses)),
})
const someSegments = fc
  .record({
    start: seconds(0, 2),
    pieces: fc.array(fc.tuple(seconds(0.05, 3), someGap), { minLength: 1, maxLength: 12 }),
  })
  .map(({ start, pieces }) => {
    const segments: KeptSegment[] = []
    let [at, lead] = [start, start]
    for (const [voice, { silences, removed, breakAfter }] of pieces) {
      const voiced = { start: at, end: at + voice }
      const [tail, before] = removed === null ? [silences[0], silences[0]] : silences
      const available = { start: at - lead, end: voiced.end + tail }
      segments.push({ voiced, available, breakAfter, contiguous: removed === null })
      at = voiced.end + (removed === null ? tail : tail + removed + before)
      lead = before
    }
    return segments
  })
const someOptions = fc.record({
  rate: fc.constantFrom(...rates),
  rhythm: fc.constantFrom(...Object.values(rhythmTable)),
  loudness: fc.option(
    fc.constant((time: number) => -60 + 20 * Math.sin(40 * time)),
    { nil: undefined },
  ),
})
/** Segments in source order, and options for a plan of them. */
export const somePlan = fc
  .tuple(someSegments, someOptions, seconds(0, 1))
  .map(([segments, options, rest]) => {
    const end = (segments.at(-1)?.available.end ?? 0) + rest
    return { segments, options: { ...options, mediaFrames: Math.ceil(end * hertz(options.rate)) } }
  })

/** Seconds of a span that the ranges keep. */
export function kept(ranges: readonly FrameSpan[], span: TimeSpan, { rate }: PlanCutsOptions): number {
  return ranges.reduce(
    (sum, { first, end }) =>
      sum +
      Math.max(0, Math.min(span.end, frameTime(end, rate)) - Math.max(span.start, frameTime(first, rate))),
    0,
  )
}

/** The silences that a joint may keep. */
export function silencesAfter(segment: KeptSegment, next: KeptSegment): TimeSpan[] {
  if (segment.contiguous) return [{ start: segment.voiced.end, end: next.voiced.start }]
  return [
    { start: segment.voiced.end, end: segment.available.end },
    { start: next.available.start, end: next.voiced.start },
  ]
}
/** Sum of the lengths of spans. */
export const lengths = (spans: readonly TimeSpan[]) =>
  spans.reduce((sum, { start, end }) => sum + end - start, 0)

/** Segments of a recording in another order, as if later takes belonged to earlier sentences. */
export const someShuffled = fc
  .tuple(somePlan, fc.array(seconds(0, 1), { minLength: 12, maxLength: 12 }))
  .map(([{ segments, options }, order]) => {
    const shuffled = segments
      .map((segment, index) => ({ segment, index, key: order[index] ?? 0 }))
      .toSorted((one, other) => one.key - other.key)
      .map(({ segment, index }, position, all) => {
        const follows = all[position + 1]?.index === index + 1
        return { ...segment, contiguous: segment.contiguous && follows }
      })
    return { segments: shuffled, options }
  })
