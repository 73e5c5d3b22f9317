import websocket from '@fastify/websocket'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { MediaError } from '../contract/errors.ts'
import { maxBodyBytes } from '../contract/route.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import type { RemovedFile } from '../files/content.ts'
import type { HostProcess } from '../platform/hosting.ts'
import type { Service } from '../tasks/service.ts'
import { registerAuthentication } from './authentication.ts'
import { registerCatalogRoutes } from './catalog-routes.ts'
import { registerChunkedUploadRoutes, registerFormUpload } from './upload-routes.ts'
import { trackConnections, trackHandlers } from './connections.ts'
import { registerDaemonRoutes, registerLedgerRoutes, registerMetricsRoutes } from './service-routes.ts'
import { registerDocsRoutes } from './openapi-page.ts'
import { registerEventRoutes, maxMessageBytes } from './event-socket.ts'
import { registerErrorHandler, handleClientError, sendPathError } from './responses.ts'
import { registerFileRoutes } from './file-routes.ts'
import { fastifyPath, registerJsonParser } from './request-input.ts'
import { registerPageRoutes } from './page-routes.ts'
import { BrokenResponseLog, createRequestObserver, chooseRequestId } from './request-log.ts'
import { registerTaskRoutes } from './task-routes.ts'

/** A connection on which nothing moves is cut, ms; an upload of hours is fine as long as it flows. */
const idleTimeoutMs = 120_000

/** A path parameter may be as long as Node lets a request line be, so that a wrong id is answered as one. */
const maxParamLength = 16_384

/** Transfers of files and their parts, which may take hours, and the hashing at the end of one. */
const transferPaths = [
  routes.uploadFile.path,
  fastifyPath(routes.uploadPart.path),
  fastifyPath(routes.importPart.path),
  fastifyPath(routes.completeUpload.path),
  fastifyPath(rawRoutes.downloadFile.path),
]

/** What asks whether the service is there and how it does keeps it busy no longer. */
const monitoringPaths: readonly string[] = [rawRoutes.health.path, rawRoutes.metrics.path]

/** Requests are checked by zod and answers written as JSON: what fastify would load for both stays out of each start. */
function refuseSchemaCompiler(): never {
  throw new Error('a route has a schema of fastify')
}

/** The HTTP side of a service. */
export interface App {
  /** Starts to accept; answers the port. */
  listen(at: { host: string; port: number }): Promise<number>
  /** Uploads and downloads that have not ended. */
  activeTransfers(): number
  /** Whether a request is being answered; an open event socket is none. */
  isHandlingRequest(): boolean
  /** When the latest admitted request came, `/health` and `/metrics` aside; ms since 1970. */
  lastActivity(): number
  /** Drops what is kept in memory of a file that is gone. */
  forgetFile(file: RemovedFile): void
  /** Stops accepting, closes event sockets, finishes requests; one on which nothing moves is cut. */
  close(): Promise<void>
}

interface AppOptions {
  /** A connection on which nothing moves for so long is cut, ms. */
  readonly idleTimeoutMs?: number
  /** The https address clients use. */
  readonly publicUrl?: string | undefined
  /** Whether the key may come in the query too. */
  readonly allowQueryAuthorization?: boolean | undefined
}

/** Builds the HTTP side: authentication first, then the routes of the contract, errors in one place. */
export async function createApp(
  service: Service,
  host: HostProcess,
  { idleTimeoutMs: stalledMs = idleTimeoutMs, publicUrl, allowQueryAuthorization = false }: AppOptions = {},
): Promise<App> {
  const requests = createRequestObserver(service)
  const app = fastify({
    genReqId: chooseRequestId,
    logController: new BrokenResponseLog(service.log),
    bodyLimit: maxBodyBytes,
    connectionTimeout: stalledMs,
    forceCloseConnections: 'idle',
    frameworkErrors: (_, request, reply) => {
      // No hook sees it.
      requests.follow(request, reply)
      sendPathError(reply)
    },
    clientErrorHandler: handleClientError,
    routerOptions: { maxParamLength },
    schemaController: {
      compilersFactory: { buildValidator: refuseSchemaCompiler, buildSerializer: refuseSchemaCompiler },
    },
  })
  // Before everything else: it also ends a refused upgrade's socket.
  await app.register(websocket, { options: { maxPayload: maxMessageBytes } })
  requests.watch(app)
  const connections = trackConnections(app)
  const handlers = trackHandlers(app)
  registerErrorHandler(app, service.log)
  registerAuthentication(app, service, { publicUrl, allowQueryAuthorization })
  registerJsonParser(app)
  const transfers = new Set<FastifyRequest>()
  let lastActivity = service.clock()
  app.addHook('onRequest', async (request, reply) => {
    // What an account has is kept by no browser and no proxy; what may be says so itself.
    void reply.header('cache-control', 'no-store')
    const { url } = request.routeOptions
    if (url === undefined || !monitoringPaths.includes(url)) lastActivity = service.clock()
    if (url === undefined || !transferPaths.includes(url)) return
    transfers.add(request)
    // However it ends.
    reply.raw.once('close', () => transfers.delete(request))
  })
  const forget = await registerRoutes(app, service, { host, stalledMs, allowQueryAuthorization })
  return {
    listen: (at) => listenOn(app, at),
    activeTransfers: () => transfers.size,
    isHandlingRequest: () => handlers.atWork() > 0,
    lastActivity: () => lastActivity,
    forgetFile: forget,
    async close() {
      connections.letGo()
      await app.close()
      await handlers.ended()
    },
  }
}

async function registerRoutes(
  app: FastifyInstance,
  service: Service,
  {
    host,
    stalledMs,
    allowQueryAuthorization,
  }: {
    readonly host: HostProcess
    readonly stalledMs: number
    readonly allowQueryAuthorization: boolean
  },
): Promise<App['forgetFile']> {
  registerDaemonRoutes(app, host)
  registerMetricsRoutes(app, service)
  registerCatalogRoutes(app, service, host.version)
  registerDocsRoutes(app, service, { version: host.version, allowQueryAuthorization })
  const forget = registerFileRoutes(app, service)
  registerTaskRoutes(app, service)
  registerEventRoutes(app, service, stalledMs)
  registerLedgerRoutes(app, service)
  await registerPageRoutes(app, service)
  await app.register(async (inner) => registerFormUpload(inner, service))
  registerChunkedUploadRoutes(app, service)
  return forget
}

async function listenOn(app: FastifyInstance, at: Parameters<App['listen']>[0]): Promise<number> {
  await app.listen(at).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(at, error)
  })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the service has no port')
  return address.port
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
