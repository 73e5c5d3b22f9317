import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CompletedWork, WorkHistory } from './work-history.ts'

const past = (planned: number, ...actual: number[]): CompletedWork[] =>
  actual.map((one) => ({ planned, actual: one }))
const milliseconds = fc.integer({ min: 0, max: 10_000_000 })
const history = fc.array(fc.record({ planned: milliseconds, actual: milliseconds }), { maxLength: 60 })

describe('expectedMs', () => {
  test.each([
    ['no history', 1000, [], 1000],
    ['too short a history', 1000, past(100, 300, 300, 300, 300), 1000],
    ['twice as long as planned', 1000, past(100, 200, 200, 200, 200, 200), 2000],
    ['the median, not the mean', 1000, past(100, 50, 100, 300, 400, 1_000_000), 3000],
    ['the mean of the two middle ones', 1000, past(100, 100, 100, 100, 300, 400, 500), 2000],
    ['plans of different length', 500, [...past(10, 30, 30), ...past(1000, 3000, 3000, 3000)], 1500],
    ['a planned time of 0 is ignored', 1000, [...past(0, 500), ...past(100, 200, 200, 200, 200)], 1000],
    ['at most twenty times slower', 1000, past(1, 1e6, 1e6, 1e6, 1e6, 1e6), 20_000],
    ['at most twenty times faster', 1000, past(1e6, 1, 1, 1, 1, 1), 50],
    ['negative durations of a clock that moved backwards', 1000, past(100, -5, -5, -5, -5, -5), 50],
  ])('%s', (_, planned, before, expected) => {
    expect(new WorkHistory(before).expectedMs(planned)).toBe(expected)
  })

  test('differs from the plan by a factor of at most twenty, and does not depend on the order of the history', () => {
    fc.assert(
      fc.property(milliseconds, history, (planned, before) => {
        const expected = new WorkHistory(before).expectedMs(planned)
        expect(expected).toBeGreaterThanOrEqual(planned / 20)
        expect(expected).toBeLessThanOrEqual(planned * 20 + 1)
        expect(Number.isInteger(expected)).toBe(true)
        expect(new WorkHistory(before.toReversed()).expectedMs(planned)).toBe(expected)
      }),
    )
  })

  test('does not decrease when a past task took longer', () => {
    fc.assert(
      fc.property(milliseconds, history, fc.nat(), fc.nat(1_000_000), (planned, before, at, longer) => {
        const slower = before.map((one, index) =>
          index === at % before.length ? { ...one, actual: one.actual + longer } : one,
        )
        expect(new WorkHistory(slower).expectedMs(planned)).toBeGreaterThanOrEqual(
          new WorkHistory(before).expectedMs(planned),
        )
      }),
    )
  })
})

describe('remainingMs', () => {
  const usual = past(4000, ...Array.from({ length: 9 }, () => 39_000))
  const mixed = past(4000, 1600, 1600, 1600, 1600, 1600, 1600, 39_000, 39_000, 39_000)

  test.each([
    ['half of a known duration', 20_000, 0, usual, 19_000],
    ['the end of a known duration', 38_900, 0, usual, 3900],
    ['longer than all before: the time by which it is late', 60_000, 0, usual, 24_900],
    ['longer than planned, without history', 20_000, 0, [], 16_400],
    ['a little longer than planned', 4100, 0, [], 500],
    ['just begun', 0, 0, [], 4000],
    ['the usual duration of most', 0, 0, mixed, 1600],
    ['one of the few long ones', 2000, 0, mixed, 37_000],
    ['longer than those, a little', 40_000, 0, mixed, 1160],
    ['a clock that moved backwards', -5000, 0, [], 4000],
    ['progress as planned', 1000, 25, [], 3000],
    ['progress faster than planned', 100, 10, [], 3600],
    ['progress half as fast as planned', 4000, 50, [], 4000],
    ['progress ten times slower than planned', 36_000, 90, [], 4000],
    ['early progress predicts at most twice the time', 20_000, 1, [], 39_600],
  ])('%s', (_, elapsedMs, progress, before, expected) => {
    expect(new WorkHistory(before).remainingMs({ plannedMs: 4000, elapsedMs, progress })).toBe(expected)
  })

  test('without progress it is never below a tenth of the expected work, and grows once the task is late', () => {
    fc.assert(
      fc.property(
        milliseconds,
        history,
        milliseconds,
        fc.nat(1_000_000),
        (plannedMs, before, elapsedMs, more) => {
          const remaining = new WorkHistory(before).remainingMs({ plannedMs, elapsedMs, progress: 0 })
          expect(remaining).toBeGreaterThanOrEqual(new WorkHistory(before).expectedMs(plannedMs) / 10)
          const late = plannedMs * 20 + elapsedMs
          const [soon, later] = [late, late + more].map((elapsed) =>
            new WorkHistory(before).remainingMs({ plannedMs, elapsedMs: elapsed, progress: 0 }),
          )
          expect((later ?? 0) - (soon ?? 0)).toBe(more)
        },
      ),
    )
  })
})
