import multipart from '@fastify/multipart'
import websocket from '@fastify/websocket'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { maxFileBytes } from '../contract/file.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import type { Service } from '../tasks/service.ts'
import { admit } from './admission.ts'
import { catalogRoutes } from './catalog.ts'
import { daemonRoutes, type DaemonSide } from './daemon.ts'
import { eventRoutes, maxMessageBytes } from './events.ts'
import { answerErrors } from './failures.ts'
import { fileRoutes } from './files.ts'
import { taskRoutes } from './tasks.ts'
import { uploadRoutes } from './uploads.ts'

/** JSON bodies, bytes. */
const maxBodyBytes = 32 * 2 ** 20

/** A connection on which nothing moves is closed, ms; an upload of hours is fine as long as it flows. */
const stalledMs = 120_000

/** The HTTP side of a service. */
export interface App {
  /** Starts to accept; answers the port. */
  listen(at: { host: string; port: number }): Promise<number>
  uploadsUnderWay(): number
  /** When the latest request came, `/health` aside; ms since 1970. */
  lastActivity(): number
  /** Stops accepting, closes event sockets, finishes requests. */
  close(): Promise<void>
}

/** Builds the HTTP side: authentication first, then the routes of the contract, errors in one place. */
export function createApp(service: Service, daemon: DaemonSide): App {
  const app = fastify({
    bodyLimit: maxBodyBytes,
    connectionTimeout: stalledMs,
    forceCloseConnections: 'idle',
    // A path parameter is an id; anything longer is answered as unknown.
    routerOptions: { maxParamLength: 200 },
  })
  const uploads = new Set<FastifyRequest>()
  let lastActivity = service.clock()
  app.addHook('onRequest', async (request) => {
    const { url } = request.routeOptions
    if (url !== rawRoutes.health.path) lastActivity = service.clock()
    if (url === routes.uploadFile.path) uploads.add(request)
  })
  // Both, as a client that goes away gets no response.
  app.addHook('onResponse', async (request) => void uploads.delete(request))
  app.addHook('onRequestAbort', async (request) => void uploads.delete(request))
  answerErrors(app, service.log)
  admit(app, service)
  void app.register(multipart, { limits: { files: 1, fields: 0, fileSize: maxFileBytes, parts: 1 } })
  void app.register(websocket, { options: { maxPayload: maxMessageBytes } })
  // Inside a plugin, so that the sockets' own is ready before their route is declared.
  void app.register(async (inner: FastifyInstance) => {
    daemonRoutes(inner, daemon)
    catalogRoutes(inner, service, daemon.version)
    uploadRoutes(inner, service)
    fileRoutes(inner, service)
    taskRoutes(inner, service)
    eventRoutes(inner, service)
  })
  return {
    async listen(at) {
      await app.listen(at)
      const address = app.server.address()
      if (address === null || typeof address === 'string') throw new Error('the service has no port')
      return address.port
    },
    uploadsUnderWay: () => uploads.size,
    lastActivity: () => lastActivity,
    close: () => app.close(),
  }
}
