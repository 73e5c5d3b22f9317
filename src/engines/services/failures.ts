import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { escapeControls, redact } from '../../platform/log.ts'
import { TooLargeError } from '../../platform/streams.ts'
import { errorCode, networkCode } from '../../platform/system-error.ts'
import { parseJson } from '../../contract/bounded-json.ts'
import { type ServiceSettings, serviceInfo, type ServiceKind, serviceName } from './services.ts'

/**
 * An error response of a service. It is the cause of the MediaError that reports it. Its message contains the service's
 * explanation, which is for the log only: a service may quote its key in any encoding.
 */
export class HttpError extends Error {
  readonly status: number
  /** The service's explanation on one line without secrets; empty if it has none. Never shown to callers. */
  readonly detail: string
  /** Seconds from `Retry-After`; undefined without that header. */
  readonly retryAfter: number | undefined

  constructor(
    status: number,
    { detail, retryAfter }: { readonly detail: string; readonly retryAfter?: number | undefined },
  ) {
    super(`HTTP ${status}${detail && `: ${detail}`}`)
    this.status = status
    this.detail = detail
    this.retryAfter = retryAfter
  }
}

/** Returns the error response that caused an error; undefined if there was no response. */
export function httpErrorCause(error: unknown): HttpError | undefined {
  return error instanceof MediaError && error.cause instanceof HttpError ? error.cause : undefined
}

/** Statuses after which the same request may succeed. */
const transientStatuses = new Set([408, 425, 429, 500, 502, 503, 504])

/** Whether a request may be retried after an error response. An exhausted quota is permanent. */
function isTransient({ status, detail }: HttpError): boolean {
  return transientStatuses.has(status) && !/insufficient_quota|exceeded your current quota/i.test(detail)
}

/** Error bodies of OpenAI, FastAPI and GPT-SoVITS. */
const errorBody = z.object({
  error: z
    .union([z.string(), z.object({ message: z.string(), code: z.unknown(), param: z.unknown() }).partial()])
    .nullish(),
  message: z.string().nullish(),
  detail: z.unknown().optional(),
  Exception: z.string().nullish(),
})

/** Characters of an explanation that are kept. */
const maxDetailLength = 300

/** Returns the explanation in an error body on one line without secrets; empty for an HTML page. */
export function errorDetail(body: string): string {
  const read = errorBody.safeParse(parseJson(body)).data
  const isPage = /^\s*</.test(body)
  const text = read ? joinDetails(read) : isPage ? '' : body
  return sanitizeDetail(text)
}

/** Returns text of a service on one line, of limited length and without secrets. */
export function sanitizeDetail(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return escapeControls(redact(line)).slice(0, maxDetailLength)
}

function joinDetails({ error, message, detail, Exception: exception }: z.infer<typeof errorBody>): string {
  const inner = typeof error === 'string' ? [error] : [error?.message, error?.code, error?.param]
  const detailText = typeof detail === 'object' && detail !== null ? JSON.stringify(detail) : detail
  return [...inner, message, detailText, exception]
    .filter((one) => typeof one === 'string' && one !== '')
    .join(', ')
}

/** A service and its kind, as errors name them; `voices` for the service of a voice of the catalogue. */
export interface ServiceTarget {
  readonly kind: ServiceKind | 'voices'
  readonly service: ServiceSettings
}

/** How a failed request is handled. */
interface ClassifiedFailure {
  /** The error for the caller. */
  readonly error: unknown
  /** Whether to retry, and after how many milliseconds if the service named a time. */
  readonly canRetry: boolean
  readonly waitMs?: number | undefined
}

/** Seconds of `Retry-After` up to which we wait ourselves. */
const maxRetryAfter = 60

/** Returns the error of a failed request and whether it may be retried. */
export function classifyFailure(target: ServiceTarget, error: unknown): ClassifiedFailure {
  if (error instanceof HttpError) {
    const waitMs = error.retryAfter === undefined ? undefined : error.retryAfter * 1000
    return {
      error: toServiceError(target, error),
      canRetry: isTransient(error) && (error.retryAfter ?? 0) <= maxRetryAfter,
      waitMs,
    }
  }
  if (error instanceof TooLargeError)
    return { error: unexpectedResponse(target, 'sent too large a response'), canRetry: false }
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return { error: unexpectedResponse(target, 'does not speak HTTP'), canRetry: false }
  }
  const code = errorCode(error)
  return code === undefined
    ? { error, canRetry: false }
    : { error: connectionError(target, error, code), canRetry: networkCode(error) !== undefined }
}

/** Transient statuses of an overloaded service. */
const overloadStatuses = new Set([408, 425, 429, 503, 504])

function toServiceError({ kind, service }: ServiceTarget, response: HttpError): MediaError {
  const name = serviceName(service)
  const { status, retryAfter } = response
  const why = `HTTP ${status}`
  if (isTransient(response)) {
    return overloadStatuses.has(status)
      ? new MediaError(6402, `${name} is busy (${why})`, { cause: response, retryAfter })
      : new MediaError(6401, `${name} failed (${why})`, { cause: response, hint: checkLogHint })
  }
  if (status === 401 || status === 403) {
    const what = service.key === undefined ? 'asks for a key' : 'refused its key'
    const hint =
      kind === 'voices'
        ? 'Set "key" in "service" of the voice, in the setting "voices".'
        : `Set "${kind}_key" (${serviceInfo[kind].keyVariable}).`
    return permanentError(`${name} ${what} (${why})`, withLogHint(hint, response), response)
  }
  const what =
    status >= 300 && status < 400
      ? 'redirects to another address, which is not followed'
      : status === 404 || status === 405
        ? 'has no such model or endpoint'
        : 'refused the request'
  return permanentError(`${name} ${what} (${why})`, withLogHint(checkSettingHint(kind), response), response)
}

/** Adds to a hint that the log contains the service's explanation. */
function withLogHint(hint: string, { detail }: HttpError): string {
  return detail === '' ? hint : `${hint}${seeLog}`
}

const seeLog = ' The log contains its explanation.'

/** Returns an error with the service's explanation in its message instead of the log, for a report that only the operator sees. */
export function withExplanation(error: unknown): unknown {
  const { detail = '' } = httpErrorCause(error) ?? {}
  if (!(error instanceof MediaError) || detail === '') return error
  const { code, message, hint, retryable, cause } = error
  return new MediaError(code, `${message}: ${detail}`, { hint: hint.replace(seeLog, ''), retryable, cause })
}

/**
 * The error for a response that is not one of the expected API. what: what is wrong with it, in our words. quoted: parts
 * of the response, for the log.
 */
export function unexpectedResponse(
  { kind, service }: ServiceTarget,
  what: string,
  quoted?: string,
): MediaError {
  return permanentError(`${serviceName(service)} ${what}`, checkSettingHint(kind), quotedCause(quoted))
}

/** An error that carries text of a service to the log, as a cause; undefined without text. */
export function quotedCause(text: string | undefined): Error | undefined {
  return text === undefined || text === ''
    ? undefined
    : new Error(`the service said: ${sanitizeDetail(text)}`)
}

/** The error for a service that did not respond within a time in milliseconds. */
export function timeoutError({ service }: ServiceTarget, milliseconds: number): MediaError {
  const message = `${serviceName(service)} did not respond within ${milliseconds / 1000} s`
  return new MediaError(6402, message, { hint: checkLogHint })
}

/** The error for a service that cannot be connected, or whose connections broke. */
function connectionError({ kind, service }: ServiceTarget, cause: unknown, code: string): MediaError {
  return new MediaError(6401, `${serviceName(service)} cannot be reached (${code})`, {
    cause,
    hint: `Start it, or correct the setting "${kind}".`,
  })
}

const checkLogHint = 'Try again later. If the problem persists, see the log of that service.'

function permanentError(message: string, hint: string, cause?: unknown): MediaError {
  return new MediaError(6401, message, { cause, hint, retryable: false })
}

function checkSettingHint(kind: ServiceTarget['kind']): string {
  if (kind === 'voices') return 'Check "service" of the voice in the setting "voices".'
  return `Check the setting "${kind}": an address such as ${serviceInfo[kind].example}.`
}
