import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { toWebRequest } from '@modelcontextprotocol/node'
import { isLegacyRequest } from '@modelcontextprotocol/server'
import type { Logger } from 'pino'
import { MediaError } from '../contract/errors.ts'
import { maxBodyBytes } from '../contract/route.ts'
import { parseJson } from '../platform/json.ts'
import { readAtMost, TooLargeError } from '../platform/read-at-most.ts'
import { keyMissing, keyOf, refusalFor, refusalOf, refuse, whenOver } from './http-admission.ts'
import { Callers } from './http-callers.ts'
import type { Tenant } from './http-tenant.ts'
import { refusedListening } from './task-extension.ts'

/** What the entry is made of. */
export interface HttpEntryOptions {
  /** Makes what serves a key; whether the key is valid is checked before it serves. */
  readonly open: (key: string) => Tenant
  /** The https address of a proxy in front. */
  readonly publicUrl?: string | undefined
  readonly clock: () => number
  readonly log: Logger
}

/** MCP over streamable HTTP, for clients of both eras. */
export interface HttpEntry {
  /** Serves a request of an HTTP server, whatever it asks for. */
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Forgets what rests for too long; never throws. */
  sweep(): Promise<void>
  /** Ends every session and stream. */
  close(): Promise<void>
}

/** Makes an entry; each key has sessions, tasks and files of its own. */
export function httpEntry({ open, publicUrl, clock, log }: HttpEntryOptions): HttpEntry {
  const report = (error: Error): void => log.warn({ err: error }, 'MCP request refused or broken')
  const callers = new Callers({ open, clock, report })
  const publicHost = publicUrl === undefined ? undefined : new URL(publicUrl).host

  async function serve(request: IncomingMessage, response: ServerResponse, told: Told): Promise<void> {
    const refusal = refusalOf(request, publicHost)
    if (refusal) return refuse(response, refusal)
    const key = keyOf(request.headers)
    if (key === undefined) return refuse(response, keyMissing)
    const caller = await callers.enter(key).catch((error: unknown) => {
      if (!(error instanceof MediaError)) log.error(error)
      refuse(response, refusalFor(error))
    })
    if (!caller) return
    whenOver(response, () => (caller.underWay -= 1))
    const body = request.method === 'POST' ? await readBody(request, response) : { value: undefined }
    if (!body) return
    told.rpc = methodOf(body.value)
    const isLegacy = await isLegacyRequest(await toWebRequest(request, {}), body.value)
    told.era = isLegacy ? 'legacy' : 'modern'
    if (isLegacy) return await caller.legacy.handle(request, response, body.value)
    const refused = refusedListening(body.value)
    if (!refused) return await caller.modern(request, response, body.value)
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(refused))
  }

  return {
    handle(request, response) {
      const told: Told = { request_id: randomUUID(), method: request.method }
      const begun = clock()
      response.setHeader('x-request-id', told.request_id)
      response.once('close', () =>
        log.info({ ...told, status: response.statusCode, ms: clock() - begun }, 'MCP request'),
      )
      serve(request, response, told).catch((error: unknown) => {
        // A client that left in the middle of its request is nobody's fault.
        if (!request.destroyed) log.error({ err: error, request_id: told.request_id }, 'MCP request failed')
        if (!response.headersSent) refuse(response, { status: 500, message: 'Internal error' })
        else response.destroy()
      })
    },
    sweep: () => callers.sweep().catch(report),
    close: () => callers.close(),
  }
}

/** What the log tells of a request. */
interface Told {
  readonly request_id: string
  readonly method: string | undefined
  era?: 'legacy' | 'modern'
  /** The JSON-RPC method; nothing of its parameters. */
  rpc?: string | undefined
}

async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<{ value: unknown } | undefined> {
  const tooLarge = { status: 413, message: `A message is at most ${maxBodyBytes} bytes` }
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return refuseBody(response, tooLarge)
  try {
    const value = parseJson((await readAtMost(request, maxBodyBytes)).toString())
    return value === undefined
      ? refuseBody(response, { status: 400, code: -32_700, message: 'Parse error' })
      : { value }
  } catch (error) {
    if (error instanceof TooLargeError) return refuseBody(response, tooLarge)
    throw error
  }
}

function refuseBody(response: ServerResponse, refusal: Parameters<typeof refuse>[1]): undefined {
  refuse(response, refusal)
}

function methodOf(body: unknown): string | undefined {
  const method: unknown =
    typeof body === 'object' && body !== null && 'method' in body ? body.method : undefined
  return typeof method === 'string' ? method.slice(0, 64) : undefined
}
