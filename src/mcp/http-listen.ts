import { createServer, type Server } from 'node:http'
import { MediaError } from '../contract/errors.ts'
import { mcpPath } from './http-admission.ts'
import type { HttpHandler } from './http.ts'

/** How long a request may take to arrive, ms. */
const requestTimeoutMs = 120_000

/** How often what rests is looked for, ms. */
const sweepIntervalMs = 60_000

/** How long requests may take to end once the server closes, ms. */
const shutdownGraceMs = 2_000

/** An entry that listens. */
export interface RunningHttpServer {
  /** Where clients of this machine find it. */
  readonly url: string
  /** Forgets what rests for too long; happens by itself every minute. */
  sweep(): Promise<void>
  close(): Promise<void>
}

/** Listens with an entry. Throws 6401 where the address cannot be had. */
export async function listenForMcp(
  entry: HttpHandler,
  at: { host: string; port: number },
): Promise<RunningHttpServer> {
  const server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) =>
    entry.handle(request, response),
  )
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(at, resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EADDRINUSE' ? 'another program listens there' : error.message
    throw new MediaError(6401, `cannot listen on ${at.host}:${at.port}: ${why}`, {
      cause: error,
      retryable: false,
      hint: 'Choose another host or port, or end what uses it.',
    })
  })
  const sweeping = setInterval(() => void entry.sweep(), sweepIntervalMs).unref()
  return {
    url: `http://${at.host.includes(':') ? `[${at.host}]` : at.host}:${boundPort(server)}${mcpPath}`,
    sweep: () => entry.sweep(),
    async close() {
      clearInterval(sweeping)
      const closed = new Promise((resolve) => server.close(resolve))
      await entry.close()
      server.closeIdleConnections()
      const patience = setTimeout(() => server.closeAllConnections(), shutdownGraceMs)
      await closed
      clearTimeout(patience)
    },
  }
}

function boundPort(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port')
  return address.port
}
