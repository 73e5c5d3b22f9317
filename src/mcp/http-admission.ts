import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { isJsonContentType } from '@modelcontextprotocol/server'
import { MediaError } from '../contract/errors.ts'
import { ownOrigin } from '../platform/loopback.ts'
import { describeError } from './reply.ts'

/** Path of the MCP endpoint. */
export const mcpPath = '/mcp'

const methods = ['GET', 'POST', 'DELETE']

/** JSON-RPC code of implementation-defined server errors. */
const serverError = -32_000

/** An HTTP error response that does not belong to an MCP message. */
export interface HttpRejection {
  readonly status: number
  readonly message: string
  readonly code?: number
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Checks a request before its key is read: no pages of other sites, no DNS rebinding, only MCP. Returns null if the
 * request is acceptable.
 */
export function checkHttpRequest(
  request: IncomingMessage,
  publicHost: string | undefined,
): HttpRejection | null {
  const { headers, method = '', url = '' } = request
  const own = ownOrigin(headers.host, publicHost)
  if (own === undefined)
    return { status: 403, message: 'The Host of this request is not an address of this server' }
  if (headers.origin !== undefined && headers.origin !== own) {
    return { status: 403, message: 'Requests from other web pages are rejected' }
  }
  if (url.split('?')[0] !== mcpPath) return { status: 404, message: `The MCP endpoint is ${mcpPath}` }
  if (!methods.includes(method)) {
    return { status: 405, message: 'Method not allowed', headers: { allow: methods.join(', ') } }
  }
  if (method === 'POST' && !isJsonContentType(headers['content-type'])) {
    return { status: 415, message: 'Content-Type must be application/json' }
  }
  return null
}

/** Longest accepted key, characters. */
const maxKeyLength = 512

/** API key of a request: the whole value of `Authorization`, as in the HTTP contract, or the part after `Bearer`. */
export function readApiKey({ authorization }: IncomingHttpHeaders): string | undefined {
  const key = authorization?.replace(/^bearer\s+/i, '').trim()
  return key && key.length <= maxKeyLength && !/^bearer$/i.test(key) ? key : undefined
}

/** Response for a key that is wrong or could not be checked. */
export function toHttpRejection(error: unknown): HttpRejection {
  const message = describeError(error)
  const code = error instanceof MediaError ? error.code : 6500
  if (code === 6502) return { status: 401, message, headers: challenge('error="invalid_token"') }
  if (code === 6401 || code === 6402) return { status: 503, message, headers: { 'retry-after': '5' } }
  return { status: 500, message }
}

/** Response to a message that exceeds a limit of its key for now. */
export function busyRejection(error: MediaError): HttpRejection {
  const headers = { 'retry-after': String(error.retryAfter ?? 5) }
  return { status: 429, message: describeError(error), headers }
}

/** Response to a request without a key. */
export const missingKeyRejection: HttpRejection = {
  status: 401,
  message: 'An API key of the media service is required: send it as Authorization: Bearer <key>',
  headers: challenge(),
}

/** Response to a key all of whose connections are busy. */
export const tooManyConnectionsRejection: HttpRejection = {
  status: 429,
  message: 'All connections that this key can use are busy. Close connections or reuse them, and try again',
  headers: { 'retry-after': '5' },
}

function challenge(...parameters: readonly string[]): Record<string, string> {
  return { 'www-authenticate': ['Bearer realm="reelwright"', ...parameters].join(', ') }
}

/** Sends a JSON-RPC error that belongs to no message, and closes the connection, as the body may be unread. */
export function sendRejection(
  response: ServerResponse,
  { status, message, code = serverError, headers }: HttpRejection,
): void {
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null })
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers })
  response.end(body)
}
