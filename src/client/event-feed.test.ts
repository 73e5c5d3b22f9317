import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startContractServer } from '../../test/mcp/contract-server.ts'
import { waitUntil } from '../../test/mcp/temporary-folder.ts'
import { createClient } from './client.ts'
import { EventFeed } from './event-feed.ts'
import { createTask } from './tasks.ts'

/** A feed that is connected, on a task that waits. */
async function connected() {
  const service = await startContractServer()
  service.onCreate = () => undefined
  const client = createClient(service)
  const { task_id: id } = await createTask(client, { task_type: 'video_split_screen', body: { clips: [] } })
  const feed = new EventFeed(client)
  const told: string[] = []
  feed.follow((task) => void told.push(task?.task_id ?? 'anything'))
  await waitUntil(() => told.length === 1, 'first snapshot')
  return {
    service,
    id,
    told,
    /** Sends to every follower what the service would not. */
    send(message: unknown) {
      for (const follower of service.eventSockets) follower.send(JSON.stringify(message))
    },
    async [Symbol.asyncDispose]() {
      feed[Symbol.dispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

test('the feed connects again when its socket breaks, and asks for what came after', async () => {
  await using held = await connected()
  held.service.updateTask(held.id, { progress: 10 })
  held.service.updateTask(held.id, { progress: 20 })
  await waitUntil(() => held.told.length === 3, 'events')
  for (const follower of held.service.eventSockets) follower.close()
  await waitUntil(() => held.told.length === 4, 'second snapshot')
  held.service.updateTask(held.id, { progress: 30 })
  await waitUntil(() => held.told.length === 5, 'event')
  expect(held.told).toEqual(['anything', held.id, held.id, 'anything', held.id])
  expect(held.service.subscriptions).toEqual([
    { action: 'subscribe', all: true },
    { action: 'subscribe', all: true, after: 2 },
  ])
})

test('a gap in the numbers means that anything may have changed', async () => {
  await using held = await connected()
  const time = '2026-01-02T03:04:05.000Z'
  const times = { create_time: time, update_time: time }
  const names = { task_id: held.id, id: held.id, task_type: 'video_split_screen' }
  const task = { ...names, status: 'queued', progress: 0, output_result: null, ...times }
  held.send({ event: 'status', seq: 1, task })
  held.send({ event: 'progress', task })
  held.send({ event: 'status', seq: 4, task })
  held.send({ event: 'status', seq: 5, task })
  await waitUntil(() => held.told.length === 5, 'events')
  expect(held.told).toEqual(['anything', held.id, held.id, 'anything', held.id])
})

test('a subscription that the service ends is begun again', async () => {
  await using held = await connected()
  held.service.updateTask(held.id, { progress: 10 })
  held.send({ event: 'error', code: 6500, msg: 'internal error' })
  await waitUntil(() => held.told.length === 3, 'second snapshot')
  expect(held.service.subscriptions.at(-1)).toEqual({ action: 'subscribe', all: true, after: 1 })
})

test('who begins to follow does not wait for the next attempt to connect', async () => {
  let attempts = 0
  const openEvents = async (): Promise<never> => {
    attempts += 1
    throw new Error('not there')
  }
  using feed = new EventFeed({ ...createClient({ baseUrl: 'http://127.0.0.1', apiKey: 'k' }), openEvents })
  for (const wanted of [1, 2, 3]) {
    feed.follow(() => undefined)
    expect(attempts).toBe(wanted)
    await setImmediate()
  }
})
