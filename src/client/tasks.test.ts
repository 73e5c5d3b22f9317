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

async function createQueuedTask() {
  const service = await startContractServer()
  service.onCreate = () => undefined
  const client = createClient(service)
  const task = await createTask(client, { task_type: type, body: { clips: [] } })
  return { service, client, task, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

test('the poll delay starts at 0.1 s, never shrinks and is at most 5 s', () => {
  expect([0, 1, 2, 3, 4, 5, 6, 7].map(pollDelay)).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000])
  fc.assert(
    fc.property(fc.nat(10_000), (poll) => {
      expect(pollDelay(poll + 1)).toBeGreaterThanOrEqual(pollDelay(poll))
      expect(pollDelay(poll)).toBeLessThanOrEqual(5000)
    }),
  )
})

describe('waitForTask', () => {
  test('resolves when the task ends, by polling only', async () => {
    await using queued = await createQueuedTask()
    const statuses: string[] = []
    const waiting = waitForTask(queued.client, queued.task, {
      signal: never,
      onChange: ({ status }) => {
        statuses.push(status)
        if (statuses.length === 2)
          queued.service.updateTask(queued.task.task_id, { status: 'completed', progress: 100 })
      },
    })
    expect(await waiting).toMatchObject({ status: 'completed', progress: 100 })
    expect(statuses).toEqual(['queued', 'queued', 'completed'])
  })

  test('resolves immediately on an event', async () => {
    await using queued = await createQueuedTask()
    using feed = new EventFeed(queued.client)
    let polls = 0
    const waiting = waitForTask(queued.client, queued.task, {
      signal: never,
      changes: feed,
      onChange: () => void (polls += 1),
    })
    await waitUntil(
      () => polls >= 6 && queued.service.eventSockets.size === 1,
      'slow polling with an open socket',
    )
    const updatedAt = Date.now()
    queued.service.updateTask(queued.task.task_id, { status: 'failed', output: { error: { code: 6500 } } })
    expect(await waiting).toMatchObject({ status: 'failed' })
    // The next poll alone would come more than 3 s later.
    expect(Date.now() - updatedAt).toBeLessThan(1500)
  })

  test('returns the current task when its signal is aborted', async () => {
    await using queued = await createQueuedTask()
    const waiting = waitForTask(queued.client, queued.task, { signal: AbortSignal.timeout(30) })
    expect(await waiting).toMatchObject({ status: 'queued' })
    expect(queued.service.tasks.get(queued.task.task_id)?.status).toBe('queued')
  })
})

test('a creation that returns its result is not followed by a query of the task', async () => {
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

test('a creation whose connection breaks is repeated with the same idempotency key; the next creation has another', async () => {
  await using queued = await createQueuedTask()
  const keys: unknown[] = []
  queued.service.beforeResponse = (request) => {
    keys.push(request.headers['idempotency-key'])
    if (keys.length < 3) request.socket.destroy()
  }
  const body = { clips: [] }
  await createTask(queued.client, { task_type: type, body })
  await createTask(queued.client, { task_type: type, body })
  expect(keys).toHaveLength(4)
  expect(new Set(keys.slice(0, 3)).size).toBe(1)
  expect(new Set(keys.slice(2)).size).toBe(2)
  for (const key of keys) expect(key).toMatch(/^[!-~]{1,255}$/)
})

test('the expected times of a queued task come from the task list, if it contains the task', async () => {
  await using queued = await createQueuedTask()
  expect(await expectedTimes(queued.client, queued.task)).toEqual({ wait: 40, work: 12 })
  expect(await expectedTimes(queued.client, { ...queued.task, task_id: '42' })).toBeNull()
  const { task_id } = queued.task
  const running = { ...queued.task, status: 'processing' } as const
  queued.service.updateTask(task_id, { status: 'processing', progress: 1 })
  expect(await expectedTimes(queued.client, running), 'based on the estimate').toEqual({ wait: 0, work: 9 })
  // It reports 10 % at once and nothing afterwards, which does not show its speed.
  queued.service.updateTask(task_id, { progress: 10 })
  expect(await expectedTimes(queued.client, running), 'still based on the estimate').toEqual({
    wait: 0,
    work: 9,
  })
  queued.service.processingSeconds = 15
  expect(await expectedTimes(queued.client, running), 'longer than the estimate').toEqual({
    wait: 0,
    work: null,
  })
  queued.service.updateTask(task_id, { progress: 75 })
  expect(await expectedTimes(queued.client, running), 'based on the elapsed time').toEqual({
    wait: 0,
    work: 5,
  })
  queued.service.updateTask(task_id, { progress: 99 })
  queued.service.processingSeconds = 60
  expect(await expectedTimes(queued.client, running), 'the last percent after the estimate').toEqual({
    wait: 0,
    work: null,
  })
  queued.service.updateTask(task_id, { progress: 1 })
  queued.service.processingSeconds = 11.5
  expect(await expectedTimes(queued.client, running), 'the end of the estimate without progress').toEqual({
    wait: 0,
    work: null,
  })
  expect(await expectedTimes(queued.client, { ...running, status: 'completed' })).toBeNull()
  queued.service.beforeResponse = (_request, response) => void response.writeHead(404).end('no such path')
  expect(await expectedTimes(queued.client, queued.task)).toBeNull()
})

test('a task is found by its id only', async () => {
  await using queued = await createQueuedTask()
  const types = ['image_purify', type]
  expect(await findTask(queued.client, queued.task.task_id, { types })).toMatchObject({ task_type: type })
  await expect(findTask(queued.client, '42', { types })).rejects.toMatchObject({ code: 6005 })
})
