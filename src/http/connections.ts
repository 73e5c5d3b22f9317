import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { onResponseClosed } from '../platform/response-closed.ts'
import { requestInterrupted } from './responses.ts'

/**
 * After an early response, how long the rest of a request body is read and discarded, ms. Closing at once could
 * lose the response.
 */
const lingerMs = 1_000

/** Idle timeout of connections during shutdown, ms. */
const closingIdleTimeoutMs = 2_000

/** Closes idle connections without a running request. `startClosing` starts to close all connections. */
export function trackConnections(app: FastifyInstance): { startClosing(): void } {
  const open = new Set<Socket>()
  const requests = new Map<Socket, IncomingMessage>()
  let ending = false
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  // With a listener, Node does not destroy the socket itself.
  app.server.on('timeout', (socket: Socket) => {
    const isBeingHandled = requests.get(socket)?.complete && socket.writableLength === 0
    if (!isBeingHandled) socket.destroy()
  })
  app.addHook('onRequest', async ({ raw }, reply) => {
    requests.set(raw.socket, raw)
    onResponseClosed(reply.raw, () => {
      if (requests.get(raw.socket) === raw) requests.delete(raw.socket)
    })
  })
  app.addHook('onResponse', async ({ raw }) => {
    // A keep-alive connection would delay the shutdown.
    if (ending) raw.socket.destroySoon()
    else discardRequestBody(raw)
  })
  return {
    startClosing() {
      ending = true
      for (const socket of open) socket.setTimeout(closingIdleTimeoutMs)
    },
  }
}

function discardRequestBody(raw: IncomingMessage): void {
  raw.unpipe()
  raw.resume()
  if (raw.complete) return
  const timer = setTimeout(() => raw.socket.destroy(), lingerMs).unref()
  raw.once('end', () => clearTimeout(timer))
}

/** Tracks running handlers, so that shutdown can wait for them. Closing a connection does not stop its handler. */
export function trackHandlers(app: FastifyInstance): { running(): number; settled(): Promise<void> } {
  const running = new Set<Promise<unknown>>()
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = async function (request, reply) {
      const work = Promise.resolve(handler.call(this, request, reply))
      running.add(work)
      try {
        return await work
      } finally {
        running.delete(work)
      }
    }
  })
  return { running: () => running.size, settled: async () => void (await Promise.allSettled(running)) }
}

/** Signal that aborts when the client disconnects before the response. */
export function abortOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController()
  onResponseClosed(raw, () => {
    if (!raw.writableFinished) left.abort(requestInterrupted(new Error('the client disconnected')))
  })
  return left.signal
}
