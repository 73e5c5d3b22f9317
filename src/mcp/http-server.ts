import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { toWebRequest } from '@modelcontextprotocol/node'
import { isLegacyRequest } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { jsonElementLimit } from '../contract/bounded-json.ts'
import { MediaError } from '../contract/errors.ts'
import { largestBodyBytes } from '../contract/operation.ts'
import { routes } from '../contract/routes.ts'
import { BodyBudget } from '../json/body-budget.ts'
import { parseForeignJson } from '../json/large-json.ts'
import {
  type ConnectionGuardOptions,
  guardConnections,
  headersTimeoutMs,
} from '../platform/connection-limits.ts'
import { onResponseClosed } from '../platform/response-closed.ts'
import { readAtMost, TooLargeError } from '../platform/streams.ts'
import { buildServer } from './build-server.ts'
import {
  busyRejection,
  checkHttpRequest,
  mcpPath,
  missingKeyRejection,
  readApiKey,
  sendRejection,
  toHttpRejection,
  tooManyConnectionsRejection,
} from './http-admission.ts'
import { type Tenant, TenantRegistry } from './http-tenants.ts'
import { describeError } from './reply.ts'
import { linkDelivery, type ResolveServiceAddress } from './link-delivery.ts'
import { notifyOfChanges, openMcpContext, type ServerSetup, sessionEventBus } from './mcp-context.ts'
import type { ServiceConnector } from './service-connector.ts'
import type { SessionOptions } from './session.ts'
import { rejectTaskListening } from './task-extension.ts'

/** Options of the server behind `reelwright mcp --http`. */
export interface McpHttpServerOptions
  extends
    Omit<ServerSetup, 'report'>,
    Pick<SessionOptions, 'version' | 'operations' | 'confirmAbove' | 'allowUrls'> {
  /** Returns a connector that uses a client's API key. */
  readonly connectorFor: (key: string) => ServiceConnector
  /** Returns the base URL under which clients reach the service, for uploads and downloads. */
  readonly serviceAddress: ResolveServiceAddress
  readonly host: string
  readonly port: number
  readonly publicUrl?: string | undefined
  readonly connectionLimits?: ConnectionGuardOptions['limits']
  readonly clock?: () => number
  readonly log: Logger
}

/** Serves MCP over streamable HTTP to 2025-era and 2026-07-28 clients, with separate state for each API key. */
export async function startMcpHttpServer(options: McpHttpServerOptions): Promise<RunningHttpServer> {
  const { log, publicUrl, clock = Date.now, host, port } = options
  const report = (error: unknown): void => log.error(error)
  const delivery = linkDelivery(options.serviceAddress)
  const open = (key: string): Tenant =>
    openTenant({ ...options, report }, { ...options, ...options.connectorFor(key), delivery })
  return listenForMcp(
    createHttpHandler({ open, publicUrl, clock, log, maxMessageBytes: largestBodyBytes(options.operations) }),
    {
      host,
      port,
      limits: options.connectionLimits,
    },
  )
}

function openTenant(setup: ServerSetup, options: SessionOptions): Tenant {
  const context = openMcpContext(setup, options)
  return {
    async check() {
      await context.session.client.call(routes.listTasks, { query: { page_size: 1 } })
    },
    buildServer: (request) => buildServer(context, request),
    notify: (mcp) => notifyOfChanges(mcp, context, { era: 'legacy' }),
    changes: sessionEventBus(context),
    get isBusy() {
      return context.session.submissions.isBusy
    },
    [Symbol.asyncDispose]: () => context[Symbol.asyncDispose](),
  }
}

/** Options of `createHttpHandler`. */
export interface HttpHandlerOptions {
  /** Creates the state of an API key. The key is checked before its first request is served. */
  readonly open: (key: string) => Tenant
  /** Public https URL of a reverse proxy. */
  readonly publicUrl?: string | undefined
  /** Largest message: as large as the largest request of an operation. */
  readonly maxMessageBytes?: number
  readonly clock: () => number
  readonly log: Logger
}

type AcceptKey = (key: string) => boolean

/** MCP over streamable HTTP, for clients of both eras. */
export interface HttpHandler {
  /**
   * Handles any request of an HTTP server. Calls `acceptKey` when its key is valid; the request is rejected if that
   * returns false, because the key has too many connections.
   */
  handle(request: IncomingMessage, response: ServerResponse, acceptKey?: AcceptKey): void
  /** Closes idle sessions and tenants; never throws. */
  sweep(): Promise<void>
  /** Closes all sessions and streams. */
  close(): Promise<void>
}

/** Creates the request handler. Each API key has its own sessions, tasks and files. */
export function createHttpHandler({
  open,
  publicUrl,
  clock,
  log,
  maxMessageBytes = largestBodyBytes([]),
}: HttpHandlerOptions): HttpHandler {
  const report = (error: Error): void => log.warn({ err: error }, 'MCP request rejected or broken')
  const budget = new BodyBudget()
  const tenants = new TenantRegistry({ open, clock, report })
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    { entry, acceptKey }: { readonly entry: RequestLog; readonly acceptKey: AcceptKey },
  ): Promise<void> {
    const rejection = checkHttpRequest(request, publicHost)
    if (rejection) return sendRejection(response, rejection)
    const key = readApiKey(request.headers)
    if (key === undefined) return sendRejection(response, missingKeyRejection)
    const tenant = await tenants.admit(key).catch((error: unknown) => {
      if (!(error instanceof MediaError)) log.error(error)
      sendRejection(response, toHttpRejection(error))
    })
    if (!tenant) return
    onResponseClosed(response, () => (tenant.activeRequests -= 1))
    if (!acceptKey(key)) return sendRejection(response, tooManyConnectionsRejection)
    const body = await readMessage(request, response, { maxBytes: maxMessageBytes, key, budget })
    if (!body) return
    entry.rpc = rpcMethod(body.value)
    const isLegacy = await isLegacyRequest(await toWebRequest(request, {}), body.value)
    entry.era = isLegacy ? 'legacy' : 'modern'
    if (isLegacy) return await tenant.legacy.handle(request, response, body.value)
    const taskRejection = rejectTaskListening(body.value)
    if (!taskRejection) return await tenant.modern(request, response, body.value)
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(taskRejection))
  }

  return {
    handle(request, response, acceptKey = () => true) {
      const entry: RequestLog = { request_id: randomUUID(), method: request.method }
      const begun = clock()
      response.setHeader('x-request-id', entry.request_id)
      response.once('close', () =>
        log.info({ ...entry, status: response.statusCode, ms: clock() - begun }, 'MCP request'),
      )
      serve(request, response, { entry, acceptKey }).catch((error: unknown) => {
        // A client that disconnects during its request is not an error.
        if (!request.destroyed) log.error({ err: error, request_id: entry.request_id }, 'MCP request failed')
        if (!response.headersSent) sendRejection(response, { status: 500, message: 'Internal error' })
        else response.destroy()
      })
    },
    sweep: () => tenants.sweep().catch(report),
    close: () => tenants.close(),
  }
}

/** JSON-RPC code of a message that is not valid JSON, or beyond the limits of JSON. */
const parseErrorCode = -32_700

/** Log entry of a request. */
interface RequestLog {
  readonly request_id: string
  readonly method: string | undefined
  era?: 'legacy' | 'modern'
  /** The JSON-RPC method, without its parameters. */
  rpc?: string | undefined
}

interface ReadMessageOptions {
  readonly maxBytes: number
  readonly key: string
  readonly budget: BodyBudget
}

async function readMessage(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, key, budget }: ReadMessageOptions,
): Promise<{ value: unknown } | undefined> {
  if (request.method !== 'POST') return { value: undefined }
  const tooLarge = { status: 413, message: `A message may have at most ${maxBytes} bytes` }
  const declaredBytes = Number(request.headers['content-length'] ?? 0)
  if (declaredBytes > maxBytes) return rejectBody(response, tooLarge)
  const reservation = budget.open(key)
  const left = new AbortController()
  onResponseClosed(response, () => {
    reservation.release()
    left.abort(new MediaError(6036, 'the request was interrupted'))
  })
  try {
    reservation.raiseTo(declaredBytes)
    const bytes = await readAtMost(request, maxBytes, (received) => reservation.raiseTo(received))
    const maxElements = jsonElementLimit(maxBytes)
    const source = { name: 'the message', maxElements, sender: key, signal: left.signal }
    return { value: await parseForeignJson(bytes, source) }
  } catch (error) {
    if (error instanceof TooLargeError) return rejectBody(response, tooLarge)
    if (!(error instanceof MediaError)) throw error
    if (error.code === 6032) return rejectBody(response, busyRejection(error))
    return rejectBody(response, { status: 400, code: parseErrorCode, message: describeError(error) })
  }
}

function rejectBody(response: ServerResponse, rejection: Parameters<typeof sendRejection>[1]): undefined {
  sendRejection(response, rejection)
}

function rpcMethod(body: unknown): string | undefined {
  const method: unknown =
    typeof body === 'object' && body !== null && 'method' in body ? body.method : undefined
  return typeof method === 'string' ? method.slice(0, 64) : undefined
}

/** Time within which a request must have arrived, ms. */
const requestTimeoutMs = 120_000

/** Interval at which idle sessions, and those of keys that are no longer valid, are closed, ms. */
const sweepIntervalMs = 15_000

/** Time that open requests have to finish once the server closes, ms. */
const shutdownGraceMs = 2_000

/** A listening MCP server. */
export interface RunningHttpServer {
  /** URL for clients on this machine. */
  readonly url: string
  /** Closes idle sessions and tenants, and those of keys that are no longer valid; also runs every 15 seconds. */
  sweep(): Promise<void>
  close(): Promise<void>
}

/** Listens on an address. Throws 6401 if the address is not available. */
export async function listenForMcp(
  handler: HttpHandler,
  at: { host: string; port: number } & ConnectionGuardOptions,
): Promise<RunningHttpServer> {
  const server = createServer(
    {
      requestTimeout: requestTimeoutMs,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: headersTimeoutMs / 5,
    },
    (request, response) =>
      handler.handle(request, response, (id) => limited.accept({ raw: request, owner: { kind: 'key', id } })),
  )
  const limited = guardConnections(server, at)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(at, resolve)
  }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EADDRINUSE' ? 'another program is listening there' : error.message
    throw new MediaError(6401, `Cannot listen on ${at.host}:${at.port}: ${why}`, {
      cause: error,
      retryable: false,
      hint: 'Choose another host or port, or stop the program that uses it.',
    })
  })
  const sweeping = setInterval(() => void handler.sweep(), sweepIntervalMs).unref()
  return {
    url: `http://${at.host.includes(':') ? `[${at.host}]` : at.host}:${boundPort(server)}${mcpPath}`,
    sweep: () => handler.sweep(),
    async close() {
      clearInterval(sweeping)
      const closed = new Promise((resolve) => server.close(resolve))
      await handler.close()
      server.closeIdleConnections()
      const closeTimer = setTimeout(() => server.closeAllConnections(), shutdownGraceMs)
      await closed
      clearTimeout(closeTimer)
    },
  }
}

function boundPort(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port')
  return address.port
}
