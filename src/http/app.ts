import websocket from '@fastify/websocket'
import fastify, { type FastifyRequest } from 'fastify'
import { MediaError } from '../contract/errors.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import type { HostProcess } from '../platform/hosting.ts'
import type { Service } from '../tasks/service.ts'
import { admit } from './admission.ts'
import { catalogRoutes } from './catalog.ts'
import { watchConnections, watchHandlers } from './connections.ts'
import { daemonRoutes } from './daemon.ts'
import { eventRoutes, maxMessageBytes } from './events.ts'
import { answerErrors, answerMalformed, answerUnreadable } from './failures.ts'
import { fileRoutes } from './files.ts'
import { readJson } from './json.ts'
import { pattern } from './parameters.ts'
import { taskRoutes } from './tasks.ts'
import { uploadRoutes } from './uploads.ts'

/** JSON bodies, bytes. */
const maxBodyBytes = 32 * 2 ** 20

/** A connection on which nothing moves is cut, ms; an upload of hours is fine as long as it flows. */
const patienceMs = 120_000

/** A path parameter may be as long as Node lets a request line be, so that a wrong id is answered as one. */
const maxParamLength = 16_384

/** Transfers of whole files, which may take hours. */
const transferPaths = [routes.uploadFile.path, pattern(rawRoutes.downloadFile.path)]

/** The HTTP side of a service. */
export interface App {
  /** Starts to accept; answers the port. */
  listen(at: { host: string; port: number }): Promise<number>
  /** Uploads and downloads that have not ended. */
  transfersUnderWay(): number
  /** When the latest admitted request came, `/health` aside; ms since 1970. */
  lastActivity(): number
  /** Stops accepting, closes event sockets, finishes requests; one on which nothing moves is cut. */
  close(): Promise<void>
}

interface AppOptions {
  /** A connection on which nothing moves for so long is cut, ms. */
  readonly stalledMs?: number
  /** The https address clients use. */
  readonly publicUrl?: string | undefined
}

/** Builds the HTTP side: authentication first, then the routes of the contract, errors in one place. */
export async function createApp(
  service: Service,
  host: HostProcess,
  { stalledMs = patienceMs, publicUrl }: AppOptions = {},
): Promise<App> {
  const app = fastify({
    bodyLimit: maxBodyBytes,
    connectionTimeout: stalledMs,
    forceCloseConnections: 'idle',
    frameworkErrors: answerUnreadable,
    clientErrorHandler: answerMalformed,
    routerOptions: { maxParamLength },
  })
  // Before everything else: it also ends a refused upgrade's socket.
  await app.register(websocket, { options: { maxPayload: maxMessageBytes } })
  const connections = watchConnections(app)
  const handlers = watchHandlers(app)
  answerErrors(app, service.log)
  admit(app, service, publicUrl)
  readJson(app)
  const transfers = new Set<FastifyRequest>()
  let lastActivity = service.clock()
  app.addHook('onRequest', async (request, reply) => {
    const { url } = request.routeOptions
    if (url !== rawRoutes.health.path) lastActivity = service.clock()
    if (url === undefined || !transferPaths.includes(url)) return
    transfers.add(request)
    // However it ends.
    reply.raw.once('close', () => transfers.delete(request))
  })
  daemonRoutes(app, host)
  catalogRoutes(app, service, host.version)
  fileRoutes(app, service)
  taskRoutes(app, service)
  eventRoutes(app, service, stalledMs)
  await app.register(async (inner) => uploadRoutes(inner, service))
  return {
    async listen(at) {
      await app.listen(at).catch((error: NodeJS.ErrnoException) => {
        throw cannotListen(at, error)
      })
      const address = app.server.address()
      if (address === null || typeof address === 'string') throw new Error('the service has no port')
      return address.port
    },
    transfersUnderWay: () => transfers.size,
    lastActivity: () => lastActivity,
    async close() {
      connections.letGo()
      await app.close()
      await handlers.ended()
    },
  }
}

function cannotListen(
  { host, port }: { host: string; port: number },
  error: NodeJS.ErrnoException,
): MediaError {
  const why = error.code === 'EADDRINUSE' ? 'another program listens there' : error.message
  return new MediaError(6401, `cannot listen on ${host}:${port}: ${why}`, {
    cause: error,
    retryable: false,
    hint: 'Choose another host or port, or end what uses it.',
  })
}
