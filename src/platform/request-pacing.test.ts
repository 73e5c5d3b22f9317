import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { observeRequests } from '../../test/http/observe-requests.ts'
import { paceRequests } from './request-pacing.ts'
import { readBatches } from './streams.ts'

/** Starts a server, and connects to it. */
async function connectTo(server: Server, allowHalfOpen = false): Promise<Socket> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen })
  onTestFinished(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  await once(client, 'connect')
  return client
}

/** Collects what a client receives. The function resolves with it once it is complete. */
function receiver(client: Socket): (isComplete: (text: string) => boolean) => Promise<string> {
  let text = ''
  client.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  return async (isComplete) => {
    while (!isComplete(text)) await once(client, 'data')
    return text
  }
}

/** The bodies of responses of `echo`. */
function bodiesOf(text: string): string {
  return text.split(/HTTP\/1\.1 200 OK\r\n(?:[^\r\n]+\r\n)*\r\n/).join('')
}

/** Responds with method, path and body of each request. Records the requests that are handled at once. */
function echo(most: { running: number }) {
  let running = 0
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    running += 1
    most.running = Math.max(most.running, running)
    response.once('finish', () => (running -= 1))
    const body = await buffer(request)
    await nextTurn()
    response.end(`<${request.method} ${request.url} ${body.toString('latin1')}>`)
  }
  return (request: IncomingMessage, response: ServerResponse) => void respond(request, response)
}

interface TestRequest {
  readonly path: number
  readonly body: string
  readonly framing: 'none' | 'length' | 'chunked'
  readonly filler: number
}

function encode({ path, body, framing, filler }: TestRequest): string {
  const head = (method: string, ...headers: string[]) =>
    [`${method} /${path} HTTP/1.1`, 'Host: a', `X-Filler: ${'f'.repeat(filler)}`, ...headers, '', ''].join(
      '\r\n',
    )
  if (framing === 'none') return head('GET')
  if (framing === 'length') return head('POST', `Content-Length: ${body.length}`) + body
  const half = Math.floor(body.length / 2)
  const chunks = [body.slice(0, half), body.slice(half)].filter((part) => part !== '')
  const coded = chunks.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('')
  return `${head('POST', 'Transfer-Encoding: chunked')}${coded}0\r\n\r\n`
}

function expected({ path, body, framing }: TestRequest): string {
  return framing === 'none' ? `<GET /${path} >` : `<POST /${path} ${body}>`
}

const requests = fc.array(
  fc.record({
    path: fc.nat(999),
    // Bodies that look like ends of headers and further requests.
    body: fc
      .array(
        fc.constantFrom('a', '\r\n', '\r\n\r\n', 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n', 'z'.repeat(3000)),
        {
          maxLength: 5,
        },
      )
      .map((parts) => parts.join('')),
    framing: fc.constantFrom('none' as const, 'length' as const, 'chunked' as const),
    // Around the length of a piece.
    filler: fc.oneof(fc.nat(40), fc.integer({ min: 1900, max: 2100 })),
  }),
  { minLength: 1, maxLength: 12 },
)

test('pipelined requests of any framing are handled one after another, however their bytes arrive', async () => {
  const most = { running: 0 }
  const server = createServer(echo(most))
  paceRequests(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  await fc.assert(
    fc.asyncProperty(requests, fc.array(fc.nat(), { maxLength: 6 }), async (all, cuts) => {
      const client = connect({ port, host: '127.0.0.1' })
      await once(client, 'connect')
      const bytes = all.map(encode).join('')
      const places = [0, ...cuts.map((cut) => cut % bytes.length), bytes.length].toSorted((a, b) => a - b)
      const received = receiver(client)
      for (const [index, place] of places.slice(1).entries()) {
        client.write(bytes.slice(places[index], place), 'latin1')
        await nextTurn()
      }
      const want = all.map(expected).join('')
      const text = await received((sofar) => bodiesOf(sofar).length >= want.length)
      client.destroy()
      expect(bodiesOf(text)).toBe(want)
    }),
    { numRuns: 60 },
  )
  expect(most.running).toBe(1)
})

const post = 'POST / HTTP/1.1\r\nHost:a\r\nContent-Length:1\r\n\r\nb'

test.each([
  ['', 'GET / HTTP/1.1\r\nHost:a\r\n\r\n'],
  ['without a host', 'GET / HTTP/1.1\r\n\r\n'],
  ['with an unknown expectation', 'GET / HTTP/1.1\r\nHost:a\r\nExpect:b\r\n\r\n'],
  ['with a body', post],
  ['behind empty lines', '\r\n\r\n\r\nGET / HTTP/1.1\r\nHost:a\r\n\r\n'],
])('of 500 requests %s in one read, one is parsed in each turn', async (_, request) => {
  const server = createServer((__, response) => response.end())
  paceRequests(server)
  const client = await connectTo(server)
  const seen = observeRequests((server.address() as AddressInfo).port)
  client.resume()
  client.end(post + request.repeat(500))
  await once(client, 'close')
  expect(seen.count).toBeGreaterThan(1)
  expect(seen).toMatchObject({ mostUnfinished: 1, mostInTurn: 1 })
})

test('a chunked body of empty lines is received', async () => {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.end('received'))
  })
  paceRequests(server)
  const client = await connectTo(server)
  const received = receiver(client)
  const body = '\r\n\r\n'.repeat(2 ** 16)
  client.write(
    `POST / HTTP/1.1\r\nHost:a\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`,
  )
  client.write(`${body}\r\n0\r\n\r\n`)
  expect(await received((text) => text.endsWith('received'))).toContain('200 OK')
})

test('an upgraded connection gets all its bytes, also those sent with the request', async () => {
  const server = createServer((_, response) => response.end('first'))
  paceRequests(server)
  const got = Promise.withResolvers<string>()
  server.on('upgrade', (_, socket: Socket, head: Buffer) => {
    void buffer(socket).then((rest) => got.resolve(head.toString() + rest.toString()))
  })
  const client = await connectTo(server)
  const tail = 'bytes\r\n\r\n'.repeat(1000)
  client.end(
    `GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: b\r\n\r\n${tail}`,
  )
  expect(await got.promise).toBe(tail)
})

test('a request for an upgrade that nobody handles, or no longer handles, is an ordinary request', async () => {
  const server = createServer((request, response) => response.end(`<${request.url}>`))
  paceRequests(server)
  const client = await connectTo(server)
  const received = receiver(client)
  const upgrade = (path: number) =>
    `GET /${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, keep-alive\r\nUpgrade: h2c\r\n\r\n`
  client.write(upgrade(1))
  expect(await received((text) => text.endsWith('</1>'))).toContain('200 OK')
  const handle = () => undefined
  server.on('upgrade', handle)
  server.off('upgrade', handle)
  client.write(upgrade(2))
  expect(await received((text) => text.endsWith('</2>'))).toContain('200 OK')
})

test('a client that closes its sending side gets all responses that are ready', async () => {
  const server = createServer((request, response) => response.end(`<${request.url}>`))
  paceRequests(server)
  const client = await connectTo(server, true)
  const received = receiver(client)
  client.end('GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n')
  expect(await received((text) => text.endsWith('</2>'))).toContain('</1>')
  await once(client, 'end')
})

const largeBody = Buffer.alloc(3 * 2 ** 20, `${'b'.repeat(1000)}\r\n\r\nGET / HTTP/1.1\r\n`)

const framings = {
  'whose length is declared': [`Content-Length: ${largeBody.length}\r\n\r\n`, ''],
  'in chunks': [`Transfer-Encoding: chunked\r\n\r\n${largeBody.length.toString(16)}\r\n`, '\r\n0\r\n\r\n'],
} as const

/** Responds to uploads with their body, read in batches slowly, and to other requests with their path. */
function receiveUploads() {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const batches: Buffer[] = []
    try {
      for await (const batch of readBatches(request)) {
        await nextTurn()
        batches.push(Buffer.from(batch))
      }
      const isWhole = Buffer.concat(batches).equals(largeBody)
      response.end(`<${request.url}${isWhole ? ' is whole' : ''}>`)
    } catch (error) {
      response.destroy(error as Error)
    }
  }
  return (request: IncomingMessage, response: ServerResponse) => void respond(request, response)
}

test.each(Object.entries(framings))(
  'requests behind a large body %s are parsed one in each turn',
  async (_, framing) => {
    const server = createServer(receiveUploads())
    paceRequests(server)
    const client = await connectTo(server)
    const seen = observeRequests((server.address() as AddressInfo).port)
    const received = receiver(client)
    const [head, tail] = framing
    const upload = Buffer.concat([
      Buffer.from(`PUT /1 HTTP/1.1\r\nHost:a\r\n${head}`),
      largeBody,
      Buffer.from(tail),
    ])
    const rest = 'GET /2 HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(200)
    client.write(Buffer.concat([upload, upload, Buffer.from(rest)]))
    const want = '</1 is whole></1 is whole>' + '</2>'.repeat(200)
    expect(bodiesOf(await received((text) => bodiesOf(text).length >= want.length))).toBe(want)
    expect(seen).toMatchObject({ count: 202, mostUnfinished: 1, mostInTurn: 1 })
  },
)

test.each(Object.entries(framings))(
  'a large body %s that ends early fails, and nothing behind it runs',
  async (_, [head]) => {
    const failed = Promise.withResolvers<string>()
    const server = createServer((request) => {
      const read = async (): Promise<number> => {
        let bytes = 0
        for await (const batch of readBatches(request)) bytes += batch.length
        return bytes
      }
      read().then(
        () => failed.resolve('whole'),
        (error: Error) => failed.resolve(error.message),
      )
    })
    paceRequests(server)
    const client = await connectTo(server)
    const seen = observeRequests((server.address() as AddressInfo).port)
    client.write(`PUT /1 HTTP/1.1\r\nHost:a\r\n${head}`)
    client.write(largeBody.subarray(0, largeBody.length / 2), () => client.destroy())
    expect(await failed.promise).toMatch(/aborted/)
    expect(seen.count).toBe(1)
  },
)

test('the memory of a large body is freed while it is received', async () => {
  const server = createServer(receiveUploads())
  const reads: Buffer[] = []
  server.on('connection', (socket: Socket) => {
    const push = socket.push.bind(socket)
    socket.push = (chunk: Buffer | null) => {
      if (chunk) reads.push(chunk)
      return push(chunk)
    }
  })
  paceRequests(server)
  const client = await connectTo(server)
  const received = receiver(client)
  client.write(`PUT /1 HTTP/1.1\r\nHost:a\r\nContent-Length: ${largeBody.length}\r\n\r\n`)
  client.write(largeBody)
  await received((text) => text.endsWith('</1 is whole>'))
  const kept = reads.reduce((sum, { byteLength }) => sum + byteLength, 0)
  // The first and the last read can contain other bytes.
  expect(kept).toBeLessThan(largeBody.length / 10)
})
