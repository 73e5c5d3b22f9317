import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { escapeControls, redact } from '../../platform/log.ts'
import { TooLargeError } from '../../platform/streams.ts'
import { errorCode, networkCode } from '../../platform/system-error.ts'
import { parseJson } from '../../platform/text-formats.ts'
import { type Service, serviceInfo, type ServiceKind, serviceName } from './services.ts'

/** An answer that is no success; the cause of the MediaError that tells it. */
export class HttpError extends Error {
  readonly status: number
  /** The service's own words, of one line, without secrets; empty where it has none. */
  readonly detail: string
  /** Seconds after which it wants to be asked again; undefined where it does not say. */
  readonly retryAfter: number | undefined

  constructor(
    status: number,
    { said, after }: { readonly said: string; readonly after?: number | undefined },
  ) {
    super(`HTTP ${status}`)
    this.status = status
    this.detail = said
    this.retryAfter = after
  }
}

/** The answer behind an error; undefined where there was none. */
export function httpErrorCause(error: unknown): HttpError | undefined {
  return error instanceof MediaError && error.cause instanceof HttpError ? error.cause : undefined
}

/** Answers after which the same request may succeed. */
const transientStatuses = new Set([408, 425, 429, 500, 502, 503, 504])

/** Tells whether a refused request may be sent again. A quota that is used up stays so. */
function isTransient({ status, detail: said }: HttpError): boolean {
  return transientStatuses.has(status) && !/insufficient_quota|exceeded your current quota/i.test(said)
}

/** Where services say what was wrong: OpenAI's form, FastAPI's, GPT-SoVITS's. */
const errorBody = z.object({
  error: z
    .union([z.string(), z.object({ message: z.string(), code: z.unknown(), param: z.unknown() }).partial()])
    .nullish(),
  message: z.string().nullish(),
  detail: z.unknown().optional(),
  Exception: z.string().nullish(),
})

/** Enough of a service's own words. */
const maxDetailLength = 300

/** What the body of a refusal says, in one line without secrets; of a page, nothing. */
export function errorDetail(body: string): string {
  const read = errorBody.safeParse(parseJson(body)).data
  const isPage = /^\s*</.test(body)
  const words = read ? joinDetails(read) : isPage ? '' : body
  return sanitizeDetail(words)
}

/** Words of a service in one line, of bounded length and without secrets. */
export function sanitizeDetail(words: string): string {
  const line = words.replaceAll(/\s+/g, ' ').trim()
  return escapeControls(redact(line)).slice(0, maxDetailLength)
}

function joinDetails({ error, message, detail, Exception: exception }: z.infer<typeof errorBody>): string {
  const inner = typeof error === 'string' ? [error] : [error?.message, error?.code, error?.param]
  const told = typeof detail === 'object' && detail !== null ? JSON.stringify(detail) : detail
  return [...inner, message, told, exception]
    .filter((one) => typeof one === 'string' && one !== '')
    .join(', ')
}

/** What `Retry-After` asks for: seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterSeconds(header: string | readonly string[] | undefined): number | undefined {
  const text = typeof header === 'string' ? header.trim() : ''
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000)
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

/** A service as its errors tell it. */
export interface ServiceTarget {
  readonly kind: ServiceKind
  readonly service: Service
}

/** A failed request. */
interface ClassifiedFailure {
  /** What it is told as. */
  readonly error: unknown
  /** Whether the same request may be sent again, and after how long where the service said so. */
  readonly canRetry: boolean
  readonly waitMs?: number | undefined
}

/** A longer wait that a service asks for is left to whoever asked, s. */
const maxRetryAfter = 60

/** What a failed request means, and whether it may be sent again. */
export function classifyFailure(told: ServiceTarget, error: unknown): ClassifiedFailure {
  if (error instanceof HttpError) {
    const { retryAfter: after = 0 } = error
    const waitMs = error.retryAfter === undefined ? undefined : after * 1000
    return {
      error: toMediaError(told, error),
      canRetry: isTransient(error) && after <= maxRetryAfter,
      waitMs,
    }
  }
  if (error instanceof TooLargeError)
    return { error: unexpectedResponse(told, 'answers far too much'), canRetry: false }
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return { error: unexpectedResponse(told, 'does not speak HTTP'), canRetry: false }
  }
  const code = errorCode(error)
  return code === undefined
    ? { error, canRetry: false }
    : { error: connectionError(told, error, code), canRetry: networkCode(error) !== undefined }
}

/** Of the refusals that may pass, the ones that say the service has too much to do. */
const busyStatuses = new Set([408, 425, 429, 503, 504])

function toMediaError({ kind: need, service }: ServiceTarget, refusal: HttpError): MediaError {
  const name = serviceName(service)
  const { status, detail: said, retryAfter: after } = refusal
  const why = `HTTP ${status}${said && `: ${said}`}`
  if (isTransient(refusal)) {
    return busyStatuses.has(status)
      ? new MediaError(6402, `${name} is busy (${why})`, { cause: refusal, retryAfter: after })
      : new MediaError(6401, `${name} failed (${why})`, { cause: refusal, hint: checkLogHint })
  }
  if (status === 401 || status === 403) {
    const what = service.key === undefined ? 'asks for a key' : 'refused its key'
    const hint = `Set "${need}_key" (${serviceInfo[need].keyVariable}).`
    return permanentError(`${name} ${what} (${why})`, hint, refusal)
  }
  const what =
    status >= 300 && status < 400
      ? 'sends on to another address, which is not followed'
      : status === 404 || status === 405
        ? 'has no such model or endpoint'
        : 'refused the request'
  return permanentError(`${name} ${what} (${why})`, checkSettingHint(need), refusal)
}

/** What is no answer of the API that the service is said to speak; may quote it. */
export function unexpectedResponse({ kind: need, service }: ServiceTarget, what: string): MediaError {
  return permanentError(`${serviceName(service)} ${sanitizeDetail(what)}`, checkSettingHint(need))
}

/** Nothing came in time. */
export function timeoutError({ service }: ServiceTarget, milliseconds: number): MediaError {
  const message = `${serviceName(service)} did not answer within ${milliseconds / 1000} s`
  return new MediaError(6402, message, { hint: checkLogHint })
}

/** There is no connection, or it broke each time. */
function connectionError({ kind: need, service }: ServiceTarget, cause: unknown, code: string): MediaError {
  return new MediaError(6401, `${serviceName(service)} cannot be reached (${code})`, {
    cause,
    hint: `Start it, or correct the setting "${need}".`,
  })
}

const checkLogHint = 'Try again later; the log of that service may tell more.'

function permanentError(message: string, hint: string, cause?: unknown): MediaError {
  return new MediaError(6401, message, { cause, hint, retryable: false })
}

function checkSettingHint(need: ServiceKind): string {
  return `Check the setting "${need}": an address such as ${serviceInfo[need].example}.`
}
