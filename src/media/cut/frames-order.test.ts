import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kept, lengths, silencesAfter, someShuffled } from '../../../test/recordings/kept-segments.ts'
import { frameTime, hertz } from '../frame-rate.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import { planCuts, type KeptSegment } from './frames.ts'
import { rhythmTable } from './pauses.ts'
import { retimeWords } from './retime.ts'

describe('the plan of cuts out of source order', () => {
  it('keeps every voice but 20 ms at each edge, in the order of the segments', () => {
    fc.assert(
      fc.property(someShuffled, ({ segments, options }) => {
        const { ranges, frames } = planCuts(segments, options)
        expect(frames).toBe(ranges.reduce((sum, { first, end }) => sum + end - first, 0))
        let range = 0
        for (const { voiced } of segments) {
          const inner = { start: voiced.start + 0.020_001, end: voiced.end - 0.020_001 }
          if (inner.end <= inner.start) continue
          const hasAll = (each: FrameSpan) => kept([each], inner, options) > inner.end - inner.start - 1e-6
          while (range < ranges.length && !hasAll(ranges[range] ?? { first: 0, end: 0 })) range += 1
          expect(range).toBeLessThan(ranges.length)
        }
        for (const [index, { first, end }] of ranges.entries()) {
          expect(first).toBeGreaterThanOrEqual(0)
          expect(end).toBeGreaterThan(first)
          expect(end).toBeLessThanOrEqual(options.mediaFrames)
          expect(first).not.toBe(ranges[index - 1]?.end)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('uses no frame twice but one that two voices share', () => {
    fc.assert(
      fc.property(someShuffled, ({ segments, options }) => {
        const ranges = planCuts(segments, options).ranges.toSorted((one, other) => one.first - other.first)
        for (const [index, { first }] of ranges.entries()) {
          const before = ranges[index - 1]?.end ?? 0
          expect(before - first).toBeLessThanOrEqual(1)
          if (before <= first) continue
          const frame = { start: frameTime(first, options.rate), end: frameTime(before, options.rate) }
          const spoken = segments.filter(({ voiced }) => voiced.start < frame.end && voiced.end > frame.start)
          expect(spoken.length).toBeGreaterThanOrEqual(2)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('has pauses of the wanted length where the source offers it', () => {
    fc.assert(
      fc.property(someShuffled, ({ segments, options }) => {
        const { pauses, insufficientBreaks } = planCuts(segments, options)
        const frame = 1 / hertz(options.rate)
        const tolerance = Math.max(0.02, frame / 2 + 0.002) + 1e-6
        expect(pauses).toHaveLength(segments.length - 1)
        for (const [index, { want, got, time }] of pauses.entries()) {
          const [segment, next] = [segments[index], segments[index + 1]]
          if (!segment || !next) throw new Error('a pause without segments')
          // A silence between neighbours that are apart on the output may be half as long.
          const offered = silencesAfter(segment, next)
          const certain = segment.contiguous ? lengths(offered) : lengths(offered) / 2
          if (certain >= want + 2 * frame && want >= 1.5 * frame - 0.04)
            expect(Math.abs(got - want)).toBeLessThanOrEqual(tolerance)
          const isShort = insufficientBreaks.some((each) => each.time === time)
          expect(isShort).toBe(got < want - tolerance + 1e-6)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('retimes words in the order of the segments', () => {
    fc.assert(
      fc.property(someShuffled, ({ segments, options }) => {
        const { ranges, frames } = planCuts(segments, options)
        // More than a frame from the ends, which a neighbour may share.
        const words = segments
          .map(({ voiced: { start, end } }, index) => ({
            text: `${index}`,
            start: start + 0.07,
            end: end - 0.07,
          }))
          .filter(({ start, end }) => end > start)
        let before = 0
        for (const [index, { start, end }] of retimeWords(words, ranges, options.rate).entries()) {
          const word = words[index] ?? { start: 0, end: 0 }
          expect(start).toBeGreaterThanOrEqual(before)
          expect(end - start).toBeCloseTo(word.end - word.start, 6)
          before = end
        }
        expect(before).toBeLessThanOrEqual(frameTime(frames, options.rate) + 1e-9)
      }),
      { numRuns: 500 },
    )
  })

  it('takes each pause from both places', () => {
    const at = (start: number): KeptSegment => ({
      ...{ voiced: { start, end: start + 1 }, available: { start: start - 1, end: start + 2 } },
      ...{ breakAfter: '。', contiguous: false },
    })
    const plan = planCuts([at(6), at(2)], {
      rate: { num: 100, den: 1 },
      mediaFrames: 1000,
      rhythm: rhythmTable.default,
    })
    const [first, second] = plan.ranges
    expect(first?.first).toBe(595)
    expect(second?.end).toBe(308)
    expect((first?.end ?? 0) - 700 + 200 - (second?.first ?? 0)).toBeCloseTo(45, -1)
    expect(plan.pauses).toEqual([{ time: 7, want: 0.45, got: expect.closeTo(0.45, 1.5) as number }])
  })
})
