import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { keyedMutex, limitConcurrency, SingleFlight } from './concurrency.ts'

it('never exceeds the limit, starts in order, and continues after a failure', async () => {
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

test('work of one name goes one after another, also after a failure; of another name it does not wait', async () => {
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

/** Work that ends when the test says so, or with its abort. */
function held() {
  const gate = Promise.withResolvers<string>()
  const begun: AbortSignal[] = []
  const work = (signal: AbortSignal): Promise<string> => {
    begun.push(signal)
    signal.addEventListener('abort', () => gate.reject(signal.reason))
    return gate.promise
  }
  return { gate, begun, work }
}

const never = new AbortController().signal

describe('work of one name', () => {
  test('is done once for all who wait, and anew for who comes later', async () => {
    const shared = new SingleFlight<string>()
    const { gate, begun, work } = held()
    const all = [1, 2, 3].map(() => shared.join('a', never, work))
    gate.resolve('done')
    expect(await Promise.all(all)).toEqual(['done', 'done', 'done'])
    expect(begun).toHaveLength(1)
    expect(await shared.join('a', never, async () => 'again')).toBe('again')
  })

  test('that fails fails for all, and is tried anew', async () => {
    const shared = new SingleFlight<string>()
    const { gate, work } = held()
    const all = [1, 2].map(() => shared.join('a', never, work))
    const failure = new Error('no')
    gate.reject(failure)
    for (const one of all) await expect(one).rejects.toBe(failure)
    expect(await shared.join('a', never, async () => 'again')).toBe('again')
  })

  test('continues after a caller leaves, and ends with the last caller', async () => {
    const shared = new SingleFlight<string>()
    const { begun, work } = held()
    const [first, last] = [new AbortController(), new AbortController()]
    const [one, another] = [shared.join('a', first.signal, work), shared.join('a', last.signal, work)]
    first.abort(new Error('first'))
    await expect(one).rejects.toThrow('first')
    expect(begun[0]?.aborted).toBe(false)
    last.abort(new Error('last'))
    await expect(another).rejects.toThrow('last')
    expect(begun[0]?.reason).toMatchObject({ message: 'last' })
  })

  test('that was given up is not joined, and who gave it up waits for its end', async () => {
    const shared = new SingleFlight<string>()
    const ended = Promise.withResolvers<string>()
    const stopped = Promise.withResolvers<void>()
    const slowToEnd = (signal: AbortSignal): Promise<string> => {
      signal.addEventListener('abort', () => stopped.resolve())
      return ended.promise
    }
    const gone = new AbortController()
    const order: string[] = []
    const given = shared.join('a', gone.signal, slowToEnd).catch(() => order.push('given up'))
    gone.abort()
    await stopped.promise
    order.push(await shared.join('a', never, async () => 'anew'))
    ended.resolve('late')
    await given
    expect(order).toEqual(['anew', 'given up'])
  })

  test('is not begun for who has gone already', async () => {
    const shared = new SingleFlight<string>()
    const { begun, work } = held()
    await expect(shared.join('a', AbortSignal.abort(), work)).rejects.toMatchObject({ name: 'AbortError' })
    expect(begun).toEqual([])
  })
})

test('work of different names has nothing to do with each other', async () => {
  const shared = new SingleFlight<string>()
  const names = ['a', 'b']
  expect(await Promise.all(names.map((name) => shared.join(name, never, async () => name)))).toEqual(names)
})
