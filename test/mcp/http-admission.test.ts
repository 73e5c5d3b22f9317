import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { InMemoryServerEventBus, McpServer } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { revokeKey } from '../../src/accounts/keys.ts'
import { createClient } from '../../src/client/client.ts'
import { createHttpHandler, listenForMcp, startMcpHttpServer } from '../../src/mcp/http-server.ts'
import { openLog } from '../../src/platform/log.ts'
import { openConnection } from '../http/raw-http.ts'
import {
  requestMeta,
  postModernRequest,
  startHttpServerFixture,
  type HttpServerFixture,
} from './http-server-fixture.ts'
import { waitUntil } from './temporary-folder.ts'

let fixture: HttpServerFixture
beforeAll(async () => {
  fixture = await startHttpServerFixture()
})
afterAll(() => fixture[Symbol.asyncDispose]())

test('a request with a wrong host, origin, path, method, type or key is rejected before its body is read', async () => {
  const { apiKey } = await fixture.service.account(0)
  const valid = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const cases: [Parameters<typeof raw>[1], number][] = [
    [{ headers: { 'content-type': 'application/json' } }, 401],
    [{ headers: { ...valid, authorization: 'Bearer' } }, 401],
    [{ headers: { ...valid, authorization: 'Bearer rw_nobody' } }, 401],
    [{ headers: { ...valid, authorization: 'x'.repeat(600) } }, 401],
    [{ headers: { ...valid, host: 'evil.example' } }, 403],
    [{ headers: { ...valid, host: `evil.example:${new URL(fixture.url).port}` } }, 403],
    [{ headers: { ...valid, origin: 'https://evil.example' } }, 403],
    [{ headers: { ...valid, origin: 'http://localhost:1' } }, 403],
    [{ headers: { ...valid, origin: 'null' } }, 403],
    [{ headers: valid, path: '/' }, 404],
    [{ headers: valid, path: '/mcp/../secret' }, 404],
    [{ headers: valid, method: 'OPTIONS' }, 405],
    [{ headers: valid, method: 'PUT' }, 405],
    [{ headers: { ...valid, 'content-type': 'text/plain' } }, 415],
    [{ headers: { ...valid, 'content-length': String(2 ** 30) } }, 413],
    [{ headers: valid, body: '{' }, 400],
    [{ headers: valid, body: '' }, 400],
    [{ headers: valid, body: '{}' }, 400],
    [{ headers: valid, method: 'GET' }, 400],
    [{ headers: { ...valid, 'mcp-session-id': 'nobodys' }, method: 'DELETE' }, 404],
  ]
  for (const [options, status] of cases)
    expect([options, (await raw(fixture.url, options)).status]).toEqual([options, status])
  const { headers } = await raw(fixture.url, { headers: { ...valid, authorization: 'Bearer rw_nobody' } })
  expect(headers['www-authenticate']).toBe('Bearer realm="reelwright", error="invalid_token"')
  const withoutKey = await raw(fixture.url, { headers: { 'content-type': 'application/json' } })
  expect(withoutKey.headers['www-authenticate']).toBe('Bearer realm="reelwright"')
})

test('a streamed body above the size limit is rejected with 413', async () => {
  const { apiKey } = await fixture.service.account(0)
  const headers = {
    authorization: apiKey,
    'content-type': 'application/json',
    'transfer-encoding': 'chunked',
  }
  const { status } = await raw(fixture.url, { headers, body: ' '.repeat(33 * 2 ** 20) })
  expect(status).toBe(413)
})

test('messages of one key may have 64 MiB at once; a further one is rejected with 429', async () => {
  const bytes = 2 ** 20
  const keyHeaders = (authorization: string) => ({ authorization, 'content-type': 'application/json' })
  const { apiKey } = await fixture.service.account(0)
  const headers = { ...keyHeaders(apiKey), 'content-length': String(bytes) }
  const opened = Array.from({ length: 65 }, () =>
    request(fixture.url, { method: 'POST', headers, agent: false }),
  )
  onTestFinished(() => opened.forEach((each) => each.destroy()))
  const rejected = await new Promise<IncomingMessage>((resolve) => {
    for (const each of opened) {
      each.on('error', () => undefined)
      each.on('response', resolve)
      each.flushHeaders()
    }
  })
  expect([rejected.statusCode, rejected.headers['retry-after']]).toEqual([429, '5'])

  const statusOf = async (key: string) =>
    (await raw(fixture.url, { headers: keyHeaders(key), body: ' '.repeat(bytes) })).status
  expect(await statusOf((await fixture.service.account(0)).apiKey), 'another key').toBe(400)
  for (const each of opened) each.destroy()
  await expect.poll(() => statusOf(apiKey).catch(() => undefined), { timeout: 10_000 }).toBe(400)
})

test('behind a proxy, the public https address is accepted as Host and Origin, without other ports', async () => {
  await using proxied = await startHttpServerFixture({ publicUrl: 'https://media.example.com' })
  const { apiKey } = await proxied.service.account(0)
  const statusOf = async (headers: Record<string, string>) =>
    (
      await raw(proxied.url, {
        headers: { authorization: apiKey, 'content-type': 'application/json', ...headers },
        body: '{}',
      })
    ).status
  expect(await statusOf({ host: 'media.example.com' })).toBe(400)
  expect(await statusOf({ host: 'media.example.com', origin: 'https://media.example.com' })).toBe(400)
  expect(await statusOf({ host: 'media.example.com', origin: 'http://media.example.com' })).toBe(403)
  expect(await statusOf({ host: 'media.example.com:8788' })).toBe(403)
})

test('a revoked key is rejected within a minute', async () => {
  await using proxied = await startHttpServerFixture()
  const { apiKey, keyId } = await proxied.service.account(0)
  const list = async () =>
    (await postModernRequest(proxied.url, apiKey, { method: 'tools/list', params: { _meta: requestMeta() } }))
      .status
  expect(await list()).toBe(200)
  await revokeKey(proxied.service.running.service.db, keyId, Date.now())
  proxied.advanceClock(61_000)
  expect(await list()).toBe(401)
})

test('without the service, a request returns 503 and no state is kept', async () => {
  await using proxied = await startHttpServerFixture({ baseUrl: 'http://127.0.0.1:1' })
  const response = await postModernRequest(proxied.url, 'any', {
    method: 'tools/list',
    params: { _meta: requestMeta() },
  })
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await response.text()).toContain('6401')
})

const idleTenant = {
  buildServer: () => new McpServer({ name: 'test', version: '0' }),
  notify: () => () => undefined,
  changes: new InMemoryServerEventBus(),
  isBusy: false,
}

test('a key cannot take all connections: its further requests get 429', async () => {
  const entry = createHttpHandler({
    open: () => ({
      ...idleTenant,
      check: async () => undefined,
      [Symbol.asyncDispose]: async () => undefined,
    }),
    clock: Date.now,
    log: openLog({ level: 'silent' }),
  })
  const limits = { total: 20, perAddress: 20 }
  const listening = await listenForMcp(entry, { host: '127.0.0.1', port: 0, limits })
  onTestFinished(() => listening.close())
  const head = (key: string) =>
    `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${key}\r\nContent-Type: application/json\r\n` +
    'Expect: 100-continue\r\nContent-Length: 2\r\n\r\n'
  for (let count = 0; count < 8; count += 1) {
    const line = await openConnection(listening.url)
    onTestFinished(() => line[Symbol.dispose]())
    line.socket.write(head('greedy'))
    await line.waitForText(/100 Continue/)
  }
  const statusOf = async (key: string) => {
    using line = await openConnection(listening.url)
    line.socket.write(`${head(key)}{}`)
    return await line.waitForText(/HTTP\/1\.1 [2-5]\d\d[^]*\}$/)
  }
  expect(await statusOf('greedy')).toMatch(/HTTP\/1\.1 429 [^]*retry-after: 5/)
  expect(await statusOf('other')).toMatch(/HTTP\/1\.1 400 /)
})

test('a client that disconnects during the key check leaves no open tenant', async () => {
  const gate = Promise.withResolvers<void>()
  const checked = Promise.withResolvers<void>()
  let disposed = 0
  let now = 0
  const entry = createHttpHandler({
    open: () => ({
      async check() {
        checked.resolve()
        await gate.promise
      },
      ...idleTenant,
      [Symbol.asyncDispose]: async () => void (disposed += 1),
    }),
    clock: () => now,
    log: openLog({ level: 'silent' }),
  })
  const listening = await listenForMcp(entry, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => listening.close())
  const disconnect = new AbortController()
  const headers = { authorization: 'a-key', 'content-type': 'application/json' }
  const pending = fetch(listening.url, { method: 'POST', headers, body: '{}', signal: disconnect.signal })
  await checked.promise
  disconnect.abort()
  await expect(pending).rejects.toThrow('aborted')
  // The server notices the disconnect before it responds to another request.
  expect((await fetch(listening.url)).status).toBe(401)
  gate.resolve()
  await waitUntil(() => {
    now += 31 * 60_000
    void entry.sweep()
    return disposed === 1
  }, 'the idle tenant is disposed')
})

test('a port in use is reported in plain words', async () => {
  const { port } = new URL(fixture.url)
  const secondServer = startMcpHttpServer({
    version: '0',
    operations: [],
    connectorFor: (apiKey) => ({
      connect: async () => createClient({ baseUrl: fixture.service.baseUrl, apiKey }),
    }),
    serviceAddress: async () => fixture.service.baseUrl,
    host: '127.0.0.1',
    port: Number(port),
    promptsFolder: join(import.meta.dirname, '../../prompts'),
    log: openLog({ level: 'silent' }),
  })
  await expect(secondServer).rejects.toMatchObject({
    code: 6401,
    message: expect.stringContaining('another program'),
  })
})

/** Sends a request with any headers. `fetch` would set its own Host. */
function raw(
  url: string,
  {
    headers,
    method = 'POST',
    path = '/mcp',
    body,
  }: { headers: Record<string, string>; method?: string; path?: string; body?: string },
): Promise<{ status: number | undefined; headers: Readonly<Record<string, string | string[] | undefined>> }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, path, headers, agent: false }, (response) => {
      response.resume()
      resolve({ status: response.statusCode, headers: response.headers })
    })
    // A server that has responded may close the connection before the whole body is sent.
    sent.on('error', reject)
    if (headers['content-length'] === undefined) sent.end(body)
    else sent.flushHeaders()
  })
}
