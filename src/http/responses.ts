import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { MediaError } from '../contract/errors.ts'
import { successCode } from '../contract/route.ts'
import { databaseFailure } from '../db/failure.ts'
import { errorCode } from '../platform/system-error.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The error sent for a failed request. */
    failure: MediaError | null
  }
}

/** Messages for Fastify's body errors, by code. */
const bodyErrorMessages: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the body must be JSON: Content-Type: application/json',
}

/** Sends every error as an envelope. Bugs are logged and sent without details. */
export function registerErrorHandler(app: FastifyInstance, log: Logger): void {
  app.decorateRequest('failure', null)
  app.setErrorHandler((error, request, reply) => {
    const failure = toRequestError(error, request)
    request.failure = failure
    if (failure.status >= 500) {
      const { id, method, routeOptions } = request
      const level = failure.code === 6500 ? 'error' : 'warn'
      log[level]({ request_id: id, method, route: routeOptions.url, err: error }, 'request failed')
    }
    if (failure.retryAfter !== undefined) void reply.header('retry-after', failure.retryAfter)
    return reply.code(failure.status).send(failureEnvelope(failure))
  })
  app.setNotFoundHandler((request) => {
    throw new MediaError(6005, `${request.method} ${request.url.split('?')[0]} does not exist`, {
      hint: 'Check the method and path against the contract.',
    })
  })
}

/** Responds to a request whose path cannot be decoded. No hook runs for it. */
export function sendPathError(reply: FastifyReply): void {
  const failure = new MediaError(6016, 'the path is not correctly percent-encoded', {
    hint: 'Percent-encode the path (RFC 3986).',
  })
  void reply.code(failure.status).send(failureEnvelope(failure))
}

/** Responds to a request that Node could not parse, and closes the connection. */
export function handleClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  // The client closed its sending side early, or did not complete its headers in time, and may still read.
  const isCutOff = error.code === 'HPE_INVALID_EOF_STATE' || error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const failure = isCutOff ? requestInterrupted(error) : new MediaError(6016, 'the request is not valid HTTP')
  const body = JSON.stringify(failureEnvelope(failure))
  const head = [
    `HTTP/1.1 ${failure.status} Bad Request`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroy(error)
}

/** Error 6036 for a request that ended early. */
export function requestInterrupted(cause?: unknown): MediaError {
  return new MediaError(6036, 'the request was interrupted', { cause })
}

function toRequestError(error: unknown, { raw, id }: FastifyRequest): MediaError {
  if (error instanceof MediaError) return error
  const code = errorCode(error) ?? ''
  const message = bodyErrorMessages[code]
  if (message !== undefined) return new MediaError(6016, message, { cause: error })
  // The client disconnected while its body was being read.
  if (raw.readableAborted) return requestInterrupted(error)
  const failure = databaseFailure(error) ?? diskFailure(error)
  if (failure) return failure
  return new MediaError(6500, 'internal error', {
    cause: error,
    hint: `Try again. If the problem persists, report it with the request id ${id}.`,
  })
}

/** Error 6401 for a full, failing or read-only disk; null for other errors. */
function diskFailure(error: unknown): MediaError | null {
  if (!['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'].includes(errorCode(error) ?? '')) return null
  return new MediaError(6401, 'the disk of the data folder is full, failing or read-only', {
    cause: error,
    hint: 'Check the disk of the service, then try again.',
  })
}

/** Envelope of a failure. Adds to the contract a hint and whether a retry may succeed. */
export function failureEnvelope({ code, message, hint, retryable }: MediaError) {
  return { code, msg: message, data: null, hint, retryable }
}

/** Envelope of a success. */
export function success<T>(data: T, msg = 'success') {
  return { code: successCode, msg, data }
}

/** Whether If-None-Match contains an ETag, by weak comparison (RFC 9110, section 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, tag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? []
  return tags.includes(tag) || tags.includes('*')
}
