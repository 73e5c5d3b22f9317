import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keyedMutex, limitConcurrency, limitFairly, SingleFlight } from './concurrency.ts'

test('limitConcurrency never exceeds the limit, starts in order, and continues after a failure', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ turns: fc.integer({ min: 1, max: 5 }), fails: fc.boolean() })),
      async (limit, pieces) => {
        const run = limitConcurrency(limit)
        const started: number[] = []
        let running = 0
        let most = 0
        const results = await Promise.allSettled(
          pieces.map(({ turns, fails }, index) =>
            run(async () => {
              started.push(index)
              most = Math.max(most, ++running)
              for (let turn = 0; turn < turns; turn++) await Promise.resolve()
              running -= 1
              if (fails) throw new Error('failed')
              return index
            }),
          ),
        )
        expect(started).toEqual(pieces.map((_, index) => index))
        expect(most).toBe(Math.min(limit, pieces.length))
        expect(results.map(({ status }) => status === 'rejected')).toEqual(pieces.map(({ fails }) => fails))
      },
    ),
  )
})

const pieces = fc.array(
  fc.record({
    group: fc.integer({ min: 1, max: 4 }),
    turns: fc.integer({ min: 1, max: 5 }),
    fails: fc.boolean(),
  }),
)

test('limitFairly starts others while a group is at its own limit, and continues it afterwards', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), pieces, async (groupLimit, all) => {
      const run = limitFairly({ limit: 4, groupLimit, maxWaiting: 100, excess: () => new Error('too many') })
      const running: number[] = []
      let most = 0
      const results = await Promise.allSettled(
        all.map(({ group, turns, fails }) =>
          run(group, async () => {
            running.push(group)
            most = Math.max(most, running.length)
            expect(running.filter((one) => one === group).length).toBeLessThanOrEqual(groupLimit)
            for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
            running.splice(running.indexOf(group), 1)
            if (fails) throw new Error('failed')
          }),
        ),
      )
      expect(results.map(({ status }) => status === 'rejected')).toEqual(all.map(({ fails }) => fails))
      const groups = [...new Set(all.map(({ group }) => group))]
      const startable = groups.map((group) =>
        Math.min(groupLimit, all.filter((one) => one.group === group).length),
      )
      expect(most).toBe(
        Math.min(
          4,
          startable.reduce((sum, count) => sum + count, 0),
        ),
      )
    }),
  )
})

test('limitFairly never exceeds the limit, and no group has two turns while another waits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 4 }), pieces, async (limit, all) => {
      const run = limitFairly({ limit, maxWaiting: 100, excess: () => new Error('too many') })
      const started: number[] = []
      let running = 0
      const results = await Promise.allSettled(
        all.map(({ group, turns, fails }, index) =>
          run(group, async () => {
            started.push(index)
            running += 1
            expect(running).toBeLessThanOrEqual(limit)
            for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
            running -= 1
            if (fails) throw new Error('failed')
          }),
        ),
      )
      expect(results.map(({ status }) => status === 'rejected')).toEqual(all.map(({ fails }) => fails))
      const groupsFrom = (place: number) => started.slice(place).map((index) => all[index]?.group)
      for (let place = limit; place < started.length; place += 1) {
        const nextTurn = groupsFrom(place).indexOf(groupsFrom(place)[0], 1)
        const between = new Set(groupsFrom(place).slice(0, nextTurn === -1 ? 0 : nextTurn))
        const after = groupsFrom(place).slice(nextTurn === -1 ? started.length : nextTurn)
        for (const group of after) expect(between).toContain(group)
      }
      for (const group of new Set(all.map((piece) => piece.group))) {
        const ofGroup = started.filter((index) => all[index]?.group === group)
        expect(ofGroup).toEqual(ofGroup.toSorted((one, other) => one - other))
      }
    }),
  )
})

test('limitFairly lets a new group start next, rejects excess, and frees the place of an aborted piece', async () => {
  const run = limitFairly({ limit: 1, maxWaiting: 2, excess: () => new Error('too many') })
  const gate = Promise.withResolvers<void>()
  const started: string[] = []
  const piece = (name: string) => async () => void started.push(name)
  const first = run(1, () => gate.promise)
  const aborter = new AbortController()
  const [aborted, second] = [run(1, piece('aborted'), aborter.signal), run(1, piece('second'))]
  await expect(run(1, piece('third'))).rejects.toThrow('too many')
  aborter.abort(new Error('left'))
  await expect(aborted).rejects.toThrow('left')
  const rest = [second, run(1, piece('third')), run(2, piece('of another group'))]
  gate.resolve()
  await Promise.all([first, ...rest])
  expect(started).toEqual(['of another group', 'second', 'third'])
})

test('keyedMutex runs work of equal keys one after another, also after a failure; other keys do not wait', async () => {
  const run = keyedMutex()
  const log: string[] = []
  const gate = Promise.withResolvers<void>()
  const failing = run('a', async () => {
    log.push('a1')
    await gate.promise
    throw new Error('failed')
  })
  const next = run('a', async () => log.push('a2'))
  await run('b', async () => log.push('b1'))
  expect(log).toEqual(['a1', 'b1'])
  gate.resolve()
  await expect(failing).rejects.toThrow('failed')
  await next
  expect(log).toEqual(['a1', 'b1', 'a2'])
  expect(await run('a', async () => 'free again')).toBe('free again')
})

/** Creates work that ends when its gate is resolved or its signal is aborted. */
function createGatedWork() {
  const gate = Promise.withResolvers<string>()
  const started: AbortSignal[] = []
  const work = (signal: AbortSignal): Promise<string> => {
    started.push(signal)
    signal.addEventListener('abort', () => gate.reject(signal.reason))
    return gate.promise
  }
  return { gate, started, work }
}

const never = new AbortController().signal

describe('SingleFlight', () => {
  test('runs once for concurrent callers, and again for a later caller', async () => {
    const shared = new SingleFlight<string>()
    const { gate, started, work } = createGatedWork()
    const all = [1, 2, 3].map(() => shared.join('a', never, work))
    gate.resolve('done')
    expect(await Promise.all(all)).toEqual(['done', 'done', 'done'])
    expect(started).toHaveLength(1)
    expect(await shared.join('a', never, async () => 'again')).toBe('again')
  })

  test('rejects for all callers after a failure, and runs again for a later caller', async () => {
    const shared = new SingleFlight<string>()
    const { gate, work } = createGatedWork()
    const all = [1, 2].map(() => shared.join('a', never, work))
    const failure = new Error('no')
    gate.reject(failure)
    for (const one of all) await expect(one).rejects.toBe(failure)
    expect(await shared.join('a', never, async () => 'again')).toBe('again')
  })

  test('continues when a caller leaves, and is aborted when the last caller leaves', async () => {
    const shared = new SingleFlight<string>()
    const { started, work } = createGatedWork()
    const [first, last] = [new AbortController(), new AbortController()]
    const [one, another] = [shared.join('a', first.signal, work), shared.join('a', last.signal, work)]
    first.abort(new Error('first'))
    await expect(one).rejects.toThrow('first')
    expect(started[0]?.aborted).toBe(false)
    last.abort(new Error('last'))
    await expect(another).rejects.toThrow('last')
    expect(started[0]?.reason).toMatchObject({ message: 'last' })
  })

  test('does not join aborted work; the caller that aborted it waits for its end', async () => {
    const shared = new SingleFlight<string>()
    const ended = Promise.withResolvers<string>()
    const stopped = Promise.withResolvers<void>()
    const slowToEnd = (signal: AbortSignal): Promise<string> => {
      signal.addEventListener('abort', () => stopped.resolve())
      return ended.promise
    }
    const leaving = new AbortController()
    const order: string[] = []
    const aborted = shared.join('a', leaving.signal, slowToEnd).catch(() => order.push('aborted'))
    leaving.abort()
    await stopped.promise
    order.push(await shared.join('a', never, async () => 'again'))
    ended.resolve('late')
    await aborted
    expect(order).toEqual(['again', 'aborted'])
  })

  test('does not start for a caller whose signal is already aborted', async () => {
    const shared = new SingleFlight<string>()
    const { started, work } = createGatedWork()
    await expect(shared.join('a', AbortSignal.abort(), work)).rejects.toMatchObject({ name: 'AbortError' })
    expect(started).toEqual([])
  })
})

test('SingleFlight runs different keys independently', async () => {
  const shared = new SingleFlight<string>()
  const names = ['a', 'b']
  expect(await Promise.all(names.map((name) => shared.join(name, never, async () => name)))).toEqual(names)
})
