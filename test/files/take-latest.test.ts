import fc from 'fast-check'
import { expect, test } from 'vitest'
import { takeLatest } from '../../src/files/take-latest.ts'

/** A client controlled by the test. */
function createSender() {
  const chunks: (string | Error | null)[] = []
  let more = Promise.withResolvers<void>()
  const send = (chunk: string | Error | null): void => {
    chunks.push(chunk)
    more.resolve()
    more = Promise.withResolvers<void>()
  }
  async function* sent(): AsyncGenerator<Uint8Array> {
    for (;;) {
      while (chunks.length === 0) await more.promise
      const chunk = chunks.shift() ?? null
      if (chunk === null) return
      if (chunk instanceof Error) throw chunk
      yield Buffer.from(chunk)
    }
  }
  return { sent: sent(), send }
}

/** Work that records its input, start and end. */
function createRecorder() {
  const log: string[] = []
  const work = (name: string) => async (source: AsyncIterable<Uint8Array>) => {
    log.push(`${name} begins`)
    try {
      let all = ''
      for await (const chunk of source) all += Buffer.from(chunk).toString()
      return all
    } finally {
      log.push(`${name} ends`)
    }
  }
  return { log, work }
}

test('a single call receives its input', async () => {
  const receive = takeLatest<string>()
  const { sent, send } = createSender()
  send('some ')
  send('bytes')
  send(null)
  expect(await receive('a', sent, createRecorder().work('only'))).toBe('some bytes')
})

test('a newer call proceeds at once; the older one returns the same result after its input ends', async () => {
  const receive = takeLatest<string>()
  const { log, work } = createRecorder()
  const [stalled, current] = [createSender(), createSender()]
  stalled.send('half')
  const older = receive('a', stalled.sent, work('older'))
  const newer = receive('a', current.sent, work('newer'))
  current.send('whole')
  current.send(null)
  expect(await newer).toBe('whole')
  expect(log).toEqual(['older begins', 'older ends', 'newer begins', 'newer ends'])
  stalled.send('rest')
  stalled.send(null)
  expect(await older).toBe('whole')
})

test('a failing call keeps its error; a call superseded by a failing one is interrupted', async () => {
  const receive = takeLatest<string>()
  const { work } = createRecorder()
  const [first, second, third] = [createSender(), createSender(), createSender()]
  const outcomes = Promise.allSettled([
    receive('a', first.sent, work('first')),
    receive('a', second.sent, work('second')),
    receive('a', third.sent, work('third')),
  ])
  first.send(new Error('broke off'))
  third.send(new Error('wrong'))
  await ticks(1)
  second.send(null)
  expect(await outcomes).toMatchObject([
    { reason: { message: 'broke off' } },
    { reason: { code: 6036, retryable: true } },
    { reason: { message: 'wrong' } },
  ])
})

test('names are independent', async () => {
  const receive = takeLatest<string>()
  const { work } = createRecorder()
  const [one, other] = [createSender(), createSender()]
  const outcomes = Promise.all([receive('a', one.sent, work('a')), receive('b', other.sent, work('b'))])
  one.send('a')
  other.send('b')
  one.send(null)
  other.send(null)
  expect(await outcomes).toEqual(['a', 'b'])
})

test('in any order, calls never overlap, and the last one determines the result of all it superseded', async () => {
  const pauses = fc.array(fc.nat(3), { minLength: 4, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.array(pauses, { minLength: 1, maxLength: 5 }), async (senders) => {
      const receive = takeLatest<number>()
      let working = 0
      const outcomes = senders.map(async ([start = 0, ...laterSteps], turn) => {
        await ticks(start)
        async function* sent(): AsyncGenerator<Uint8Array> {
          for (const pause of laterSteps) {
            await ticks(pause)
            yield Buffer.of(turn)
          }
        }
        return await receive('a', sent(), async (source) => {
          working += 1
          expect(working).toBe(1)
          let chunks = 0
          try {
            for await (const chunk of source) {
              expect(chunk[0]).toBe(turn)
              chunks += 1
              await ticks(1)
            }
          } finally {
            working -= 1
          }
          expect(chunks, 'nothing that was not sent whole succeeds').toBe(laterSteps.length)
          return turn
        })
      })
      const results = await Promise.all(outcomes)
      for (const [turn, result] of results.entries()) {
        const [startStep = 0] = senders[turn] ?? []
        expect(senders[result]?.[0], 'only a later one answers for another').toBeGreaterThanOrEqual(startStep)
      }
    }),
  )
})

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await new Promise((resolve) => setImmediate(resolve))
}
