import { describe, expect, test } from 'vitest'
import { verifyProof } from '../../src/platform/hosting.ts'
import { api } from '../service/api.ts'
import { startSecondApp } from './second-app.ts'
import { onDatabases, onOneDatabase } from './on-databases.ts'
import { sendRequest, envelope, openConnection } from './raw-http.ts'

const json = { 'content-type': 'application/json' }

onOneDatabase((service) => {
  describe('invalid requests', () => {
    const send = async (path: string, options: Parameters<typeof sendRequest>[1]) =>
      envelope(
        await sendRequest(service().baseUrl + path, {
          ...options,
          headers: { ...options?.headers, authorization: service().apiKey },
        }),
      )

    test.for([
      ['GET', '/nothing', /^GET \/nothing does not exist$/],
      ['DELETE', '/task/list', /^DELETE \/task\/list does not exist$/],
      ['POST', '/base/capabilities?key=secret', /^POST \/base\/capabilities does not exist$/],
      ['GET', `/base/file/${'x'.repeat(300)}`, null],
    ] as const)('%s %s', async ([method, path, message]) => {
      const { status, code, msg, data } = await send(path, { method })
      expect([status >= 400 && status < 500, data]).toEqual([true, null])
      if (message) expect([status, code, msg]).toEqual([404, 6005, expect.stringMatching(message)])
    })

    test.for([
      ['/base/file/%zz', 400, 6016],
      ['/base/file/%ff', 400, 6016],
      ['/base/file/%00', 404, 6004],
      ['/task/list?task_type=%00', 400, 6016],
      ['/task/%00/%00', 404, 6005],
    ] as const)('the path %s returns %i %i', async ([path, status, code]) => {
      expect(await send(path, {})).toMatchObject({ status, code, data: null })
    })

    test.for<[string, string | Buffer, Record<string, string>, RegExp]>([
      ['not JSON', '{"a":', json, /not valid JSON/],
      ['an empty body', '', json, /JSON object/],
      ['no body', '', {}, /JSON object/],
      ['a prototype', '{"__proto__":{"x":1}}', json, /not valid JSON/],
      ['text', 'hello', { 'content-type': 'text/plain' }, /application\/json/],
      ['a form', '--x--', { 'content-type': 'multipart/form-data; boundary=x' }, /application\/json/],
      ['too large', Buffer.alloc(2 ** 20 + 1, ' '), json, /larger than 1 MiB/],
      ['deep', '['.repeat(100_000) + ']'.repeat(100_000), json, /nested 100000 levels deep; at most 64/],
    ])('a creation with a body that is %s', async ([, body, headers, message]) => {
      const response = await send('/task/test_copy', { method: 'POST', headers, body })
      expect(response).toMatchObject({ status: 400, code: 6016, data: null })
      expect(response.msg).toMatch(message)
    })

    test('an unknown task type lists the existing ones', async () => {
      const response = await send('/task/video_dance', { method: 'POST', headers: json, body: '{}' })
      expect(response).toMatchObject({ status: 400, code: 6016, msg: expect.stringContaining('test_copy') })
    })

    test.for(['page=0', 'page_size=101', 'page_size=ten', 'status=created', 'status=done', 'page=1&page=2'])(
      'the list with %s names the parameter',
      async (query) => {
        const response = await send(`/task/list?${query}`, {})
        expect(response).toMatchObject({ status: 400, code: 6016, data: null })
        expect(response.msg).toContain(query.split('=')[0])
      },
    )

    test('a bug returns 6500 without its message', async () => {
      const { db, ...rest } = service().running.service
      const { baseUrl } = await startSecondApp({
        ...rest,
        db: new Proxy(db, { get: () => () => failWithSecret() }),
      })
      const response = envelope(
        await sendRequest(`${baseUrl}/task/list`, { headers: { authorization: 'k' } }),
      )
      expect(response).toMatchObject({ status: 500, code: 6500, msg: 'internal error', data: null })
      expect(JSON.stringify(response)).not.toContain('secret')
    })
  })

  describe('the service process', () => {
    test('health proves knowledge of the key without requiring one', async () => {
      const { bytes } = await sendRequest(`${service().baseUrl}/health?nonce=abc`)
      const response = JSON.parse(bytes.toString()) as { instance: string; version: string; proof: string }
      expect(response).toMatchObject({ instance: 'test', version: '0.0.0-test' })
      expect(verifyProof(response.proof, { key: service().apiKey, nonce: 'abc', instance: 'test' })).toBe(
        true,
      )
      expect((await sendRequest(`${service().baseUrl}/health`)).status).toBe(200)
      expect((await sendRequest(`${service().baseUrl}/health?nonce=${'x'.repeat(201)}`)).status).toBe(400)
    })

    test('all requests except health count as activity', async () => {
      const { running, baseUrl, apiKey } = service()
      const before = running.lastActivity()
      await waitUntilAfter(before)
      await sendRequest(`${baseUrl}/health`)
      expect(running.lastActivity()).toBe(before)
      await sendRequest(`${baseUrl}/task/list`, { headers: { authorization: apiKey } })
      expect(running.lastActivity()).toBeGreaterThan(before)
    })

    test('the service does not exit while it has work', async () => {
      const headers = { authorization: service().apiKey }
      const response = envelope(
        await sendRequest(`${service().baseUrl}/daemon/exit`, { method: 'POST', headers }),
      )
      expect(response).toMatchObject({ status: 409, code: 6007, data: null })
      expect((await sendRequest(`${service().baseUrl}/daemon/exit`, { method: 'POST' })).status).toBe(401)
    })
  })

  describe('connections', () => {
    test('a stalled body is cut off', async () => {
      const { baseUrl } = await startSecondApp(service().running.service, { idleTimeoutMs: 200 })
      using line = await openConnection(baseUrl)
      const head = `Host: localhost\r\nAuthorization: ${service().apiKey}\r\n`
      line.socket.write(
        `POST /task/test_copy HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
      )
      await line.closed
      expect(line.socket.bytesRead, 'without a response').toBe(0)
    })

    test('a slow response is not cut off', async () => {
      const exit = Promise.withResolvers<boolean>()
      const { baseUrl } = await startSecondApp(service().running.service, {
        idleTimeoutMs: 250,
        exitIfIdle: () => exit.promise,
      })
      const headers = { authorization: service().apiKey }
      const response = sendRequest(`${baseUrl}/daemon/exit`, { method: 'POST', headers })
      // Much longer than the idle timeout.
      setTimeout(() => exit.resolve(true), 1500)
      expect((await response).status).toBe(200)
    })

    test('protocol upgrades are rejected except for events', async () => {
      using line = await openConnection(service().baseUrl)
      const head = `Host: localhost\r\nAuthorization: ${service().apiKey}\r\n`
      line.socket.write(`GET /task/list HTTP/1.1\r\n${head}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`)
      expect(await line.waitForText(/\}$/)).toMatch(
        /^HTTP\/1\.1 400 [^]*"code":6016[^]*Connect to \/task\/events/,
      )
      await line.closed
    })
  })
})

function failWithSecret(): never {
  throw new Error('a secret of the house')
}

/** Advances the clock. */
async function waitUntilAfter(moment: number): Promise<void> {
  while (Date.now() <= moment) await new Promise(setImmediate)
}

onDatabases('over HTTP,', (service) => {
  test('capabilities list operations, prices, credits and tasks', async () => {
    const account = await service().account(7)
    const calls = api(account)
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    await calls.create('test_copy', { file_id: file.file_id, behaviour: 'wait' })
    const { data } = await calls.send('/base/capabilities')
    expect(data).toMatchObject({
      protocol_version: 2,
      version: '0.0.0-test',
      operations: [{ name: 'test_copy', ready: true, missing: null, price: '1 credit per file' }],
      limits: { max_file_bytes: 20 * 2 ** 30, retention_days: 60 },
      credits: { balance: 6 },
    })
    const { queued, processing } = (data as { tasks: Record<string, number> }).tasks
    expect((queued ?? 0) + (processing ?? 0)).toBe(1)
  })

  test('priorities come from the Priority header (RFC 9218)', async () => {
    const account = await service().account(20)
    const { data: file } = await api(account).upload('a.txt', 'some bytes')
    const expected: [string | undefined, string][] = [
      [undefined, 'normal'],
      ['u=3', 'normal'],
      ['u=0', 'high'],
      ['i, u=2', 'high'],
      ['u=4;x', 'low'],
      ['u=7, i', 'low'],
      ['u=9', 'normal'],
      ['xu=1', 'normal'],
      ['nonsense', 'normal'],
    ]
    for (const [priority] of expected) {
      await sendRequest(`${service().baseUrl}/task/test_copy`, {
        method: 'POST',
        headers: { ...json, authorization: account.apiKey, ...(priority !== undefined && { priority }) },
        body: JSON.stringify({ file_id: file.file_id, behaviour: 'wait' }),
      })
    }
    const { data } = await api(account).send<{ list: { priority: string }[] }>('/task/list')
    expect(data.list.map((task) => task.priority).toReversed()).toEqual(expected.map(([, name]) => name))
  })
})
