import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { WebSocket } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { metricsMediaType } from '../../src/platform/metrics.ts'
import { hasPostgres, newDatabase } from '../postgres.ts'
import { sendRequest, openConnection } from '../http/raw-http.ts'
import { api, pollUntil } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { readExposition, type Scrape } from './exposition.ts'

type Service = Pick<TestService, 'baseUrl' | 'apiKey'>

async function scrapeText({ baseUrl, apiKey }: Service): Promise<string> {
  const response = await sendRequest(`${baseUrl}/metrics`, { headers: { authorization: apiKey } })
  expect(response).toMatchObject({ status: 200, headers: { 'content-type': metricsMediaType } })
  return response.bytes.toString()
}

async function scrape(service: Service): Promise<Scrape> {
  return readExposition(await scrapeText(service))
}

async function checkCounts(service: TestService): Promise<void> {
  const calls = api(service)
  const before = await scrape(service)
  const { data: file } = await calls.upload('a.txt', 'x'.repeat(100_000))
  await calls.upload('b.txt', 'x'.repeat(100_000))
  await calls.download(file.file_id)
  const create = async (behaviour: string) =>
    (await calls.create('test_copy', { file_id: file.file_id, behaviour })).data.task_id
  for (const behaviour of ['copy', 'copy', 'refuse']) await calls.ended('test_copy', await create(behaviour))
  await calls.create('test_copy', {})
  const running = [await create('wait'), await create('wait')]
  for (const id of running) {
    await pollUntil(
      () => calls.query('test_copy', id),
      ({ data }) => data.status === 'processing',
    )
  }
  // A task becomes active slightly before its worker.
  await pollUntil(
    async () => (await scrape(service)).sum('reelwright_workers', { state: 'busy' }),
    (busy) => busy === 2,
  )
  const waiting = await create('copy')
  await calls.cancel(await create('copy'))
  const socket = new WebSocket(`${service.baseUrl.replace('http', 'ws')}/task/events`, {
    headers: { authorization: service.apiKey },
  })
  await once(socket, 'open')

  const now = await scrape(service)
  const increase = (name: string, labels: Record<string, string> = {}) =>
    now.sum(name, labels) - before.sum(name, labels)
  const type = 'test_copy'
  expect(increase('reelwright_tasks_created_total', { type })).toBe(7)
  expect(increase('reelwright_tasks_ended_total', { type, state: 'completed' })).toBe(2)
  expect(increase('reelwright_tasks_ended_total', { type, state: 'failed' })).toBe(1)
  expect(increase('reelwright_tasks_ended_total', { type, state: 'cancelled' })).toBe(1)
  expect(increase('reelwright_tasks_ended_total')).toBe(4)
  expect(increase('reelwright_task_attempts_failed_total', { type })).toBe(1)
  expect(increase('reelwright_task_duration_seconds_count', { type })).toBe(2)
  expect(now.sum('reelwright_tasks', { type, state: 'processing' })).toBe(2)
  expect(now.sum('reelwright_tasks', { type, state: 'queued' })).toBe(1)
  expect(now.sum('reelwright_oldest_queued_task_seconds')).toBeGreaterThan(0)
  expect(now.sum('reelwright_worker_starts_total')).toBeGreaterThanOrEqual(2)
  expect(now.sum('reelwright_event_sockets')).toBe(1)

  const creation = { method: 'POST', route: '/task/:task_type' }
  expect(increase('reelwright_http_requests_total', { ...creation, status: '200' })).toBe(7)
  expect(increase('reelwright_http_requests_total', { ...creation, status: '400' })).toBe(1)
  expect(increase('reelwright_http_request_duration_seconds_count', creation)).toBe(8)
  expect(increase('reelwright_http_requests_total', { route: '/base/file/upload' })).toBe(2)
  // Bytes on the wire include headers and the form.
  const uploaded = increase('reelwright_http_received_bytes_total', { route: '/base/file/upload' })
  expect([uploaded >= 200_000, uploaded < 203_000]).toEqual([true, true])
  const downloaded = increase('reelwright_http_sent_bytes_total', { route: '/base/file/:file_id/download' })
  expect([downloaded >= 100_000, downloaded < 102_000]).toEqual([true, true])
  // Two equal uploads with different extensions are stored once, as are their copies.
  expect(now.sum('reelwright_stored_bytes')).toBe(100_000)
  expect(now.sum('reelwright_free_disk_bytes')).toBeGreaterThan(0)
  expect(now.sum('process_resident_memory_bytes')).toBeGreaterThan(10 * 2 ** 20)
  expect(now.types.get('nodejs_eventloop_lag_p99_seconds')).toBe('gauge')
  expect(now.sum('reelwright_build_info', { version: '0.0.0-test' })).toBe(1)

  socket.close()
  await calls.cancel(waiting)
}

describe('a scrape matches the requests', () => {
  test('on SQLite', async () => {
    await using service = await startTestService()
    await checkCounts(service)
  })

  test.skipIf(!hasPostgres)('on PostgreSQL (Debian package postgresql)', async () => {
    await using service = await startTestService({ database: { url: await newDatabase() } })
    await checkCounts(service)
  })
})

describe('in one service', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  test('metrics need a key; surrounding white space from Prometheus is ignored', async () => {
    const status = async (authorization?: string) =>
      (
        await sendRequest(`${service.baseUrl}/metrics`, {
          headers: authorization === undefined ? {} : { authorization },
        })
      ).status
    expect(await status()).toBe(401)
    expect(await status('wrong')).toBe(401)
    expect(await status(`Bearer ${service.apiKey}`)).toBe(401)
    expect(await status(service.apiKey)).toBe(200)
    using connection = await openConnection(service.baseUrl)
    connection.socket.write(
      `GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${service.apiKey}  \r\n\r\n`,
    )
    expect(await connection.waitForText(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 200 /)
  })

  test('labels never contain client input', async () => {
    const headers = { authorization: service.apiKey }
    for (let turn = 0; turn < 50; turn += 1) {
      await sendRequest(`${service.baseUrl}/private-${turn}?name=private`, { headers })
      await sendRequest(`${service.baseUrl}/base/file/private-${turn}`, { headers })
      await sendRequest(`${service.baseUrl}/task/private_${turn}`, { method: 'POST', headers })
      await sendRequest(`${service.baseUrl}/task/%ff${turn}`, { headers })
    }
    const text = await scrapeText(service)
    expect(text).not.toContain('private')
    expect(readExposition(text).series.length).toBeLessThan(150)
  })

  test('a running upload is counted while bytes arrive', async () => {
    const labels = { route: '/base/file/upload' }
    using connection = await openConnection(service.baseUrl)
    const head = [
      'POST /base/file/upload HTTP/1.1',
      'Host: 127.0.0.1',
      `Authorization: ${service.apiKey}`,
      'Content-Type: multipart/form-data; boundary=edge',
      'Content-Length: 1000000',
    ]
    const formStart = '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    connection.socket.write(`${head.join('\r\n')}\r\n\r\n${formStart}${'x'.repeat(300_000)}`)
    const counted = await pollUntil(
      async () => (await scrape(service)).sum('reelwright_http_received_bytes_total', labels),
      (bytes) => bytes > 300_000,
    )
    expect(counted).toBeLessThan(301_000)
  })
})

const promtool = await new Promise<boolean>((resolve) => {
  execFile('promtool', ['--version'], (error) => resolve(error === null))
})

test.skipIf(!promtool)("Prometheus's own checker finds nothing (Debian package prometheus)", async () => {
  await using service = await startTestService()
  const calls = api(service)
  const { data: file } = await calls.upload('a.txt', 'some bytes')
  await calls.ended('test_copy', (await calls.create('test_copy', { file_id: file.file_id })).data.task_id)
  const checker = spawn('promtool', ['check', 'metrics'], { stdio: ['pipe', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  for (const stream of [checker.stdout, checker.stderr])
    stream.on('data', (chunk: Buffer) => output.push(chunk))
  checker.stdin.end(await scrapeText(service))
  await once(checker, 'close')
  expect([checker.exitCode, Buffer.concat(output).toString()]).toEqual([0, ''])
})
