import type { Dispatcher } from 'undici'
import { parseRetryAfter } from '../../platform/retry.ts'
import { readAtMost } from '../../platform/streams.ts'
import { HttpError, errorDetail } from './failures.ts'

/** A request to a service: a POST with JSON or a form, otherwise a GET. */
export interface ServiceRequest {
  /** Path relative to the service's address, such as `/models`. */
  readonly path: string
  readonly json?: unknown
  readonly form?: readonly (readonly [field: string, value: string | FormFile])[]
  readonly signal: AbortSignal
}

/** A file in a multipart form. */
interface FormFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** A successful response. */
export interface ServiceResponse {
  /** The media type in lower case without parameters; empty if the response has none. */
  readonly type: string
  readonly bytes: Buffer
}

/** Bytes of an error response that are read. */
const maxErrorBytes = 64 * 1024

/** Returns the method, headers and body of a request for undici. */
export async function requestOptions({ json, form }: ServiceRequest, key: string | undefined) {
  const headers = {
    accept: 'application/json, */*',
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...(json !== undefined && { 'content-type': 'application/json' }),
  }
  if (json !== undefined) return { method: 'POST', headers, body: JSON.stringify(json) } as const
  if (form === undefined) return { method: 'GET', headers } as const
  const { FormData } = await import('undici')
  const body = new FormData()
  for (const [field, value] of form) {
    if (typeof value === 'string') body.append(field, value)
    else body.append(field, new Blob([value.bytes], { type: value.type }), value.name)
  }
  return { method: 'POST', headers, body } as const
}

/** Replaces the body of an error response that cannot be read. */
function emptyBody(): Buffer {
  return Buffer.alloc(0)
}

/** Reads a response. Throws HttpError for a status that is not 2xx, and TooLargeError. */
export async function readResponse(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<ServiceResponse> {
  const isSuccess = status >= 200 && status < 300
  if (!isSuccess) {
    const text = await readAtMost(body as AsyncIterable<Uint8Array>, maxErrorBytes).catch(emptyBody)
    throw new HttpError(status, {
      detail: errorDetail(text.toString('utf8')),
      retryAfter: parseRetryAfter(headers['retry-after']),
    })
  }
  const bytes = await readAtMost(body as AsyncIterable<Uint8Array>, maxBytes)
  const [type = ''] = String(headers['content-type'] ?? '').split(';')
  return { type: type.trim().toLowerCase(), bytes }
}
