import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A request that a stand-in got. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** What a stand-in does with a request. */
export type Reply = (response: ServerResponse, heard: ReceivedRequest) => void | Promise<void>

/** A server on this machine that stands in for a service, and does what services and networks do. */
export interface FakeService extends AsyncDisposable {
  /** Without a path. */
  readonly origin: string
  readonly heard: ReceivedRequest[]
  /** The replies to the next requests; after them, `otherwise`. */
  readonly replies: Reply[]
  otherwise: Reply
  /** Resolves when so many requests have come. */
  hears(count: number): Promise<void>
}

/** Starts a stand-in on a free port. */
export async function startFakeService(otherwise: Reply = fails(404)): Promise<FakeService> {
  const waiting: { readonly count: number; readonly tell: () => void }[] = []
  const server = createServer((request, response) => void serve(request, response))
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request
    // A client that leaves in the middle is one of the cases.
    const body = await buffer(request).catch(() => Buffer.alloc(0))
    const heard = { method, path: url, headers, body }
    standIn.heard.push(heard)
    for (const { count, tell } of waiting) if (standIn.heard.length >= count) tell()
    await (standIn.replies.shift() ?? standIn.otherwise)(response, heard)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const standIn: FakeService = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard: [],
    replies: [],
    otherwise,
    async hears(count) {
      if (standIn.heard.length >= count) return
      await new Promise<void>((tell) => void waiting.push({ count, tell }))
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return standIn
}

/** Answers JSON. */
export function json(value: unknown): Reply {
  return (response) => void response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
}

/** Answers bytes of a media type. */
export function bytes(content: Uint8Array, type: string, status = 200): Reply {
  return (response) => void response.writeHead(status, { 'content-type': type }).end(content)
}

/** Refuses, with or without words. */
export function fails(status: number, said?: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(said === undefined ? '' : JSON.stringify(said))
  }
}

/** Answers the page of a proxy, as if all were well or with another status. */
export function page(status = 200): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html><body>Bad gateway</body></html>')
  }
}

/** Breaks off in the middle of a body. */
export function breaks(content: string | Uint8Array = '{"choices":[{"mess'): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': content.length * 2 })
    response.write(content, () => setImmediate(() => response.destroy()))
  }
}

/** Answers nothing, or only a begin. */
export function hangs(begin?: string): Reply {
  return (response) => {
    if (begin !== undefined) response.writeHead(200, { 'content-type': 'application/json' }).write(begin)
  }
}
