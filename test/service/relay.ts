import { once } from 'node:events'
import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Target of a relay. */
interface RelayTarget {
  readonly baseUrl: string
  readonly apiKey: string
}

/** HTTP proxy between a client and successive services that simulates network failures. */
export interface Relay extends AsyncDisposable {
  readonly baseUrl: string
  target: RelayTarget
  /** Responds instead of the service; returns true when it did. As by the service, the rest of the body is discarded. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Whether to drop the service's response together with the connection. */
  dropsResponse: (request: IncomingMessage) => boolean
  /** Requests so far, as `METHOD path`. */
  readonly requests: string[]
  /** Bytes of parts sent again after a response with status 200. */
  readonly bytesResent: number
  /** Closes all connections. */
  closeConnections(): void
  /** Resolves when this many more body bytes have passed. */
  waitForBytes(bytes: number): Promise<void>
}

/** Starts a relay on a free local port. Clients can use any key. */
export async function startRelay(target: RelayTarget): Promise<Relay> {
  const byteWatch = { bytes: 0, until: Infinity, reached: (): void => undefined }
  const acknowledged = new Set<string>()
  let sentTwice = 0
  let agent = new Agent({ keepAlive: true })
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request
    const path = url.split('?')[0] ?? ''
    relay.requests.push(`${method} ${path}`)
    if (relay.intercept(request, response)) {
      request.resume()
      return
    }
    if (method === 'PUT' && acknowledged.has(path)) sentTwice += Number(headers['content-length'])
    const { baseUrl, apiKey } = relay.target
    const upstream = send(baseUrl + url, { method, agent, headers: { ...headers, authorization: apiKey } })
    request.on('data', (chunk: Buffer) => {
      byteWatch.bytes += chunk.length
      if (byteWatch.bytes >= byteWatch.until) byteWatch.reached()
    })
    request.pipe(upstream)
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    upstream.on('response', (upstreamResponse) => {
      if (relay.dropsResponse(request)) return response.destroy()
      response.writeHead(upstreamResponse.statusCode ?? 500, upstreamResponse.headers)
      upstreamResponse.on('error', () => response.destroy())
      response.on(
        'finish',
        () => method === 'PUT' && upstreamResponse.statusCode === 200 && acknowledged.add(path),
      )
      return upstreamResponse.pipe(response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const relay: Relay = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target,
    intercept: () => false,
    dropsResponse: () => false,
    requests: [],
    get bytesResent() {
      return sentTwice
    },
    closeConnections() {
      server.closeAllConnections()
      agent.destroy()
      agent = new Agent({ keepAlive: true })
    },
    waitForBytes(bytes) {
      byteWatch.until = byteWatch.bytes + bytes
      return new Promise((resolve) => (byteWatch.reached = resolve))
    },
    async [Symbol.asyncDispose]() {
      relay.closeConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return relay
}
