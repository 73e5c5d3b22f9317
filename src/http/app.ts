import websocket from '@fastify/websocket'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { MediaError } from '../contract/errors.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import type { RemovedFile } from '../files/content.ts'
import {
  type ConnectionGuardOptions,
  guardConnections,
  headersTimeoutMs,
} from '../platform/connection-limits.ts'
import type { HostProcess } from '../platform/hosting.ts'
import { onResponseClosed } from '../platform/response-closed.ts'
import type { Service } from '../tasks/service.ts'
import { registerAuthentication } from './authentication.ts'
import { registerCatalogRoutes } from './catalog-routes.ts'
import { registerChunkedUploadRoutes, registerFormUpload } from './upload-routes.ts'
import { trackConnections, trackHandlers } from './connections.ts'
import { registerDaemonRoutes, registerLedgerRoutes, registerMetricsRoutes } from './service-routes.ts'
import { registerDocsRoutes } from './openapi-page.ts'
import { registerEventRoutes, maxClientMessageBytes } from './event-socket.ts'
import { registerErrorHandler, handleClientError, sendPathError } from './responses.ts'
import { registerFileRoutes } from './file-routes.ts'
import { type KeyWatch, watchKeys } from './key-watch.ts'
import { fastifyPath } from './request-input.ts'
import { registerJsonParser } from './json-body.ts'
import { registerLibraryRoutes } from './library-routes.ts'
import { registerPageRoutes } from './page-routes.ts'
import { BrokenResponseLog, createRequestObserver, chooseRequestId } from './request-log.ts'
import { registerTaskRoutes } from './task-routes.ts'
import { registerQuestionRoutes } from './question-routes.ts'

/** Idle timeout of a connection, ms. A transfer may take hours as long as bytes flow. */
const defaultIdleTimeoutMs = 120_000

/**
 * Longest path parameter, characters: as long as Node's request line, so that a malformed id gets a proper error.
 */
const maxParamLength = 16_384

/** Uploads and downloads, which may take hours, and the hashing after an upload. */
const transferPaths = [
  routes.uploadFile.path,
  fastifyPath(routes.uploadPart.path),
  fastifyPath(routes.importPart.path),
  fastifyPath(routes.completeUpload.path),
  fastifyPath(rawRoutes.downloadFile.path),
]

/** Requests that do not count as activity. */
const monitoringPaths: readonly string[] = [rawRoutes.health.path, rawRoutes.metrics.path]

/** Fastify's schema compilers are not loaded: zod validates requests, and responses are plain JSON. */
function refuseSchemaCompiler(): never {
  throw new Error('a route has a Fastify schema')
}

/** The HTTP server of a service. */
export interface App {
  /** Starts accepting connections and returns the port. */
  listen(at: { host: string; port: number }): Promise<number>
  /** Number of unfinished uploads and downloads. */
  activeTransfers(): number
  /** Whether a request is being handled. Open event sockets do not count. */
  isHandlingRequest(): boolean
  /** Time of the latest authenticated request, except `/health` and `/metrics`; ms since 1970. */
  lastActivity(): number
  /** Drops cached data of a removed file. */
  forgetFile(file: RemovedFile): void
  /** Stops accepting, closes event sockets and finishes requests. Cuts idle connections. */
  close(): Promise<void>
}

/** Options of `createApp`. */
export interface AppOptions {
  /** A connection on which nothing moves for so long is cut, ms. */
  readonly idleTimeoutMs?: number
  /** The https address that clients use. */
  readonly publicUrl?: string | undefined
  /** Whether the query may contain the key. */
  readonly allowQueryAuthorization?: boolean | undefined
  readonly connectionLimits?: ConnectionGuardOptions['limits']
  readonly unread?: ConnectionGuardOptions['unread']
  readonly timeouts?: AppTimeouts
}

/** Times that tests shorten, ms. */
interface AppTimeouts {
  /** Interval at which the keys of open connections are checked; by default that of the pings of event sockets. */
  readonly keyCheckMs?: number
  /** How long the headers of a request may take to arrive. */
  readonly headersMs?: number
  /** How long the body of a request that needs no key may take to arrive. */
  readonly openBodyMs?: number
}

/** Creates the HTTP server with authentication, the routes of the contract and the error handler. */
export async function createApp(
  service: Service,
  host: HostProcess,
  {
    idleTimeoutMs = defaultIdleTimeoutMs,
    publicUrl,
    allowQueryAuthorization = false,
    connectionLimits,
    unread,
    timeouts: { keyCheckMs = idleTimeoutMs / 2, headersMs = headersTimeoutMs, openBodyMs } = {},
  }: AppOptions = {},
): Promise<App> {
  const requests = createRequestObserver(service)
  const app = createFastify(service, requests, { idleTimeoutMs, headersMs })
  // First: it also closes the socket of a rejected upgrade.
  await app.register(websocket, { options: { maxPayload: maxClientMessageBytes } })
  requests.watch(app)
  const tracked = trackConnections(app)
  const limited = guardConnections(app.server, { limits: connectionLimits, unread })
  const handlers = trackHandlers(app)
  registerErrorHandler(app, service.log)
  registerAuthentication(app, service, {
    publicUrl,
    allowQueryAuthorization,
    acceptConnection: ({ raw, ws }, owner) => limited.accept({ raw, owner, isUpgrade: ws }),
  })
  registerJsonParser(app, service, openBodyMs)
  const keys = watchKeys(app, service, keyCheckMs)
  const activity = trackActivity(app, service)
  const forgetFile = await registerRoutes(app, service, {
    host,
    idleTimeoutMs,
    allowQueryAuthorization,
    keys,
  })
  return {
    listen: (at) => listenOn(app, at),
    activeTransfers: activity.transfers,
    isHandlingRequest: () => handlers.running() > 0,
    lastActivity: activity.latest,
    forgetFile,
    async close() {
      tracked.startClosing()
      await app.close()
      await handlers.settled()
    },
  }
}

function createFastify(
  { log }: Service,
  requests: ReturnType<typeof createRequestObserver>,
  { idleTimeoutMs, headersMs }: { readonly idleTimeoutMs: number; readonly headersMs: number },
): FastifyInstance {
  return fastify({
    genReqId: chooseRequestId,
    logController: new BrokenResponseLog(log),
    connectionTimeout: idleTimeoutMs,
    http: { headersTimeout: headersMs, connectionsCheckingInterval: headersMs / 5 },
    forceCloseConnections: 'idle',
    frameworkErrors: (_, request, reply) => {
      // Fastify runs no hooks for this request.
      requests.follow(request, reply)
      sendPathError(reply)
    },
    clientErrorHandler: handleClientError,
    routerOptions: { maxParamLength },
    schemaController: {
      compilersFactory: { buildValidator: refuseSchemaCompiler, buildSerializer: refuseSchemaCompiler },
    },
  })
}

/** Counts unfinished transfers, and remembers when the latest request other than monitoring was authenticated. */
function trackActivity(app: FastifyInstance, service: Service): { transfers(): number; latest(): number } {
  const transfers = new Set<FastifyRequest>()
  let lastActivity = service.clock()
  app.addHook('onRequest', async (request, reply) => {
    // Responses are not cached unless a route sets another value.
    void reply.header('cache-control', 'no-store')
    const { url } = request.routeOptions
    if (url === undefined || !monitoringPaths.includes(url)) lastActivity = service.clock()
    if (url === undefined || !transferPaths.includes(url)) return
    transfers.add(request)
    // On success and on failure.
    onResponseClosed(reply.raw, () => transfers.delete(request))
  })
  return { transfers: () => transfers.size, latest: () => lastActivity }
}

async function registerRoutes(
  app: FastifyInstance,
  service: Service,
  {
    host,
    idleTimeoutMs,
    allowQueryAuthorization,
    keys,
  }: {
    readonly host: HostProcess
    readonly idleTimeoutMs: number
    readonly allowQueryAuthorization: boolean
    readonly keys: KeyWatch
  },
): Promise<App['forgetFile']> {
  registerDaemonRoutes(app, host)
  registerMetricsRoutes(app, service)
  registerCatalogRoutes(app, service, host.version)
  registerDocsRoutes(app, service, { version: host.version, allowQueryAuthorization })
  const forget = registerFileRoutes(app, service)
  registerTaskRoutes(app, service)
  registerQuestionRoutes(app, service)
  registerLibraryRoutes(app, service)
  registerEventRoutes(app, service, { idleTimeoutMs, keys })
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
  const why = error.code === 'EADDRINUSE' ? 'another program uses the port' : error.message
  return new MediaError(6401, `cannot listen on ${host}:${port}: ${why}`, {
    cause: error,
    retryable: false,
    hint: 'Choose another host or port, or stop the program that uses it.',
  })
}
