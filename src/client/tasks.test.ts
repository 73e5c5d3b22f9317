import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { startContractServer } from '../../test/mcp/contract-server.ts'
import { waitUntil } from '../../test/mcp/temporary-folder.ts'
import { createClient } from './client.ts'
import { EventFeed } from './event-feed.ts'
import { createTask, expectedTimes, findTask, pollDelay, waitForTask } from './tasks.ts'

const type = 'video_split_screen'
const never = new AbortController().signal

async function queued() {
  const service = await startContractServer()
  service.onCreate = () => undefined
  const client = createClient(service)
  const task = await createTask(client, { task_type: type, body: { clips: [] } })
  return { service, client, task, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test('polls come at 0.1 s first, never closer than before, at most 5 s apart', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7].map(pollDelay)).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000])
  fc.assert(
    fc.property(fc.nat(10_000), (poll) => {
      expect(pollDelay(poll + 1)).toBeGreaterThanOrEqual(pollDelay(poll))
      expect(pollDelay(poll)).toBeLessThanOrEqual(5000)
    }),
  )
})

describe('waiting', () => {
  test('ends with the task, by polling alone', async () => {
    await using held = await queued()
    const seen: string[] = []
    const waiting = waitForTask(held.client, held.task, {
      signal: never,
      onChange: ({ status }) => {
        seen.push(status)
        if (seen.length === 2)
          held.service.updateTask(held.task.task_id, { status: 'completed', progress: 100 })
      },
    })
    expect(await waiting).toMatchObject({ status: 'completed', progress: 100 })
    expect(seen).toEqual(['queued', 'queued', 'completed'])
  })

  test('ends at once with an event', async () => {
    await using held = await queued()
    using feed = new EventFeed(held.client)
    let polls = 0
    const waiting = waitForTask(held.client, held.task, {
      signal: never,
      changes: feed,
      onChange: () => void (polls += 1),
    })
    await waitUntil(
      () => polls >= 6 && held.service.eventSockets.size === 1,
      'slow polling with a socket open',
    )
    const moved = Date.now()
    held.service.updateTask(held.task.task_id, { status: 'failed', output: { error: { code: 6500 } } })
    expect(await waiting).toMatchObject({ status: 'failed' })
    // The next poll alone would come more than 3 s later.
    expect(Date.now() - moved).toBeLessThan(1500)
  })

  test('ends with the signal and returns the current task', async () => {
    await using held = await queued()
    const waiting = waitForTask(held.client, held.task, { signal: AbortSignal.timeout(30) })
    expect(await waiting).toMatchObject({ status: 'queued' })
    expect(held.service.tasks.get(held.task.task_id)?.status).toBe('queued')
  })
})

test('a service that answers a creation with its result is not asked for the task', async () => {
  const result = { task_id: '1763712000000000001', language: 'en-US', candidates: [] }
  const requests: (string | undefined)[] = []
  const server = createServer((request, response) => {
    requests.push(request.method, request.headers['prefer']?.toString())
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ code: 200, msg: 'success', data: result }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key' })
    const body = { file_id: '1' }
    const { joined, ...ended } = await createTask(client, { task_type: 'test', body, synchronous: true })
    const { task_id, ...output_result } = result
    expect(joined).toBe(false)
    expect(ended).toMatchObject({ task_id, status: 'completed', progress: 100, output_result })
    expect(await waitForTask(client, { task_id, task_type: 'test', ended }, { signal: never })).toBe(ended)
    expect(requests).toEqual(['POST', 'respond-async'])
  } finally {
    server.close()
  }
})

test('a creation whose connection breaks is repeated under its key; the next one has another', async () => {
  await using held = await queued()
  const keys: unknown[] = []
  held.service.beforeResponse = (request) => {
    keys.push(request.headers['idempotency-key'])
    if (keys.length < 3) request.socket.destroy()
  }
  const body = { clips: [] }
  await createTask(held.client, { task_type: type, body })
  await createTask(held.client, { task_type: type, body })
  expect(keys).toHaveLength(4)
  expect(new Set(keys.slice(0, 3)).size).toBe(1)
  expect(new Set(keys.slice(2)).size).toBe(2)
  for (const key of keys) expect(key).toMatch(/^[!-~]{1,255}$/)
})

test('the expected times of a queued task come from the task list, if it contains the task', async () => {
  await using held = await queued()
  expect(await expectedTimes(held.client, held.task)).toEqual({ wait: 40, work: 12 })
  expect(await expectedTimes(held.client, { ...held.task, task_id: '42' })).toBeNull()
  const { task_id } = held.task
  const worked = { ...held.task, status: 'processing' } as const
  held.service.updateTask(task_id, { status: 'processing', progress: 1 })
  expect(await expectedTimes(held.client, worked), 'of its estimate').toEqual({ wait: 0, work: 9 })
  // It says 10 % at once and is silent then: that does not tell how fast it is.
  held.service.updateTask(task_id, { progress: 10 })
  expect(await expectedTimes(held.client, worked), 'of its estimate still').toEqual({ wait: 0, work: 9 })
  held.service.processingSeconds = 15
  expect(await expectedTimes(held.client, worked), 'longer than its estimate').toEqual({
    wait: 0,
    work: null,
  })
  held.service.updateTask(task_id, { progress: 75 })
  expect(await expectedTimes(held.client, worked), 'of what it took').toEqual({ wait: 0, work: 5 })
  expect(await expectedTimes(held.client, { ...worked, status: 'completed' })).toBeNull()
  held.service.beforeResponse = (_request, response) => void response.writeHead(404).end('no such path')
  expect(await expectedTimes(held.client, held.task)).toBeNull()
})

test('a task is found by its id alone', async () => {
  await using held = await queued()
  const types = ['image_purify', type]
  expect(await findTask(held.client, held.task.task_id, { types })).toMatchObject({ task_type: type })
  await expect(findTask(held.client, '42', { types })).rejects.toMatchObject({ code: 6005 })
})
