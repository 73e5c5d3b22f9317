import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startContractServer } from '../../test/mcp/contract-server.ts'
import { waitUntil } from '../../test/mcp/temporary-folder.ts'
import { createClient } from './client.ts'
import { EventFeed } from './event-feed.ts'
import { createTask } from './tasks.ts'

/** Connects a feed, with one queued task. */
async function connected() {
  const service = await startContractServer()
  service.onCreate = () => undefined
  const client = createClient(service)
  const { task_id: id } = await createTask(client, { task_type: 'video_split_screen', body: { clips: [] } })
  const feed = new EventFeed(client)
  const received: string[] = []
  feed.follow((task) => void received.push(task?.task_id ?? 'anything'))
  await waitUntil(() => received.length === 1, 'first snapshot')
  return {
    service,
    id,
    received,
    /** Sends any message to all sockets. */
    send(message: unknown) {
      for (const follower of service.eventSockets) follower.send(JSON.stringify(message))
    },
    async [Symbol.asyncDispose]() {
      feed[Symbol.dispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

test('the feed reconnects when its socket breaks, and requests the events since then', async () => {
  await using subscription = await connected()
  subscription.service.updateTask(subscription.id, { progress: 10 })
  subscription.service.updateTask(subscription.id, { progress: 20 })
  await waitUntil(() => subscription.received.length === 3, 'events')
  for (const follower of subscription.service.eventSockets) follower.close()
  await waitUntil(() => subscription.received.length === 4, 'second snapshot')
  subscription.service.updateTask(subscription.id, { progress: 30 })
  await waitUntil(() => subscription.received.length === 5, 'event')
  expect(subscription.received).toEqual([
    'anything',
    subscription.id,
    subscription.id,
    'anything',
    subscription.id,
  ])
  expect(subscription.service.subscriptions).toEqual([
    { action: 'subscribe', all: true },
    { action: 'subscribe', all: true, after: 2 },
  ])
})

test('a gap in the numbers means that anything may have changed', async () => {
  await using subscription = await connected()
  const time = '2026-01-02T03:04:05.000Z'
  const times = { create_time: time, update_time: time }
  const names = { task_id: subscription.id, id: subscription.id, task_type: 'video_split_screen' }
  const task = { ...names, status: 'queued', progress: 0, output_result: null, ...times }
  subscription.send({ event: 'status', seq: 1, task })
  subscription.send({ event: 'progress', task })
  subscription.send({ event: 'status', seq: 4, task })
  subscription.send({ event: 'status', seq: 5, task })
  await waitUntil(() => subscription.received.length === 5, 'events')
  expect(subscription.received).toEqual([
    'anything',
    subscription.id,
    subscription.id,
    'anything',
    subscription.id,
  ])
})

test('a subscription that the service ends is renewed', async () => {
  await using subscription = await connected()
  subscription.service.updateTask(subscription.id, { progress: 10 })
  subscription.send({ event: 'error', code: 6500, msg: 'internal error' })
  await waitUntil(() => subscription.received.length === 3, 'second snapshot')
  expect(subscription.service.subscriptions.at(-1)).toEqual({ action: 'subscribe', all: true, after: 1 })
})

test('a new follower connects immediately, without waiting for the next attempt', async () => {
  let attempts = 0
  const openEvents = async (): Promise<never> => {
    attempts += 1
    throw new Error('unreachable')
  }
  using feed = new EventFeed({ ...createClient({ baseUrl: 'http://127.0.0.1', apiKey: 'k' }), openEvents })
  for (const expected of [1, 2, 3]) {
    feed.follow(() => undefined)
    expect(attempts).toBe(expected)
    await setImmediate()
  }
})
