import { describe, expect, test } from 'vitest'
import { routes } from '../contract/routes.ts'
import { startBareServer, startContractServer } from '../../test/mcp/contract-server.ts'
import { createClient } from './client.ts'
import { fetchPreview } from './preview.ts'
import { fetchTask } from './tasks.ts'
import { isUnreachable } from './response.ts'

const task = { task_id: '1', task_type: 'music_visualizer' }

/** Starts a service that returns the same response to every request. */
function startFixedResponder(status: number, body: string) {
  return startBareServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  })
}

describe('a response', () => {
  test('in the common envelope returns its data', async () => {
    await using service = await startContractServer()
    const client = createClient(service)
    const response = await client.call(routes.capabilities)
    expect(response.credits.balance).toBe(100)
  })

  test('in the envelope with code 0 and message is a success', async () => {
    const data = { id: '1', status: 'processing', progress: 40, output_result: null }
    await using service = await startFixedResponder(200, JSON.stringify({ code: 0, message: 'ok', data }))
    const client = createClient({ baseUrl: service.baseUrl, apiKey: 'k' })
    expect(await fetchTask(client, task)).toEqual({
      ...task,
      status: 'processing',
      progress: 40,
      output_result: null,
    })
  })

  test.each([
    {
      name: 'a known code keeps the hint and retryable flag of the service',
      status: 500,
      body: { code: 6401, msg: 'no model', data: null, hint: 'Run x', retryable: false },
      expected: { code: 6401, message: 'no model', hint: 'Run x', retryable: false },
    },
    {
      name: 'an error envelope may have message instead of msg',
      status: 400,
      body: { code: 6016, message: 'bad fps' },
      expected: { code: 6016, message: 'bad fps', retryable: false },
    },
    {
      name: 'an unknown code becomes 6500',
      status: 400,
      body: { code: 6999, msg: 'too long', data: null },
      expected: { code: 6500, message: 'too long (service code 6999)', retryable: false },
    },
    {
      name: 'a success code with an error status becomes 6500',
      status: 500,
      body: { code: 200, msg: 'x', data: {} },
      expected: { code: 6500 },
    },
    {
      name: 'data that does not match the schema becomes 6500',
      status: 200,
      body: { code: 200, msg: 'x', data: { id: 7 } },
      expected: { code: 6500, retryable: false },
    },
    {
      name: 'a 502 without an envelope becomes a retryable 6401',
      status: 502,
      body: 'Bad Gateway',
      expected: { code: 6401, retryable: true },
    },
    {
      name: 'a 404 without an envelope becomes a 6401 that is not retryable',
      status: 404,
      body: 'Not Found',
      expected: { code: 6401, retryable: false },
    },
  ])('$name', async ({ status, body, expected }) => {
    await using service = await startFixedResponder(status, JSON.stringify(body))
    const client = createClient({ baseUrl: service.baseUrl, apiKey: 'k' })
    await expect(client.call(routes.capabilities)).rejects.toMatchObject(expected)
  })
})

test('an endless body is read only up to its limit', async () => {
  const closed = Promise.withResolvers<void>()
  await using service = await startBareServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg' })
    response.once('close', closed.resolve)
    const writeMore = (): void => {
      while (response.write(Buffer.alloc(65_536)));
      response.once('drain', writeMore)
    }
    writeMore()
  })
  const client = createClient({ baseUrl: service.baseUrl, apiKey: 'k' })
  await expect(fetchPreview(client, '1', { kind: 'waveform' })).rejects.toMatchObject({
    code: 6401,
    retryable: false,
    message: expect.stringContaining('larger than 3 MiB'),
  })
  await closed.promise
})

describe('broken connections', () => {
  test('an idempotent call is repeated; a creation without an idempotency key is not', async () => {
    let count = 0
    await using service = await startBareServer((request, response) => {
      count += 1
      if (count < 3) request.socket.destroy()
      else response.end(JSON.stringify({ code: 200, msg: 'success', data: '' }))
    })
    const client = createClient({ baseUrl: service.baseUrl, apiKey: 'k' })
    const read = { ...routes.cancelTask, method: 'GET' as const, path: '/x' }
    expect(await client.call(read)).toBe('')
    expect(count).toBe(3)

    count = 0
    const failed = client.call(routes.createTask, { params: { task_type: 't' }, body: {} })
    await expect(failed).rejects.toMatchObject({ code: 6401, retryable: true })
    expect(count).toBe(1)
  })

  test('an unreachable service is reported with a hint', async () => {
    const stopped = await startBareServer(() => undefined)
    await stopped[Symbol.asyncDispose]()
    const client = createClient({ baseUrl: stopped.baseUrl, apiKey: 'k' })
    await expect(client.call(routes.capabilities)).rejects.toMatchObject({
      code: 6401,
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
      hint: expect.stringContaining('reelwright doctor'),
    })
  })

  test('an aborted signal ends a call', async () => {
    await using service = await startBareServer(() => undefined)
    const client = createClient({ baseUrl: service.baseUrl, apiKey: 'k' })
    const call = client.call(routes.capabilities, { signal: AbortSignal.timeout(20) })
    await expect(call).rejects.toMatchObject({ name: 'TimeoutError' })
    await client.close()
  })
})

describe('a retired client', () => {
  test('finishes running calls and rejects new ones', async () => {
    const requestReceived = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    await using service = await startBareServer((_request, response) => {
      requestReceived.resolve()
      void gate.promise.then(() => response.end(JSON.stringify({ code: 200, msg: 'success', data: '' })))
    })
    const client = createClient({ baseUrl: service.baseUrl, apiKey: 'k' })
    const cancel = client.call(routes.cancelTask, { params: { task_id: '1' } })
    await requestReceived.promise
    const retired = client.retire()
    const late = await client.call(routes.capabilities).catch((error: unknown) => error)
    expect(late).toMatchObject({ code: 6401 })
    expect(isUnreachable(late), 'the request was not sent').toBe(true)
    gate.resolve()
    expect(await cancel).toBe('')
    await retired
  })
})

describe('the event socket', () => {
  test('is open when openEvents resolves', async () => {
    await using service = await startContractServer()
    const client = createClient(service)
    const socket = await client.openEvents()
    expect(socket.readyState).toBe(socket.OPEN)
    socket.close()
    await client.close()
  })

  test('is rejected when the service refuses the connection', async () => {
    await using service = await startContractServer()
    const client = createClient({ baseUrl: service.baseUrl, apiKey: 'wrong' })
    await expect(client.openEvents()).rejects.toMatchObject({ code: 6401, retryable: true })
    await client.close()
  })
})

describe('the API key', () => {
  test('is sent to the service unchanged, and never to another origin', async () => {
    const receivedKeys: (string | undefined)[] = []
    const collect = () =>
      startBareServer((request, response) => {
        receivedKeys.push(request.headers.authorization)
        response.end('{}')
      })
    await using service = await collect()
    await using elsewhere = await collect()
    const client = createClient({ baseUrl: service.baseUrl, apiKey: 'secret' })
    for (const address of ['/own', `${elsewhere.baseUrl}/other`]) {
      const response = await client.send({ method: 'GET', address, idempotent: true })
      await response.body.dump()
    }
    expect(receivedKeys).toEqual(['secret', undefined])
  })

  test.each(['http://media.example.com', 'http://127.0.0.1.example.com', 'ftp://localhost', 'nonsense'])(
    'is rejected for %s',
    (baseUrl) => {
      expect(() => createClient({ baseUrl, apiKey: 'k' })).toThrow(expect.objectContaining({ code: 6401 }))
    },
  )

  test('returns 6502 when it is wrong', async () => {
    await using service = await startContractServer()
    const client = createClient({ baseUrl: service.baseUrl, apiKey: 'wrong' })
    await expect(client.call(routes.capabilities)).rejects.toMatchObject({ code: 6502 })
  })
})
