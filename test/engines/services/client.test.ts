import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openClient, type ClientOptions } from '../../../src/engines/services/client.ts'
import type { LanguageModelService } from '../../../src/engines/services/services.ts'
import {
  breaks,
  bytes,
  fails,
  hangs,
  json,
  page,
  startFakeService,
  type FakeService,
} from './fake-service.ts'

let server: FakeService
beforeEach(async () => void (server = await startFakeService(json({ fine: true }))))
afterEach(() => server[Symbol.asyncDispose]())

const { signal } = new AbortController()
const request = { path: '/models', signal }

/** What was waited for, ms; nothing is. */
let waits: number[]
beforeEach(() => void (waits = []))

function open(more: Partial<LanguageModelService> = {}, options: ClientOptions = {}) {
  const service = { address: `${server.origin}/v1`, model: 'small', ...more }
  const pause = async (milliseconds: number) => void waits.push(milliseconds)
  return openClient(
    { kind: 'language_model', service },
    { firstByteMs: 60_000, wholeMs: 60_000, maxBytes: 1000, pause, ...options },
  )
}

const name = () => `small at ${new URL(server.origin).host}`

describe('openClient', () => {
  it('sends requests below its address with its key', async () => {
    await using client = open({ key: 'sk-0123456789' })
    const { type, bytes: content } = await client.send({ path: '/chat', json: { a: 'ü' }, signal })
    expect([type, content.toString()]).toEqual(['application/json', '{"fine":true}'])
    expect(server.heard).toMatchObject([
      { method: 'POST', path: '/v1/chat', headers: { authorization: 'Bearer sk-0123456789' } },
    ])
    expect(JSON.parse(String(server.heard[0]?.body))).toEqual({ a: 'ü' })
  })

  it('sends files in forms, also when it retries', async () => {
    await using client = open()
    server.replies.push(fails(503))
    const file = { name: 'speech.wav', type: 'audio/wav', bytes: Buffer.from('RIFF') }
    await client.send({
      path: '/audio',
      form: [
        ['model', 'tiny'],
        ['file', file],
      ],
      signal,
    })
    expect(server.heard).toHaveLength(2)
    for (const { headers, body } of server.heard) {
      expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
      expect(String(body)).toMatch(/name="model"\r\n\r\ntiny\r\n/)
      expect(String(body)).toMatch(
        /name="file"; filename="speech.wav"\r\nContent-Type: audio\/wav\r\n\r\nRIFF\r\n/,
      )
    }
  })

  it.each([408, 429, 500, 502, 503, 504])('retries after %i', async (status) => {
    await using client = open()
    server.replies.push(fails(status), fails(status))
    await client.send(request)
    expect(server.heard).toHaveLength(3)
    expect(waits).toHaveLength(2)
    expect(waits[1]).toBeGreaterThan(waits[0] ?? Infinity)
  })

  it('retries when the connection breaks during a response', async () => {
    await using client = open()
    server.replies.push(breaks(), (response) => void response.destroy())
    expect(String((await client.send(request)).bytes)).toBe('{"fine":true}')
    expect(server.heard).toHaveLength(3)
  })

  it('waits as long as Retry-After says', async () => {
    await using client = open()
    const date = new Date(Date.now() + 30_000).toUTCString()
    server.replies.push(fails(429, {}, { 'retry-after': '7' }), fails(503, {}, { 'retry-after': date }))
    await client.send(request)
    expect(waits[0]).toBe(7000)
    expect(waits[1]).toBeGreaterThan(25_000)
    expect(waits[1]).toBeLessThanOrEqual(30_000)
  })

  it('does not wait for a long Retry-After', async () => {
    await using client = open()
    server.replies.push(fails(429, { error: { message: 'slow down' } }, { 'retry-after': '3600' }))
    await expect(client.send(request)).rejects.toMatchObject({
      code: 6402,
      message: `${name()} is busy (HTTP 429)`,
      retryAfter: 3600,
      retryable: true,
    })
    expect(server.heard).toHaveLength(1)
  })

  it.each([
    [fails(429), 6402, 'is busy (HTTP 429)', true, 5],
    [fails(500, { error: 'out of memory' }), 6401, 'failed (HTTP 500)', true, 5],
    [bytes(Buffer.alloc(100_000, '<p>'), 'text/html', 502), 6401, 'failed (HTTP 502)', true, 5],
    [page(502), 6401, 'failed (HTTP 502)', true, 5],
    [
      fails(429, { error: { message: 'No more', code: 'insufficient_quota' } }),
      6401,
      'refused the request (HTTP 429)',
      false,
      1,
    ],
    [fails(401), 6401, 'asks for a key (HTTP 401)', false, 1],
    [
      fails(404, { error: { message: 'model "small" not found' } }),
      6401,
      'has no such model or endpoint (HTTP 404)',
      false,
      1,
    ],
    [
      fails(422, { detail: [{ loc: ['body'], msg: 'bad' }] }),
      6401,
      'refused the request (HTTP 422)',
      false,
      1,
    ],
    [
      fails(400, { message: 'tts failed', Exception: 'no file' }),
      6401,
      'refused the request (HTTP 400)',
      false,
      1,
    ],
  ] as const)('reports the cause of a failure: case %#', async (reply, code, what, retryable, times) => {
    await using client = open()
    server.otherwise = reply
    const failed = client.send(request)
    await expect(failed).rejects.toMatchObject({ code, message: `${name()} ${what}`, retryable })
    expect(server.heard).toHaveLength(times)
  })

  it('does not follow redirects', async () => {
    await using elsewhere = await startFakeService(json({}))
    await using client = open({ key: 'sk-0123456789' })
    server.otherwise = fails(307, undefined, { location: elsewhere.origin })
    await expect(client.send(request)).rejects.toMatchObject({
      code: 6401,
      message: expect.stringContaining('redirects to another address, which is not followed (HTTP 307)'),
      hint: expect.stringContaining('"language_model"'),
    })
    expect(elsewhere.heard).toEqual([])
  })

  it('never reveals its key, even if the service does', async () => {
    await using client = open({ key: 'sk-secret-0123456789' })
    server.otherwise = fails(401, { error: { message: 'Incorrect API key provided: sk-secret-0123456789' } })
    const error: unknown = await client.send(request).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      message: `${name()} refused its key (HTTP 401)`,
      hint: 'Set "language_model_key" (REELWRIGHT_LANGUAGE_MODEL_KEY). The log contains its explanation.',
      cause: { message: 'HTTP 401: Incorrect API key provided: [redacted]' },
    })
    expect(JSON.stringify([error, (error as Error).stack, (error as Error).cause])).not.toContain('sk-secret')
  })

  it('reports an unreachable server', async () => {
    const { origin } = server
    await server[Symbol.asyncDispose]()
    await using client = open()
    const failed = client.send(request)
    await expect(failed).rejects.toMatchObject({
      code: 6401,
      message: `small at ${new URL(origin).host} cannot be reached (ECONNREFUSED)`,
      retryable: true,
    })
    expect(waits).toHaveLength(4)
    server = await startFakeService()
  })

  it('reports a server that does not speak HTTP without a retry', async () => {
    await using client = open()
    server.otherwise = (response) => void response.socket?.end('hello\r\n\r\n')
    await expect(client.send(request)).rejects.toMatchObject({
      code: 6401,
      message: `${name()} does not speak HTTP`,
    })
    expect(server.heard).toHaveLength(1)
  })

  it('limits the time until a response starts', async () => {
    await using client = open({}, { firstByteMs: 30 })
    server.otherwise = hangs()
    await expect(client.send(request)).rejects.toMatchObject({
      code: 6402,
      message: `${name()} did not respond within 0.03 s`,
    })
    expect(waits).toEqual([])
  })

  it('limits the time until a response is complete', async () => {
    await using client = open({}, { wholeMs: 300 })
    server.otherwise = hangs('{"choices":')
    await expect(client.send(request)).rejects.toMatchObject({
      code: 6402,
      message: `${name()} did not respond within 0.3 s`,
    })
  })

  it('does not count waiting for the rate limit as time of the service', async () => {
    const order: unknown[] = []
    const timers = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => timers.mockRestore())
    const limits = () => timers.mock.calls.filter(([, milliseconds]) => milliseconds === 54_321).length
    await using client = open(
      { requests_per_minute: 1, concurrency: 1 },
      { wholeMs: 54_321, pause: async () => void order.push(limits()) },
    )
    await Promise.all([client.send(request), client.send(request), client.send(request)])
    expect([...order, limits()]).toEqual([1, 2, 3])
  })

  it('limits the size of a response', async () => {
    await using client = open()
    server.otherwise = json('x'.repeat(1000))
    await expect(client.send(request)).rejects.toMatchObject({
      code: 6401,
      message: `${name()} sent too large a response`,
      retryable: false,
    })
  })

  it('limits concurrent requests', async () => {
    await using client = open({ concurrency: 2 })
    server.otherwise = hangs()
    const held: (() => void)[] = []
    const hold: FakeService['otherwise'] = (response) => void held.push(() => void response.end('{}'))
    server.replies.push(hold, hold, (response) => void response.end('other'), hold)
    const asked = [1, 2, 3].map(() => client.send(request))
    await server.hears(2)
    await using other = open()
    await other.send(request)
    expect(server.heard).toHaveLength(3)
    for (const answer of held) answer()
    await Promise.all(asked.slice(0, 2))
    await server.hears(4)
    held[2]?.()
    await asked[2]
  })

  it.each(['under way', 'waiting for its turn', 'waiting to be sent again'])(
    'ends a request %s',
    async (when) => {
      const stop = new AbortController()
      const reason = new Error('enough')
      await using client = open(
        { concurrency: 1 },
        {
          async pause(_, waiting) {
            stop.abort(reason)
            waiting?.throwIfAborted()
          },
        },
      )
      server.otherwise = when === 'waiting to be sent again' ? fails(503) : hangs()
      const first = when === 'waiting for its turn' ? client.send(request).catch(() => undefined) : undefined
      const asked = client.send({ ...request, signal: stop.signal })
      if (when !== 'waiting to be sent again') {
        await server.hears(1)
        stop.abort(reason)
      }
      await expect(asked).rejects.toBe(reason)
      await client[Symbol.asyncDispose]()
      await first
    },
  )
})
