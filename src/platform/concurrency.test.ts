import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { keyedMutex, limitConcurrency, SingleFlight } from './concurrency.ts'

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
