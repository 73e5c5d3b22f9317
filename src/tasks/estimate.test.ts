import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectedWorkMs, startTimes, type CompletedWork } from './estimate.ts'

const past = (planned: number, ...actual: number[]): CompletedWork[] =>
  actual.map((one) => ({ planned, actual: one }))
const milliseconds = fc.integer({ min: 0, max: 10_000_000 })
const history = fc.array(fc.record({ planned: milliseconds, actual: milliseconds }), { maxLength: 60 })

describe('expected work', () => {
  test.each([
    ['no history', 1000, [], 1000],
    ['too short a history', 1000, past(100, 300, 300, 300, 300), 1000],
    ['twice as long as planned', 1000, past(100, 200, 200, 200, 200, 200), 2000],
    ['the median, not the mean', 1000, past(100, 50, 100, 300, 400, 1_000_000), 3000],
    ['between the middle two', 1000, past(100, 100, 100, 100, 300, 400, 500), 2000],
    ['plans of any length', 500, [...past(10, 30, 30), ...past(1000, 3000, 3000, 3000)], 1500],
    ['plans of nothing, left out', 1000, [...past(0, 500), ...past(100, 200, 200, 200, 200)], 1000],
    ['much slower than can be', 1000, past(1, 1e6, 1e6, 1e6, 1e6, 1e6), 20_000],
    ['much faster than can be', 1000, past(1e6, 1, 1, 1, 1, 1), 50],
    ['a clock that went back', 1000, past(100, -5, -5, -5, -5, -5), 50],
  ])('%s', (_, planned, before, expected) => {
    expect(expectedWorkMs(planned, before)).toBe(expected)
  })

  test('is within twenty times of the plan, and the median of the history, whatever the order', () => {
    fc.assert(
      fc.property(milliseconds, history, (planned, before) => {
        const expected = expectedWorkMs(planned, before)
        expect(expected).toBeGreaterThanOrEqual(planned / 20)
        expect(expected).toBeLessThanOrEqual(planned * 20 + 1)
        expect(Number.isInteger(expected)).toBe(true)
        expect(expectedWorkMs(planned, before.toReversed())).toBe(expected)
      }),
    )
  })

  test('no sooner when one of the past took longer', () => {
    fc.assert(
      fc.property(milliseconds, history, fc.nat(), fc.nat(1_000_000), (planned, before, at, longer) => {
        const slower = before.map((one, index) =>
          index === at % before.length ? { ...one, actual: one.actual + longer } : one,
        )
        expect(expectedWorkMs(planned, slower)).toBeGreaterThanOrEqual(expectedWorkMs(planned, before))
      }),
    )
  })
})

/** For each worker how long it is busy: not at all, or with what it does. */
const workers = fc.array(fc.oneof(fc.constant(0), milliseconds), { minLength: 1, maxLength: 8 })
const queues = fc.array(milliseconds, { maxLength: 40 })
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

describe('start times', () => {
  test.each([
    ['nothing before it', [0], [], [0]],
    ['a worker is free', [5000, 0], [], [0]],
    ['every worker is taken', [5000, 3000], [], [3000]],
    ['a line before one worker', [500], [1000, 2000], [500, 1500, 3500]],
    ['a line before two', [10_000, 1000], [2000, 3000], [1000, 3000, 6000]],
    ['one long task ahead leaves the other worker free', [0, 0], [90_000], [0, 0]],
  ])('%s', (_, busy, queue, expected) => {
    expect(startTimes(busy, queue)).toEqual(expected)
  })

  test('no worker rests while a task waits, and none has two', () => {
    fc.assert(
      fc.property(workers, queues, (busy, queue) => {
        const starts = startTimes(busy, queue)
        expect(starts).toEqual(starts.toSorted((one, another) => one - another))
        for (const [index, start] of starts.entries()) {
          const spans = [
            ...busy.map((until) => [0, until] as const),
            ...queue.slice(0, index).map((ms, at) => [starts[at] ?? 0, (starts[at] ?? 0) + ms] as const),
          ]
          const underWay = (moment: number) =>
            spans.filter(([from, to]) => from <= moment && moment < to).length
          expect(underWay(start)).toBeLessThan(busy.length)
          if (start > 0) expect(underWay(start - 1)).toBe(busy.length)
        }
      }),
    )
  })

  const waitAfter = (busy: readonly number[], queue: readonly number[]) =>
    startTimes(busy, queue).at(-1) ?? Number.NaN

  test('the wait is about an even share of the work, and is 0 while a worker is free', () => {
    fc.assert(
      fc.property(workers, queues, (busy, queue) => {
        const wait = waitAfter(busy, queue)
        const share = (sum(busy) + sum(queue)) / busy.length
        expect(wait).toBeLessThanOrEqual(share)
        expect(wait).toBeGreaterThanOrEqual(share - Math.max(...busy, ...queue))
        if (busy.filter((ms) => ms === 0).length > queue.length) expect(wait).toBe(0)
      }),
    )
  })

  test('the wait grows with work at the end of the line, and is no longer with one more worker', () => {
    fc.assert(
      fc.property(workers, queues, milliseconds, (busy, queue, more) => {
        const wait = waitAfter(busy, queue)
        expect(waitAfter(busy, [...queue, more])).toBeGreaterThanOrEqual(wait)
        expect(waitAfter([...busy, 0], queue)).toBeLessThanOrEqual(wait)
      }),
    )
  })

  test('one worker does the work one after another', () => {
    fc.assert(
      fc.property(milliseconds, queues, (left, queue) => {
        expect(waitAfter([left], queue)).toBe(left + sum(queue))
      }),
    )
  })
})
