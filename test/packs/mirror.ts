import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A local mirror that can simulate failures of networks and servers. */
export interface Mirror extends AsyncDisposable {
  readonly address: string
  /** Requests so far, with path and requested range. */
  readonly requests: string[]
  readonly files: Map<string, Buffer>
  /** Handles a request instead of the file server; returns true if it did. */
  intercept: (request: IncomingMessage, response: ServerResponse) => boolean
  /** Body sizes, bytes, after which the connections of the next responses break. */
  readonly cuts: number[]
  /** Body size, bytes, after which a response stalls. */
  stallAfter: number | undefined
  /** Whether responses have an ETag, which lets a download resume. */
  sendsEtag: boolean
  /** Resolves when a response has stalled. */
  waitForStall(): Promise<void>
  /** Closes every connection. */
  closeConnections(): void
}

/** ETag of a content. */
export function etagOf(content: Buffer): string {
  return `"${createHash('sha256').update(content).digest('hex').slice(0, 16)}"`
}

/** Starts a mirror that serves files by name, with ranges and ETags (RFC 9110). */
export async function startMirror(files: Readonly<Record<string, Buffer>> = {}): Promise<Mirror> {
  const stopped = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    const { range, 'if-range': condition } = request.headers
    mirror.requests.push(range === undefined ? path : `${path} ${range}`)
    if (mirror.intercept(request, response)) return
    const content = mirror.files.get(path)
    if (!content) {
      response.writeHead(404).end()
      return
    }
    const tag = etagOf(content)
    const from = range !== undefined && condition === tag ? Number(/^bytes=(\d+)-$/.exec(range)?.[1]) : 0
    const body = content.subarray(from)
    response.writeHead(from > 0 ? 206 : 200, {
      'content-length': body.length,
      ...(mirror.sendsEtag && { etag: tag }),
      ...(from > 0 && { 'content-range': `bytes ${from}-${content.length - 1}/${content.length}` }),
    })
    const cut = mirror.cuts.shift()
    const end = cut ?? mirror.stallAfter
    if (end === undefined) {
      response.end(body)
      return
    }
    response.write(body.subarray(0, end), () => {
      if (cut === undefined) stopped.resolve()
      // The bytes written so far are sent; the rest never is.
      else setImmediate(() => response.destroy())
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const mirror: Mirror = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: [],
    files: new Map(Object.entries(files)),
    intercept: () => false,
    cuts: [],
    stallAfter: undefined,
    sendsEtag: true,
    waitForStall: () => stopped.promise,
    closeConnections: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return mirror
}
