import type { Dispatcher } from 'undici'
import { readAtMost } from '../../platform/streams.ts'
import { HttpError, errorDetail, retryAfterSeconds } from './failures.ts'

/** A request of a service: with JSON or a form, else a GET. */
export interface ServiceRequest {
  /** Below the service's address: `/models`. */
  readonly path: string
  readonly json?: unknown
  readonly form?: readonly (readonly [field: string, value: string | FormFile])[]
  readonly signal: AbortSignal
}

/** A file in a form. */
interface FormFile {
  readonly name: string
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** What came with success. */
export interface ServiceResponse {
  /** The media type, in lower case, without parameters; empty where none is said. */
  readonly type: string
  readonly bytes: Buffer
}

/** Enough of the body of a refusal. */
const maxErrorBytes = 64 * 1024

/** What is sent of a request. */
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

/** A refusal counts, whether or not its words can be read. */
function emptyBody(): Buffer {
  return Buffer.alloc(0)
}

/** What came; throws Refusal where it is no success, and TooLargeError. */
export async function readResponse(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<ServiceResponse> {
  const isFine = status >= 200 && status < 300
  if (!isFine) {
    const said = await readAtMost(body as AsyncIterable<Uint8Array>, maxErrorBytes).catch(emptyBody)
    throw new HttpError(status, {
      said: errorDetail(said.toString('utf8')),
      after: retryAfterSeconds(headers['retry-after']),
    })
  }
  const bytes = await readAtMost(body as AsyncIterable<Uint8Array>, maxBytes)
  const [type = ''] = String(headers['content-type'] ?? '').split(';')
  return { type: type.trim().toLowerCase(), bytes }
}
