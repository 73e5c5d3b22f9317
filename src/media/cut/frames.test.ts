import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kept, lengths, seconds, silencesAfter, somePlan } from '../../../test/recordings/kept-segments.ts'
import { frameTime, hertz } from '../frame-rate.ts'
import { planCuts, type KeptSegment, type PlanCutsOptions } from './frames.ts'
import { rhythmTable, targetPause, type BreakClass } from './pauses.ts'
import { outputTimes, retimeWords } from './retime.ts'

describe('the plan of cuts', () => {
  it('consists of ordered, disjoint ranges within the media', () => {
    fc.assert(
      fc.property(somePlan, ({ segments, options }) => {
        const { ranges, frames } = planCuts(segments, options)
        let before = -1
        for (const { first, end } of ranges) {
          expect(first).toBeGreaterThan(before)
          expect(end).toBeGreaterThan(first)
          before = end
        }
        expect(before).toBeLessThanOrEqual(options.mediaFrames)
        expect(frames).toBe(ranges.reduce((sum, { first, end }) => sum + end - first, 0))
        expect(ranges.flatMap(({ first, end }) => [first, end]).every(Number.isInteger)).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('keeps every voice but 20 ms at each edge', () => {
    fc.assert(
      fc.property(somePlan, ({ segments, options }) => {
        const { ranges } = planCuts(segments, options)
        for (const { voiced } of segments) {
          const { start, end } = voiced
          const inner = { start: start + 0.020_001, end: end - 0.020_001 }
          expect(kept(ranges, inner, options)).toBeCloseTo(inner.end - inner.start, 6)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('has pauses of the wanted length where the source offers it', () => {
    fc.assert(
      fc.property(somePlan, ({ segments, options }) => {
        const { ranges, pauses, insufficientBreaks } = planCuts(segments, options)
        const frame = 1 / hertz(options.rate)
        const tolerance = Math.max(0.02, frame / 2 + 0.002) + 1e-6
        for (const [index, { time, want, got }] of pauses.entries()) {
          const [segment, next] = [segments[index], segments[index + 1]]
          if (!segment || !next) throw new Error('a pause without segments')
          const silences = silencesAfter(segment, next)
          const offered = lengths(silences)
          const { rhythm } = options
          expect(want).toBeCloseTo(targetPause({ class: segment.breakAfter, measured: offered, rhythm }), 9)
          expect(time).toBe(segment.voiced.end)
          const measured = silences.reduce((sum, span) => sum + kept(ranges, span, options), 0)
          expect(got).toBeCloseTo(measured, 6)
          const isOffered = segment.contiguous ? offered >= want - 1e-9 : offered >= want + 2 * frame
          if (isOffered && want >= 1.5 * frame - 0.04)
            expect(Math.abs(got - want)).toBeLessThanOrEqual(tolerance)
          const isShort = insufficientBreaks.some((each) => each.time === time)
          expect(isShort).toBe(got < want - tolerance + 1e-6)
          if (isShort) expect(offered).toBeLessThan(want + 2 * frame)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('keeps at most a frame of other sound at each edge', () => {
    fc.assert(
      fc.property(somePlan, ({ segments, options }) => {
        const { ranges } = planCuts(segments, options)
        for (const [index, segment] of segments.entries()) {
          const next = segments[index + 1]
          if (!next || segment.contiguous) continue
          const removed = { start: segment.available.end, end: next.available.start }
          expect(kept(ranges, removed, options)).toBeLessThanOrEqual(2 / hertz(options.rate) + 1e-6)
        }
      }),
      { numRuns: 1000 },
    )
  })

  const segment = (start: number, end: number, more: Partial<KeptSegment> = {}): KeptSegment => ({
    voiced: { start, end },
    ...{ available: { start: start - 1, end: end + 1 }, breakAfter: null, contiguous: false },
    ...more,
  })
  const at100: PlanCutsOptions = {
    ...{ rate: { num: 100, den: 1 }, mediaFrames: 1000, rhythm: rhythmTable.default },
  }

  it('starts and ends with the pads, within the available silence', () => {
    expect(planCuts([segment(2, 4)], at100).ranges).toEqual([{ first: 195, end: 408 }])
    const tight = segment(2, 4, { available: { start: 1.98, end: 4.03 } })
    expect(planCuts([tight], at100).ranges).toEqual([{ first: 198, end: 403 }])
    expect(planCuts([segment(0.02, 9.95)], at100).ranges).toEqual([{ first: 0, end: 1000 }])
    expect(planCuts([], at100)).toEqual({ ranges: [], frames: 0, pauses: [], insufficientBreaks: [] })
  })

  it('divides a pause in the proportion of the pads', () => {
    // 0.13 s of pads in a pause of 0.26 s, and in one of 0.065 s.
    const breaks = { ...at100.rhythm.breaks, ',': 0.26, ';': 0.065 }
    const options = { ...at100, rhythm: { ...at100.rhythm, breaks } }
    const pair = (key: BreakClass) => [segment(2, 3, { breakAfter: key }), segment(6, 7)]
    expect(planCuts(pair(','), options).ranges).toMatchObject([{ end: 316 }, { first: 590 }])
    expect(planCuts(pair(';'), options).ranges).toMatchObject([{ end: 304 }, { first: 597 }])
  })

  it('takes the rest of a long pause where silence is available, or where it is quiet', () => {
    const breaks = { ...at100.rhythm.breaks, ',': 0.5 }
    const options = { ...at100, rhythm: { ...at100.rhythm, breaks } }
    const short = segment(2, 3, { breakAfter: ',', available: { start: 1, end: 3.1 } })
    expect(planCuts([short, segment(6, 7)], options).ranges).toMatchObject([{ end: 310 }, { first: 560 }])
    const loudness = (time: number) => (time > 3.1 && time < 5.55 ? -30 : -70)
    const pair = [segment(2, 3, { breakAfter: ',' }), segment(6, 7)]
    expect(planCuts(pair, { ...options, loudness }).ranges).toMatchObject([{ end: 310 }, { first: 560 }])
  })

  it('joins what is contiguous, and reports a pause that is too short', () => {
    const pair = [segment(2, 3, { breakAfter: '。', contiguous: true }), segment(3.2, 4)]
    const plan = planCuts(pair, at100)
    expect(plan.ranges).toEqual([{ first: 195, end: 408 }])
    const pause = { time: 3, want: 0.45, got: expect.closeTo(0.2, 9) as number }
    expect(plan.pauses).toEqual([pause])
    expect(plan.insufficientBreaks).toEqual([pause])
  })

  it('keeps a pause shorter than a frame whole, rather than removing all of it', () => {
    // The gap of 22.8 ms begins a hair after frame 3 of 24 a second.
    const [end, start] = [0.125_000_05, 0.147_834]
    const pair = [
      { ...segment(0.05, end, { contiguous: true }), available: { start: 0.05, end: start } },
      { ...segment(start, 0.2), available: { start: end, end: 0.2 } },
    ]
    const plan = planCuts(pair, { ...at100, rate: { num: 24, den: 1 }, mediaFrames: 5 })
    expect(plan.ranges).toHaveLength(1)
    expect(plan.pauses).toMatchObject([{ got: expect.closeTo(start - end, 9) as number }])
  })

  it('ends with the media, also if the sound is longer', () => {
    const { ranges, frames } = planCuts([segment(2, 3), segment(9.5, 10.5), segment(11, 12)], at100)
    expect(ranges.at(-1)?.end).toBe(1000)
    expect(frames).toBeGreaterThan(0)
    expect(planCuts([segment(2, 3)], { ...at100, mediaFrames: 0 }).ranges).toEqual([])
  })
})

describe('times on the output', () => {
  it('do not decrease, keep lengths within a range, and end with the output', () => {
    fc.assert(
      fc.property(somePlan, fc.array(seconds(-1, 60)), ({ segments, options }, times) => {
        const { ranges, frames } = planCuts(segments, options)
        const toOutput = outputTimes(ranges, options.rate)
        const words = times
          .toSorted((one, other) => one - other)
          .map((start, index, all) => ({ text: `${index}`, start, end: all[index + 1] ?? start }))
        let before = 0
        for (const [index, { start, end }] of retimeWords(words, ranges, options.rate).entries()) {
          expect(start).toBeCloseTo(toOutput(words[index]?.start ?? 0), 9)
          expect(start).toBeGreaterThanOrEqual(before)
          expect(end).toBeGreaterThanOrEqual(start)
          const word = words[index] ?? { start: 0, end: 0 }
          expect(end - start).toBeCloseTo(kept(ranges, word, options), 6)
          before = end
        }
        expect(before).toBeLessThanOrEqual(frameTime(frames, options.rate) + 1e-9)
        expect(toOutput(1e6)).toBeCloseTo(frameTime(frames, options.rate), 9)
      }),
    )
  })

  it('of a removed time are that of the cut', () => {
    const toOutput = outputTimes(
      [
        { first: 10, end: 20 },
        { first: 30, end: 50 },
      ],
      { num: 10, den: 1 },
    )
    expect([0, 1, 1.5, 2, 2.5, 3, 4, 5, 9].map(toOutput)).toEqual([0, 0, 0.5, 1, 1, 1, 2, 3, 3])
  })

  it('stay exact after hundreds of cuts', () => {
    const rate = { num: 30_000, den: 1001 }
    const ranges = Array.from({ length: 400 }, (_, index) => ({ first: 100 * index, end: 100 * index + 37 }))
    const toOutput = outputTimes(ranges, rate)
    expect(toOutput(frameTime(39_900, rate))).toBeCloseTo(frameTime(399 * 37, rate), 9)
  })
})
