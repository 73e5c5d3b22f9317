import { createHash } from 'node:crypto'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { MediaError } from '../contract/errors.ts'
import { describeSize } from '../contract/format.ts'
import { maxBodyBytes, successCode } from '../contract/route.ts'
import { databaseFailure } from '../db/failure.ts'
import { errorCode } from '../platform/system-error.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What a refused request was told. */
    failure: MediaError | null
  }
}

/** Fastify's own refusals of a body, by its code. */
const bodyErrorMessages: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the body must be JSON: Content-Type: application/json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'the body is not valid JSON',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the body is not as long as its Content-Length says',
}

/** Answers every error with the envelope; of a bug nothing but that there was one. */
export function registerErrorHandler(app: FastifyInstance, log: Logger): void {
  app.decorateRequest('failure', null)
  app.setErrorHandler((error, request, reply) => {
    const told = toMediaError(error, request)
    request.failure = told
    if (told.status >= 500) {
      const { id, method, routeOptions } = request
      const level = told.code === 6500 ? 'error' : 'warn'
      log[level]({ request_id: id, method, route: routeOptions.url, err: error }, 'request failed')
    }
    if (told.retryAfter !== undefined) void reply.header('retry-after', told.retryAfter)
    return reply.code(told.status).send(failureEnvelope(told))
  })
  app.setNotFoundHandler((request) => {
    throw new MediaError(6005, `there is no ${request.method} ${request.url.split('?')[0]}`, {
      hint: 'Check the method and path against the contract.',
    })
  })
}

/** Answers a request whose path cannot be decoded, which is seen before any hook runs. */
export function sendPathError(reply: FastifyReply): void {
  const told = new MediaError(6016, 'the path is not properly escaped')
  void reply.code(told.status).send(failureEnvelope(told))
}

/** Answers what Node could not read as HTTP to its end, and cuts the connection. */
export function handleClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  // The client ended its side before the end of what it sends, and may still read.
  const isCutOff = error.code === 'HPE_INVALID_EOF_STATE'
  const told = isCutOff
    ? requestInterrupted(error)
    : new MediaError(6016, 'this is not HTTP as it must be written')
  const body = JSON.stringify(failureEnvelope(told))
  const head = [
    `HTTP/1.1 ${told.status} Bad Request`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroy(error)
}

/** What broke off before its end. */
export function requestInterrupted(cause?: unknown): MediaError {
  return new MediaError(6036, 'the request broke off before its end', { cause })
}

function toMediaError(error: unknown, { raw, id, routeOptions }: FastifyRequest): MediaError {
  if (error instanceof MediaError) return error
  const code = errorCode(error) ?? ''
  const message =
    code === 'FST_ERR_CTP_BODY_TOO_LARGE'
      ? `the body is larger than ${describeSize(routeOptions.bodyLimit ?? maxBodyBytes)}`
      : bodyErrorMessages[code]
  if (message !== undefined) return new MediaError(6016, message, { cause: error })
  // The client went while its body was read.
  if (raw.readableAborted) return requestInterrupted(error)
  const failure = databaseFailure(error) ?? diskFailure(error)
  if (failure) return failure
  return new MediaError(6500, 'internal error', {
    cause: error,
    hint: `Try again; if it stays, report it with the request id ${id}.`,
  })
}

/** A disk that is full, fails, or can only be read. */
function diskFailure(error: unknown): MediaError | null {
  if (!['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'].includes(errorCode(error) ?? '')) return null
  return new MediaError(6401, 'the disk under the data folder is full, fails, or can only be read', {
    cause: error,
    hint: 'Look after the disk of the service, then try again.',
  })
}

/** The envelope of a failure; beyond the contract it says how to fix it and whether trying again may help. */
export function failureEnvelope({ code, message, hint, retryable }: MediaError) {
  return { code, msg: message, data: null, hint, retryable }
}

/** The envelope of a success. */
export function success<T>(data: T, msg = 'success') {
  return { code: successCode, msg, data }
}

/** Tells whether an If-None-Match names a strong tag (RFC 9110, section 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, tag: string): boolean {
  const tags = ifNoneMatch?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? []
  return tags.includes(tag) || tags.includes('*')
}

/** Answers text that seldom changes: with an ETag of its content, or 304 to a caller who has it. */
export function sendWithEtag(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, text }: { readonly type: string; readonly text: string },
): FastifyReply {
  const tag = `"${createHash('sha256').update(text).digest('base64url')}"`
  void reply.header('etag', tag).header('cache-control', 'private, no-cache')
  if (matchesEtag(request.headers['if-none-match'], tag)) return reply.code(304).send()
  return reply.header('x-content-type-options', 'nosniff').type(type).send(text)
}
