import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** A request that the fake service received. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** Responds to a request. */
export type Reply = (response: ServerResponse, heard: ReceivedRequest) => void | Promise<void>

/** A local server that replaces a service and simulates failures of services and networks. */
export interface FakeService extends AsyncDisposable {
  /** Its URL without a path. */
  readonly origin: string
  readonly heard: ReceivedRequest[]
  /** Replies to the next requests, followed by `otherwise`. */
  readonly replies: Reply[]
  otherwise: Reply
  /** Resolves when a number of requests has arrived. */
  hears(count: number): Promise<void>
}

/** Starts a fake service on a free port. */
export async function startFakeService(otherwise: Reply = fails(404)): Promise<FakeService> {
  const waiting: { readonly count: number; readonly tell: () => void }[] = []
  const server = createServer((request, response) => void serve(request, response))
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '', headers } = request
    // A client that leaves in the middle is one of the cases, and receives no reply.
    const body = await buffer(request).catch(() => Buffer.alloc(0))
    const heard = { method, path: url, headers, body }
    standIn.heard.push(heard)
    for (const { count, tell } of waiting) if (standIn.heard.length >= count) tell()
    if (request.complete) await (standIn.replies.shift() ?? standIn.otherwise)(response, heard)
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

/** Responds with JSON. */
export function json(value: unknown): Reply {
  return (response) => void response.setHeader('content-type', 'application/json').end(JSON.stringify(value))
}

/** Responds with bytes of a media type. */
export function bytes(content: Uint8Array, type: string, status = 200): Reply {
  return (response) => void response.writeHead(status, { 'content-type': type }).end(content)
}

/** Responds with an error status and optionally a body. */
export function fails(status: number, said?: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(said === undefined ? '' : JSON.stringify(said))
  }
}

/** Responds with the HTML page of a proxy, with status 200 by default. */
export function page(status = 200): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html><body>Bad gateway</body></html>')
  }
}

/** Disconnects in the middle of a body. */
export function breaks(content: string | Uint8Array = '{"choices":[{"mess'): Reply {
  return (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': content.length * 2 })
    response.write(content, () => setImmediate(() => response.destroy()))
  }
}

/** Sends nothing, or only the start of a response. */
export function hangs(begin?: string): Reply {
  return (response) => {
    if (begin !== undefined) response.writeHead(200, { 'content-type': 'application/json' }).write(begin)
  }
}
