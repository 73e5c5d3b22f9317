import websocket from '@fastify/websocket'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { MediaError } from '../contract/errors.ts'
import { maxBodyBytes } from '../contract/route.ts'
import { rawRoutes, routes } from '../contract/routes.ts'
import type { RemovedFile } from '../files/content.ts'
import type { HostProcess } from '../platform/hosting.ts'
import type { Service } from '../tasks/service.ts'
import { admit } from './admission.ts'
import { catalogRoutes } from './catalog.ts'
import { chunkedUploadRoutes } from './chunked-uploads.ts'
import { watchConnections, watchHandlers } from './connections.ts'
import { daemonRoutes } from './daemon.ts'
import { docsRoutes } from './docs.ts'
import { eventRoutes, maxMessageBytes } from './events.ts'
import { answerErrors, answerMalformed, answerUnreadable } from './failures.ts'
import { fileRoutes } from './files.ts'
import { readJson } from './json.ts'
import { ledgerRoutes } from './ledger.ts'
import { metricsRoutes } from './metrics.ts'
import { pageRoutes } from './page.ts'
import { pattern } from './parameters.ts'
import { BrokenAnswers, followRequests, nameRequest } from './requests.ts'
import { taskRoutes } from './tasks.ts'
import { uploadRoutes } from './uploads.ts'

/** A connection on which nothing moves is cut, ms; an upload of hours is fine as long as it flows. */
const patienceMs = 120_000

/** A path parameter may be as long as Node lets a request line be, so that a wrong id is answered as one. */
const maxParamLength = 16_384

/** Transfers of files and their parts, which may take hours, and the hashing at the end of one. */
const transferPaths = [
  routes.uploadFile.path,
  pattern(routes.uploadPart.path),
  pattern(routes.importPart.path),
  pattern(routes.completeUpload.path),
  pattern(rawRoutes.downloadFile.path),
]

/** What asks whether the service is there and how it does keeps it busy no longer. */
const unnoticedPaths: readonly string[] = [rawRoutes.health.path, rawRoutes.metrics.path]

/** Requests are checked by zod and answers written as JSON: what fastify would load for both stays out of each start. */
function unused(): never {
  throw new Error('a route has a schema of fastify')
}

/** The HTTP side of a service. */
export interface App {
  /** Starts to accept; answers the port. */
  listen(at: { host: string; port: number }): Promise<number>
  /** Uploads and downloads that have not ended. */
  transfersUnderWay(): number
  /** Whether a request is being answered; an open event socket is none. */
  isAnswering(): boolean
  /** When the latest admitted request came, `/health` and `/metrics` aside; ms since 1970. */
  lastActivity(): number
  /** Drops what is kept in memory of a file that is gone. */
  forget(file: RemovedFile): void
  /** Stops accepting, closes event sockets, finishes requests; one on which nothing moves is cut. */
  close(): Promise<void>
}

interface AppOptions {
  /** A connection on which nothing moves for so long is cut, ms. */
  readonly stalledMs?: number
  /** The https address clients use. */
  readonly publicUrl?: string | undefined
  /** Whether the key may come in the query too. */
  readonly allowQueryAuthorization?: boolean | undefined
}

/** Builds the HTTP side: authentication first, then the routes of the contract, errors in one place. */
export async function createApp(
  service: Service,
  host: HostProcess,
  { stalledMs = patienceMs, publicUrl, allowQueryAuthorization = false }: AppOptions = {},
): Promise<App> {
  const requests = followRequests(service)
  const app = fastify({
    genReqId: nameRequest,
    logController: new BrokenAnswers(service.log),
    bodyLimit: maxBodyBytes,
    connectionTimeout: stalledMs,
    forceCloseConnections: 'idle',
    frameworkErrors: (_, request, reply) => {
      // No hook sees it.
      requests.follow(request, reply)
      answerUnreadable(reply)
    },
    clientErrorHandler: answerMalformed,
    routerOptions: { maxParamLength },
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
  })
  // Before everything else: it also ends a refused upgrade's socket.
  await app.register(websocket, { options: { maxPayload: maxMessageBytes } })
  requests.watch(app)
  const connections = watchConnections(app)
  const handlers = watchHandlers(app)
  answerErrors(app, service.log)
  admit(app, service, { publicUrl, allowQueryAuthorization })
  readJson(app)
  const transfers = new Set<FastifyRequest>()
  let lastActivity = service.clock()
  app.addHook('onRequest', async (request, reply) => {
    // What an account has is kept by no browser and no proxy; what may be says so itself.
    void reply.header('cache-control', 'no-store')
    const { url } = request.routeOptions
    if (url === undefined || !unnoticedPaths.includes(url)) lastActivity = service.clock()
    if (url === undefined || !transferPaths.includes(url)) return
    transfers.add(request)
    // However it ends.
    reply.raw.once('close', () => transfers.delete(request))
  })
  const forget = await addRoutes(app, service, { host, stalledMs, allowQueryAuthorization })
  return {
    listen: (at) => listen(app, at),
    transfersUnderWay: () => transfers.size,
    isAnswering: () => handlers.atWork() > 0,
    lastActivity: () => lastActivity,
    forget,
    async close() {
      connections.letGo()
      await app.close()
      await handlers.ended()
    },
  }
}

async function addRoutes(
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
): Promise<App['forget']> {
  daemonRoutes(app, host)
  metricsRoutes(app, service)
  catalogRoutes(app, service, host.version)
  docsRoutes(app, service, { version: host.version, allowQueryAuthorization })
  const forget = fileRoutes(app, service)
  taskRoutes(app, service)
  eventRoutes(app, service, stalledMs)
  ledgerRoutes(app, service)
  await pageRoutes(app, service)
  await app.register(async (inner) => uploadRoutes(inner, service))
  chunkedUploadRoutes(app, service)
  return forget
}

async function listen(app: FastifyInstance, at: Parameters<App['listen']>[0]): Promise<number> {
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
