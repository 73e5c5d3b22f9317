import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ScheduledTask, Scheduler, WaitingTasks } from '../queue/scheduler.ts'
import { startTimes, type TimedTask } from './estimate.ts'
import { WorkHistory } from './work-history.ts'

const milliseconds = fc.integer({ min: 0, max: 10_000_000 })

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

/** A task of the simulation. */
interface SimulatedTask extends ScheduledTask {
  readonly createdAt: number
  /** Its type's plan and its actual work, ms. */
  readonly plannedMs: number
  readonly workMs: number
  readonly reportsProgress: boolean
}

/** A random queue: tasks of accounts and keys with any priority, created within a time. The last one is observed. */
interface Scenario {
  readonly workers: number
  readonly runningPerKey: number
  readonly tasks: readonly SimulatedTask[]
}

/** How much work differs from the plan: by a factor of the type, which its history shows, and at random. */
interface Deviation {
  readonly typeRatio: number
  readonly spread: number
}

const scenarios = ({ typeRatio, spread }: Deviation): fc.Arbitrary<Scenario> => {
  const task = fc.record({
    accountId: fc.integer({ min: 1, max: 4 }),
    key: fc.integer({ min: 1, max: 2 }),
    priority: fc.integer({ min: 0, max: 2 }),
    createdAt: fc.integer({ min: 0, max: 120_000 }),
    plannedMs: fc.constantFrom(500, 4000, 30_000, 200_000),
    deviation: fc.double({ min: 1 - spread, max: 1 + spread, noNaN: true }),
    reportsProgress: fc.boolean(),
  })
  return fc
    .record({
      workers: fc.integer({ min: 1, max: 4 }),
      runningPerKey: fc.integer({ min: 1, max: 3 }),
      tasks: fc.array(task, { minLength: 2, maxLength: 40, size: 'max' }),
    })
    .map(({ tasks, ...rest }) => ({
      ...rest,
      tasks: tasks
        .toSorted((one, other) => one.createdAt - other.createdAt)
        .map(({ key, deviation, ...one }, index) => ({
          ...one,
          id: String(index).padStart(3, '0'),
          keyId: `key ${key} of ${one.accountId}`,
          workMs: one.plannedMs * typeRatio * deviation,
        })),
    }))
}

/** Runs a scenario, and compares the real wait of its last task with the one expected at its creation, ms. */
function simulate({ workers: workerCount, runningPerKey, tasks }: Scenario, history: WorkHistory) {
  const last = tasks.at(-1)
  if (!last) throw new Error('a scenario has tasks')
  const scheduler = new Scheduler({ runningPerKey })
  const running = new Map<SimulatedTask, number>()
  const toCreate = [...tasks]
  let waiting: SimulatedTask[] = []
  let expectedMs = Number.NaN
  for (;;) {
    const ends = [...running].map(([task, startedAt]) => startedAt + task.workMs)
    const now = Math.min(toCreate[0]?.createdAt ?? Infinity, ...ends)
    for (const [task, startedAt] of running) {
      if (startedAt + task.workMs > now) continue
      running.delete(task)
      scheduler.end(task)
    }
    for (; toCreate[0] && toCreate[0].createdAt <= now; toCreate.shift()) waiting.push(toCreate[0])
    if (Number.isNaN(expectedMs) && waiting.includes(last)) {
      const load = { workers: workerCount, runningPerKey, turns: scheduler.turns }
      const timedRunning = [...running].map(([task, startedAt]) => {
        const elapsedMs = now - startedAt
        const progress = task.reportsProgress ? Math.floor((100 * elapsedMs) / task.workMs) : 0
        return { ...task, workMs: history.remainingMs({ plannedMs: task.plannedMs, elapsedMs, progress }) }
      })
      const timedWaiting = waiting.map((task) => ({ ...task, workMs: history.expectedMs(task.plannedMs) }))
      const starts = startTimes({ ...load, running: timedRunning, waiting: timedWaiting }, last.id)
      expectedMs = starts.get(last.id) ?? Number.NaN
    }
    const line = new WaitingTasks(waiting)
    while (running.size < workerCount) {
      const next = line.take(scheduler)
      if (!next) break
      waiting = waiting.filter((task) => task !== next)
      scheduler.start(next)
      running.set(next, now)
      if (next === last) return { expectedMs, actualMs: now - last.createdAt }
    }
  }
}

describe('expected waits in a simulated queue', () => {
  test.each<[string, Deviation, number]>([
    ['of tasks that take as long as planned', { typeRatio: 1, spread: 0 }, 0.98],
    ['of tasks that take as long as planned, more or less', { typeRatio: 1, spread: 0.3 }, 0.95],
    ['of tasks that take ten times as long, as their history shows', { typeRatio: 10, spread: 0.3 }, 0.95],
  ])('%s, are nearly always within a factor of 3 or 2 s', (_, deviation, share) => {
    const { typeRatio, spread } = deviation
    const past = Array.from({ length: 50 }, (__, index) => ({
      planned: 1000,
      actual: 1000 * typeRatio * (1 + spread * ((2 * index) / 49 - 1)),
    }))
    const history = new WorkHistory(past)
    const waits = fc
      .sample(scenarios(deviation), { numRuns: 1000, seed: 18 })
      .map((one) => simulate(one, history))
    const isNear = ({ expectedMs, actualMs }: ReturnType<typeof simulate>) =>
      Math.abs(expectedMs - actualMs) <= 2000 || (expectedMs <= 3 * actualMs && actualMs <= 3 * expectedMs)
    expect(waits.filter(({ actualMs }) => actualMs > 2000).length).toBeGreaterThan(300)
    expect(waits.filter(isNear).length / waits.length).toBeGreaterThanOrEqual(share)
  })
})
