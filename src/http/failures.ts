import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { MediaError } from '../contract/errors.ts'

/** Fastify's own refusals of a body, by its code. */
const bodyFailures: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'the body is larger than 32 MiB',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the body must be JSON: Content-Type: application/json',
  FST_ERR_CTP_INVALID_JSON_BODY: 'the body is not valid JSON',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'the body is empty; it must be a JSON object',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the body is not as long as its Content-Length says',
}

/** Answers every error with the envelope; of a bug nothing but that there was one. */
export function answerErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((error, request, reply) => {
    const told = tell(error)
    if (told.code === 6500)
      log.error({ err: error, method: request.method, url: request.url }, 'internal error')
    return reply.code(told.status).send(failureEnvelope(told))
  })
  app.setNotFoundHandler((request) => {
    throw new MediaError(6005, `there is no ${request.method} ${request.url.split('?')[0]}`, {
      hint: 'Check the method and path against the contract.',
    })
  })
}

function tell(error: unknown): MediaError {
  if (error instanceof MediaError) return error
  const { code } = error as { code?: unknown }
  const message = typeof code === 'string' ? bodyFailures[code] : undefined
  if (message !== undefined || error instanceof SyntaxError) {
    return new MediaError(6016, message ?? 'the body is not valid JSON', { cause: error })
  }
  return new MediaError(6500, 'internal error', { cause: error })
}

/** The envelope of a failure; beyond the contract it says how to fix it and whether trying again may help. */
export function failureEnvelope({ code, message, hint, retryable }: MediaError) {
  return { code, msg: message, data: null, hint, retryable }
}

/** The envelope of a success. */
export function success<T>(data: T, msg = 'success') {
  return { code: 200, msg, data }
}
