import { once } from 'node:events'
import { WebSocket } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { downloadUrl } from '../../src/contract/routes.ts'
import { sendRequest, envelope, openConnection } from '../http/raw-http.ts'
import { api, pollUntil } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { logged } from './log-lines.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service[Symbol.asyncDispose]())

const requestIdOf = (response: { headers: Readonly<Record<string, unknown>> }): string =>
  String(response.headers['x-request-id'])

describe('request ids', () => {
  const generatedId = /^[\da-f]{8}-[\da-f-]{27}$/

  test('every response has one, including errors and undecodable paths', async () => {
    const headers = { authorization: service.apiKey }
    const responses = [
      await sendRequest(`${service.baseUrl}/health`),
      await sendRequest(`${service.baseUrl}/task/list`),
      await sendRequest(`${service.baseUrl}/task/list`, { headers }),
      await sendRequest(`${service.baseUrl}/nowhere`, { headers }),
      await sendRequest(`${service.baseUrl}/task/%ff`, { headers }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 401, 200, 404, 400])
    const ids = responses.map(requestIdOf)
    for (const id of ids) expect(id).toMatch(generatedId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test.each(['a', 'trace-1.2_3', 'x'.repeat(64)])(
    'an id sent by the client is kept: %s',
    async (requestId) => {
      const response = await sendRequest(`${service.baseUrl}/health`, {
        headers: { 'x-request-id': requestId },
      })
      expect(requestIdOf(response)).toBe(requestId)
    },
  )

  test.each(['', 'x'.repeat(65), 'a b', 'a,b', '{"a":1}', 'ä', '\u009B31m', '<b>', '../x'])(
    'a long or unsafe id is replaced: %j',
    async (requestId) => {
      using connection = await openConnection(service.baseUrl)
      connection.socket.write(
        Buffer.from(
          `GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Request-Id: ${requestId}\r\n\r\n`,
          'latin1',
        ),
      )
      const [, id] = /^x-request-id: (.*)\r$/im.exec(await connection.waitForText(/\r\n\r\n/)) ?? []
      expect(id).toMatch(generatedId)
    },
  )

  test('a duplicate header is replaced', async () => {
    using connection = await openConnection(service.baseUrl)
    connection.socket.write(
      'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Request-Id: a\r\nX-Request-Id: b\r\n\r\n',
    )
    const [, id] = /^x-request-id: (.*)\r$/im.exec(await connection.waitForText(/\r\n\r\n/)) ?? []
    expect(id).toMatch(generatedId)
  })
})

describe('the log line of a request', () => {
  const headers = () => ({ authorization: service.apiKey })

  test('contains route, status and code of a rejected request, and not its URL', async () => {
    const response = await sendRequest(
      `${service.baseUrl}/base/file/no-file?Authorization=sekret&name=private`,
      {
        headers: headers(),
      },
    )
    const [line] = await logged(service, { msg: 'request', request_id: requestIdOf(response) })
    expect(line).toEqual({
      level: 30,
      time: expect.any(String),
      pid: process.pid,
      hostname: expect.any(String),
      request_id: requestIdOf(response),
      method: 'GET',
      route: '/base/file/:file_id',
      status: 404,
      code: 6004,
      ms: expect.any(Number),
      account_id: 1,
      msg: 'request',
    })
  })

  test('successful reads are logged at debug level', async () => {
    const read = await sendRequest(`${service.baseUrl}/task/list`, { headers: headers() })
    const rejection = await sendRequest(`${service.baseUrl}/task/list`)
    await logged(service, { request_id: requestIdOf(rejection) })
    expect(await logged(service, { request_id: requestIdOf(read) }, 0)).toEqual([])
  })

  test('an upload with a hostile name and header is one line without either', async () => {
    const form = new FormData()
    form.append('file', new Blob(['bytes']), 'private\u001B[2J\r\n{"level":60}.txt')
    const response = await fetch(`${service.baseUrl}/base/file/upload?name=private`, {
      method: 'POST',
      headers: { ...headers(), 'user-agent': 'private-agent', referer: 'http://127.0.0.1/private' },
      body: form,
    })
    const [line] = await logged(service, { request_id: response.headers.get('x-request-id') })
    expect(line).toMatchObject({ method: 'POST', route: '/base/file/upload', status: 200, account_id: 1 })
    const text = JSON.stringify(await logged(service, {}))
    expect(text).not.toContain('private')
    expect(text).not.toContain(service.apiKey)
  })

  test('an unknown key is logged without the key and an account', async () => {
    const response = await sendRequest(`${service.baseUrl}/task/list`, {
      headers: { authorization: 'sekret-sekret' },
    })
    const [line] = await logged(service, { request_id: requestIdOf(response) })
    expect(line).toMatchObject({ status: 401, code: 6502 })
    expect(line).not.toHaveProperty('account_id')
    expect(JSON.stringify(line)).not.toContain('sekret')
  })

  test('all unknown routes are logged as one route', async () => {
    const response = await sendRequest(`${service.baseUrl}/private/place`, { headers: headers() })
    expect(await logged(service, { request_id: requestIdOf(response) })).toMatchObject([
      { route: '(none)', status: 404 },
    ])
  })

  test('a disconnected client is logged as 499', async () => {
    const { data: file } = await api(service).upload('large.txt', 'x'.repeat(64 * 2 ** 20))
    using connection = await openConnection(service.baseUrl)
    const head = [
      `GET ${downloadUrl(file.file_id)} HTTP/1.1`,
      'Host: 127.0.0.1',
      `Authorization: ${service.apiKey}`,
      'X-Request-Id: left',
    ]
    connection.socket.write(`${head.join('\r\n')}\r\n\r\n`)
    await connection.waitForText(/^HTTP\/1.1 200/)
    connection.socket.destroy()
    const [line] = await logged(service, { msg: 'request', request_id: 'left' })
    expect(line).toMatchObject({ status: 499, file_id: file.file_id })
    expect(await logged(service, { msg: 'a response was interrupted' }, 0)).toEqual([])
  })

  test('a response that fails because of missing content is logged with the reason', async () => {
    const calls = api(service)
    const { data: file } = await calls.upload('gone.txt', 'bytes that are lost')
    await service.running.service.files.remove(file.blake3_id)
    await sendRequest(service.baseUrl + downloadUrl(file.file_id), { headers: headers() }).catch(
      () => undefined,
    )
    const failures = await pollUntil(
      async () => [
        ...(await logged(service, { msg: 'a response was interrupted' }, 0)),
        ...(await logged(service, { msg: 'request failed' }, 0)),
      ],
      (lines) => lines.length > 0,
    )
    expect(JSON.stringify(failures)).toContain('ENOENT')
  })

  test('an event socket is logged when it closes', async () => {
    const socket = new WebSocket(`${service.baseUrl.replace('http', 'ws')}/task/events`, {
      headers: { authorization: service.apiKey, 'x-request-id': 'socket' },
    })
    await once(socket, 'open')
    socket.close()
    expect(await logged(service, { request_id: 'socket', msg: 'request' })).toMatchObject([
      { status: 101, route: '/task/events' },
    ])
  })
})

test('the response to a bug contains the request id of its log line', async () => {
  const calls = api(service)
  const { data: file } = await calls.upload('a.txt', 'some bytes')
  const { db } = service.running.service
  await db
    .updateTable('files')
    .set({ name: 'broken.mp4', ext: '.mp4', facts: '{' })
    .where('id', '=', file.file_id)
    .execute()
  const response = await sendRequest(`${service.baseUrl}/base/file/${file.file_id}/facts`, {
    headers: { authorization: service.apiKey },
  })
  expect(envelope(response)).toMatchObject({
    status: 500,
    code: 6500,
    hint: expect.stringContaining(requestIdOf(response)),
  })
  const [line] = await logged(service, { request_id: requestIdOf(response), level: 50 })
  expect(line).toMatchObject({
    msg: 'request failed',
    err: { type: 'SyntaxError' },
    route: '/base/file/:file_id/facts',
  })
})
