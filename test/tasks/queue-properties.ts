import { expect, test } from 'vitest'
import { priorities, type Priority } from '../../src/contract/task.ts'
import type { Queue } from '../../src/queue/queue.ts'

/** Environment of the tests. */
export interface QueueFixture extends AsyncDisposable {
  readonly queue: Queue
  /** Makes a task ready in a committed transaction; accounts are 1 to 3. */
  add(task: { id: string; priority?: Priority; readyAt?: number; accountId?: number }): Promise<void>
  /** Marks a task as not queued, the first step of a handler. */
  markStarted(id: string): Promise<void>
  /** Sets the queue's clock, ms since 1970. */
  setClock(now: number): void
}

/** Tests for every queue. */
export function testQueueProperties(open: () => Promise<QueueFixture>): void {
  test('passes every ready task of an account once, by priority, then in order of creation', async () => {
    await using bench = await open()
    const order = ['1', '2', '3', '4', '5', '6']
    for (const [index, id] of order.entries())
      await bench.add({ id, priority: priorities[index % 3] ?? 'normal' })
    const handledIds: string[] = []
    await consumeUntil(bench, { concurrency: 1, count: 6, work: async (id) => void handledIds.push(id) })
    expect(handledIds).toEqual(['3', '6', '2', '5', '1', '4'])
  })

  test('alternates between accounts, whatever the priority of their tasks', async () => {
    await using bench = await open()
    for (const id of ['1', '2', '3', '4']) await bench.add({ id, priority: 'high' })
    await bench.add({ id: '5', priority: 'low', accountId: 2 })
    const handledIds = await consumeUntil(bench, {
      concurrency: 1,
      count: 7,
      work: async (id) => {
        if (id !== '1') return
        await bench.add({ id: '6', accountId: 2 })
        await bench.add({ id: '7', accountId: 3 })
      },
    })
    expect(handledIds).toEqual(['1', '6', '7', '2', '5', '3', '4'])
  })

  test('fills all workers with the tasks of one account, and gives the first free one to another', async () => {
    await using bench = await open()
    for (const id of ['1', '2', '3', '4']) await bench.add({ id })
    const gates = new Map(['1', '2', '3', '4', '5'].map((id) => [id, Promise.withResolvers<void>()]))
    const handled: string[] = []
    const full = Promise.withResolvers<void>()
    const consumed = consumeUntil(bench, {
      concurrency: 3,
      count: 5,
      work: async (id) => {
        handled.push(id)
        if (handled.length === 3) full.resolve()
        await gates.get(id)?.promise
      },
    })
    await full.promise
    expect(handled).toEqual(['1', '2', '3'])
    await bench.add({ id: '5', priority: 'low', accountId: 2 })
    for (const gate of gates.values()) gate.resolve()
    await consumed
    expect(handled).toEqual(['1', '2', '3', '5', '4'])
  })

  test('runs up to the limit concurrently and never more', async () => {
    await using bench = await open()
    for (let id = 0; id < 12; id++) await bench.add({ id: String(id).padStart(2, '0') })
    let running = 0
    let most = 0
    await consumeUntil(bench, {
      concurrency: 3,
      count: 12,
      work: async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise(setImmediate)
        running -= 1
      },
    })
    expect(most).toBe(3)
  })

  test('a task added during a run starts without delay', async () => {
    await using bench = await open()
    const consumed = consumeUntil(bench, { concurrency: 1, count: 1, work: async () => undefined })
    await bench.add({ id: '1' })
    expect(await consumed).toEqual(['1'])
  })

  test('a retry starts at its time, not before, and delays no other task', async () => {
    await using bench = await open()
    bench.setClock(1_000)
    await bench.add({ id: '1', readyAt: 1_050 })
    await bench.add({ id: '2', readyAt: 1_000 })
    const handledIds = await consumeUntil(bench, {
      concurrency: 1,
      count: 2,
      work: async (id) => {
        if (id === '2') bench.setClock(1_050)
      },
    })
    expect(handledIds).toEqual(['2', '1'])
  })

  test('stop aborts running tasks and waits for them', async () => {
    await using bench = await open()
    await bench.add({ id: '1' })
    let ended = false
    const { promise: started, resolve: start } = Promise.withResolvers<void>()
    const consumer = bench.queue.consume(async (id, signal) => {
      await bench.markStarted(id)
      start()
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      ended = true
    }, 1)
    await started
    await consumer.stop()
    expect(ended).toBe(true)
  })
}

async function consumeUntil(
  bench: QueueFixture,
  plan: { concurrency: number; count: number; work: (id: string) => Promise<void> },
): Promise<string[]> {
  const handledIds: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const consumer = bench.queue.consume(async (id) => {
    await bench.markStarted(id)
    await plan.work(id)
    handledIds.push(id)
    if (handledIds.length === plan.count) resolve()
  }, plan.concurrency)
  await promise
  await consumer.stop()
  return handledIds
}
