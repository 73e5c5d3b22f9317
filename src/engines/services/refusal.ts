import * as z from 'zod'
import { MediaError } from '../../contract/errors.ts'
import { parseJson } from '../../platform/text-formats.ts'
import { escapeControls, redact } from '../../platform/log.ts'

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
export function isTransient({ status, detail: said }: HttpError): boolean {
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
