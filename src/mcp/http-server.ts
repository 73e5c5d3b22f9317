import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { toWebRequest } from '@modelcontextprotocol/node'
import { isLegacyRequest } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { MediaError } from '../contract/errors.ts'
import { maxBodyBytes } from '../contract/route.ts'
import { routes } from '../contract/routes.ts'
import { parseJson } from '../platform/text-formats.ts'
import { readAtMost, TooLargeError } from '../platform/streams.ts'
import { buildServer } from './build-server.ts'
import {
  checkHttpRequest,
  mcpPath,
  missingKeyRejection,
  onResponseClosed,
  readApiKey,
  sendRejection,
  toHttpRejection,
} from './http-admission.ts'
import { type Tenant, TenantRegistry } from './http-tenants.ts'
import { linkDelivery, type ResolveServiceAddress } from './link-delivery.ts'
import {
  loadServerSetup,
  notifyOfChanges,
  openMcpContext,
  type ServerSetup,
  type ServerSetupOptions,
  sessionEventBus,
} from './mcp-context.ts'
import type { ServiceConnector } from './service-connector.ts'
import type { SessionOptions } from './session.ts'
import { rejectTaskListening } from './task-extension.ts'

/** What `reelwright mcp --http` gives to its server. */
export interface McpHttpServerOptions
  extends
    Omit<ServerSetupOptions, 'report'>,
    Pick<SessionOptions, 'version' | 'operations' | 'confirmAbove' | 'allowUrls'> {
  /** Ways to reach the service with a caller's key. */
  readonly connectorFor: (key: string) => ServiceConnector
  /** Where clients reach the service itself, for uploads and downloads. */
  readonly serviceAddress: ResolveServiceAddress
  readonly host: string
  readonly port: number
  readonly publicUrl?: string | undefined
  readonly clock?: () => number
  readonly log: Logger
}

/** Serves MCP over streamable HTTP to 2025-era and 2026-07-28 clients, each key of the service on its own. */
export async function startMcpHttpServer(options: McpHttpServerOptions): Promise<RunningHttpServer> {
  const { log, publicUrl, clock = Date.now, host, port } = options
  const report = (error: unknown): void => log.error(error)
  const catalog = await loadServerSetup({ ...options, report })
  const place = linkDelivery(options.serviceAddress)
  const open = (key: string): Tenant =>
    openTenant(catalog, { ...options, ...options.connectorFor(key), delivery: place })
  return listenForMcp(createHttpHandler({ open, publicUrl, clock, log }), { host, port })
}

function openTenant(catalog: ServerSetup, options: SessionOptions): Tenant {
  const studio = openMcpContext(catalog, options)
  return {
    async check() {
      await studio.session.client.call(routes.listTasks, { query: { page_size: 1 } })
    },
    buildServer: (context) => buildServer(studio, context),
    notify: (mcp) => notifyOfChanges(mcp, studio, { era: 'legacy' }),
    changes: sessionEventBus(studio),
    get isBusy() {
      return studio.session.submissions.isBusy
    },
    [Symbol.asyncDispose]: () => studio[Symbol.asyncDispose](),
  }
}

/** What the entry is made of. */
export interface HttpHandlerOptions {
  /** Makes what serves a key; whether the key is valid is checked before it serves. */
  readonly open: (key: string) => Tenant
  /** The https address of a proxy in front. */
  readonly publicUrl?: string | undefined
  readonly clock: () => number
  readonly log: Logger
}

/** MCP over streamable HTTP, for clients of both eras. */
export interface HttpHandler {
  /** Serves a request of an HTTP server, whatever it asks for. */
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Forgets what rests for too long; never throws. */
  sweep(): Promise<void>
  /** Ends every session and stream. */
  close(): Promise<void>
}

/** Makes an entry; each key has sessions, tasks and files of its own. */
export function createHttpHandler({ open, publicUrl, clock, log }: HttpHandlerOptions): HttpHandler {
  const report = (error: Error): void => log.warn({ err: error }, 'MCP request refused or broken')
  const callers = new TenantRegistry({ open, clock, report })
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host

  async function serve(request: IncomingMessage, response: ServerResponse, told: RequestLog): Promise<void> {
    const refusal = checkHttpRequest(request, publicHost)
    if (refusal) return sendRejection(response, refusal)
    const key = readApiKey(request.headers)
    if (key === undefined) return sendRejection(response, missingKeyRejection)
    const caller = await callers.admit(key).catch((error: unknown) => {
      if (!(error instanceof MediaError)) log.error(error)
      sendRejection(response, toHttpRejection(error))
    })
    if (!caller) return
    onResponseClosed(response, () => (caller.activeRequests -= 1))
    const body = request.method === 'POST' ? await readJsonBody(request, response) : { value: undefined }
    if (!body) return
    told.rpc = rpcMethod(body.value)
    const isLegacy = await isLegacyRequest(await toWebRequest(request, {}), body.value)
    told.era = isLegacy ? 'legacy' : 'modern'
    if (isLegacy) return await caller.legacy.handle(request, response, body.value)
    const refused = rejectTaskListening(body.value)
    if (!refused) return await caller.modern(request, response, body.value)
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(refused))
  }

  return {
    handle(request, response) {
      const told: RequestLog = { request_id: randomUUID(), method: request.method }
      const begun = clock()
      response.setHeader('x-request-id', told.request_id)
      response.once('close', () =>
        log.info({ ...told, status: response.statusCode, ms: clock() - begun }, 'MCP request'),
      )
      serve(request, response, told).catch((error: unknown) => {
        // A client that left in the middle of its request is nobody's fault.
        if (!request.destroyed) log.error({ err: error, request_id: told.request_id }, 'MCP request failed')
        if (!response.headersSent) sendRejection(response, { status: 500, message: 'Internal error' })
        else response.destroy()
      })
    },
    sweep: () => callers.sweep().catch(report),
    close: () => callers.close(),
  }
}

/** What the log tells of a request. */
interface RequestLog {
  readonly request_id: string
  readonly method: string | undefined
  era?: 'legacy' | 'modern'
  /** The JSON-RPC method; nothing of its parameters. */
  rpc?: string | undefined
}

async function readJsonBody(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<{ value: unknown } | undefined> {
  const tooLarge = { status: 413, message: `A message is at most ${maxBodyBytes} bytes` }
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return rejectBody(response, tooLarge)
  try {
    const value = parseJson((await readAtMost(request, maxBodyBytes)).toString())
    return value === undefined
      ? rejectBody(response, { status: 400, code: -32_700, message: 'Parse error' })
      : { value }
  } catch (error) {
    if (error instanceof TooLargeError) return rejectBody(response, tooLarge)
    throw error
  }
}

function rejectBody(response: ServerResponse, refusal: Parameters<typeof sendRejection>[1]): undefined {
  sendRejection(response, refusal)
}

function rpcMethod(body: unknown): string | undefined {
  const method: unknown =
    typeof body === 'object' && body !== null && 'method' in body ? body.method : undefined
  return typeof method === 'string' ? method.slice(0, 64) : undefined
}

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
