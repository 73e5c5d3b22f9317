import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'

/**
 * How long the rest of a body is read and thrown away after an answer that did not wait for it, ms;
 * cutting the connection at once would lose the answer.
 */
const lingerMs = 1_000

/** While the service ends, a connection on which nothing moves for so long is cut, ms. */
const closingIdleTimeoutMs = 2_000

/** Cuts connections on which nothing moves and nothing is worked on; `letGo` begins to end all of them. */
export function trackConnections(app: FastifyInstance): { letGo(): void } {
  const open = new Set<Socket>()
  const requests = new Map<Socket, IncomingMessage>()
  let ending = false
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  // Node leaves the decision to whoever listens.
  app.server.on('timeout', (socket: Socket) => {
    const isWorkedOn = requests.get(socket)?.complete && socket.writableLength === 0
    if (!isWorkedOn) socket.destroy()
  })
  app.addHook('onRequest', async ({ raw }, reply) => {
    requests.set(raw.socket, raw)
    reply.raw.once('close', () => {
      if (requests.get(raw.socket) === raw) requests.delete(raw.socket)
    })
  })
  app.addHook('onResponse', async ({ raw }) => {
    // Kept alive, it would be waited for.
    if (ending) raw.socket.destroySoon()
    else discardBody(raw)
  })
  return {
    letGo() {
      ending = true
      for (const socket of open) socket.setTimeout(closingIdleTimeoutMs)
    },
  }
}

function discardBody(raw: IncomingMessage): void {
  raw.unpipe()
  raw.resume()
  if (raw.complete) return
  const timer = setTimeout(() => raw.socket.destroy(), lingerMs).unref()
  raw.once('end', () => clearTimeout(timer))
}

/** Follows the handlers, so that the end can wait for them; cutting a connection does not end its handler. */
export function trackHandlers(app: FastifyInstance): { atWork(): number; ended(): Promise<void> } {
  const atWork = new Set<Promise<unknown>>()
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = async function (request, reply) {
      const work = Promise.resolve(handler.call(this, request, reply))
      atWork.add(work)
      try {
        return await work
      } finally {
        atWork.delete(work)
      }
    }
  })
  return { atWork: () => atWork.size, ended: async () => void (await Promise.allSettled(atWork)) }
}

/** Aborted when the client goes away before it has its answer. */
export function abortOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) left.abort(new Error('the client has gone'))
  })
  return left.signal
}
