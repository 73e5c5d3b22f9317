import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectedWorkMs, startTimes, type CompletedWork, type TimedTask } from './estimate.ts'

const past = (planned: number, ...actual: number[]): CompletedWork[] =>
  actual.map((one) => ({ planned, actual: one }))
const milliseconds = fc.integer({ min: 0, max: 10_000_000 })
const history = fc.array(fc.record({ planned: milliseconds, actual: milliseconds }), { maxLength: 60 })

describe('expectedWorkMs', () => {
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
    expect(expectedWorkMs(planned, before)).toBe(expected)
  })

  test('differs from the plan by a factor of at most twenty, and does not depend on the order of the history', () => {
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

  test('does not decrease when a past task took longer', () => {
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

/** Remaining busy time of each worker, ms; 0 for a free one. */
const workers = fc.array(fc.oneof(fc.constant(0), milliseconds), { minLength: 1, maxLength: 8 })
const queues = fc.array(milliseconds, { maxLength: 40 })
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

const timed = (id: string, workMs: number, accountId = 1): TimedTask => ({
  ...{ id, workMs, accountId },
  ...{ keyId: `key of ${accountId}`, priority: 1 },
})

/** Start times of the tasks of one account, and last of one behind them. busy: remaining work of each worker, ms. */
function startsInOrder(busy: readonly number[], queue: readonly number[]): number[] {
  const running = busy.flatMap((ms, index) => (ms > 0 ? timed(`running ${index}`, ms) : []))
  const waiting = [...queue, 1000].map((ms, index) => timed(String(index).padStart(3, '0'), ms))
  const load = { workers: busy.length, running, waiting, runningPerKey: 1, turns: new Map() }
  return [...startTimes(load).values()]
}

describe('startTimes', () => {
  test.each([
    ['no task ahead', [0], [], [0]],
    ['a worker is free', [5000, 0], [], [0]],
    ['all workers are busy', [5000, 3000], [], [3000]],
    ['a queue for one worker', [500], [1000, 2000], [500, 1500, 3500]],
    ['a queue for two workers', [10_000, 1000], [2000, 3000], [1000, 3000, 6000]],
    ['one long task ahead leaves the other worker free', [0, 0], [90_000], [0, 0]],
  ])('%s', (_, busy, queue, expected) => {
    expect(startsInOrder(busy, queue)).toEqual(expected)
  })

  test('no worker is idle while a task waits, and none runs two tasks', () => {
    fc.assert(
      fc.property(workers, queues, (busy, queue) => {
        const starts = startsInOrder(busy, queue)
        expect(starts).toEqual(starts.toSorted((one, another) => one - another))
        for (const [index, start] of starts.entries()) {
          const spans = [
            ...busy.map((until) => [0, until] as const),
            ...queue.slice(0, index).map((ms, at) => [starts[at] ?? 0, (starts[at] ?? 0) + ms] as const),
          ]
          const runningAt = (moment: number) =>
            spans.filter(([from, to]) => from <= moment && moment < to).length
          expect(runningAt(start)).toBeLessThan(busy.length)
          if (start > 0) expect(runningAt(start - 1)).toBe(busy.length)
        }
      }),
    )
  })

  const waitAfter = (busy: readonly number[], queue: readonly number[]) =>
    startsInOrder(busy, queue).at(-1) ?? Number.NaN

  test('the wait is close to an even share of the work, and 0 while a worker is free', () => {
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

  test('the wait does not decrease with more work, nor increase with one more worker', () => {
    fc.assert(
      fc.property(workers, queues, milliseconds, (busy, queue, more) => {
        const wait = waitAfter(busy, queue)
        expect(waitAfter(busy, [...queue, more])).toBeGreaterThanOrEqual(wait)
        expect(waitAfter([...busy, 0], queue)).toBeLessThanOrEqual(wait)
      }),
    )
  })

  test('with one worker the wait is the sum of all work', () => {
    fc.assert(
      fc.property(milliseconds, queues, (left, queue) => {
        expect(waitAfter([left], queue)).toBe(left + sum(queue))
      }),
    )
  })

  test('a task of another account starts after the first that ends, whatever waits', () => {
    const running = [timed('r1', 3000), timed('r2', 1000)]
    const waiting = Array.from({ length: 300 }, (_, index) => ({ ...timed(`h${index}`, 4000), priority: 2 }))
    const load = { workers: 2, running, runningPerKey: 1, turns: new Map([[1, 2]]) }
    const starts = startTimes(
      { ...load, waiting: [...waiting, timed('v1', 10, 2), timed('v2', 10, 2)] },
      'v2',
    )
    expect([...starts]).toEqual([
      ['v1', 1000],
      ['v2', 1010],
    ])
  })

  test('ends with the last task that is asked for', () => {
    const waiting = [timed('1', 5), timed('2', 5), timed('3', 5)]
    const load = { workers: 1, running: [], waiting, runningPerKey: 1, turns: new Map() }
    expect([...startTimes(load, '2')]).toEqual([
      ['1', 0],
      ['2', 5],
    ])
  })
})
