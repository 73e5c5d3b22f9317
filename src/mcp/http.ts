import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toWebRequest } from '@modelcontextprotocol/node'
import { isLegacyRequest } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { MediaError } from '../contract/errors.ts'
import { maxBodyBytes } from '../contract/route.ts'
import { parseJson } from '../platform/json.ts'
import { readAtMost, TooLargeError } from '../platform/read-at-most.ts'
import {
  missingKeyRejection,
  readApiKey,
  toHttpRejection,
  checkHttpRequest,
  sendRejection,
  onResponseClosed,
} from './http-admission.ts'
import { TenantRegistry } from './http-callers.ts'
import type { Tenant } from './http-tenant.ts'
import { rejectTaskListening } from './task-extension.ts'

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
