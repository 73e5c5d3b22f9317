import type { Dispatcher } from 'undici'
import type * as z from 'zod'
import { anyEnvelope, messageSuccessCode, type Route, successCode } from '../contract/route.ts'
import { isErrorCode, MediaError } from '../contract/errors.ts'
import { parseJson } from '../platform/text-formats.ts'
import { networkCode, wasRequestUnsent } from '../platform/system-error.ts'
import { readAtMost, TooLargeError } from '../platform/streams.ts'

/** Largest JSON answer read, in bytes. */
const maxResponseBytes = 64 * 2 ** 20

/** Reads an answer's envelope, either form, and returns its data; a failure becomes a MediaError. */
export async function readResponse<R extends Route>(
  route: R,
  response: Dispatcher.ResponseData,
): Promise<z.output<R['data']>> {
  const data = route.data.safeParse(await readEnvelope(response))
  if (data.success) return data.data as z.output<R['data']>
  throw new MediaError(
    6500,
    `The service's answer to ${route.method} ${route.path} is not of the contract's form`,
    { cause: data.error, retryable: false, hint: 'The service may be older or newer than this client.' },
  )
}

/** Throws what an answer with a failure status says; for endpoints whose success is bytes. */
export async function throwErrorResponse(response: Dispatcher.ResponseData): Promise<never> {
  await readEnvelope(response)
  throw invalidEnvelope(response)
}

async function readEnvelope(response: Dispatcher.ResponseData): Promise<unknown> {
  const envelope = anyEnvelope.safeParse(
    parseJson((await readResponseBody(response, maxResponseBytes)).toString()),
  )
  if (!envelope.success) throw invalidEnvelope(response)
  const { code, msg, message, data, ...advice } = envelope.data
  if (response.statusCode < 300 && (code === successCode || code === messageSuccessCode)) return data
  throw serviceError(code, msg ?? message ?? '', { ...advice, retryAfter: retryAfterSeconds(response) })
}

/** Reads an answer's body into memory; 6401 for more than `maxBytes`. */
export async function readResponseBody(response: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  try {
    return await readAtMost(response.body, maxBytes)
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    throw new MediaError(6401, `The service answered more than the ${maxBytes} bytes that are read`, {
      cause: error,
      retryable: false,
      hint: 'The service may be older or newer than this client.',
    })
  }
}

function serviceError(
  code: number,
  message: string,
  advice: Pick<z.output<typeof anyEnvelope>, 'hint' | 'retryable'> & { retryAfter: number | undefined },
): MediaError {
  if (isErrorCode(code)) return new MediaError(code, message, advice)
  return new MediaError(6500, `${message} (service code ${code})`, {
    hint: 'This code is not known here; its message says what the service means.',
    retryable: false,
  })
}

function invalidEnvelope(response: Dispatcher.ResponseData): MediaError {
  const { statusCode: status } = response
  return new MediaError(6401, `The service answered HTTP ${status} without the contract's envelope`, {
    retryable: status >= 500 || status === 429,
    retryAfter: retryAfterSeconds(response),
    hint: 'See whether REELWRIGHT_BASE_URL is the address of a media service, and what stands in front of it.',
  })
}

/** Seconds that an answer asks to wait, which it may tell as a date; undefined where it does not. */
function retryAfterSeconds({ headers }: Dispatcher.ResponseData): number | undefined {
  const given = String(headers['retry-after'])
  const seconds = /^\d+$/.test(given) ? Number(given) : (Date.parse(given) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}

/** The error people see when the network failed: 6401, retryable, with the cause kept. */
export function unreachableError(baseUrl: string, error: Error): MediaError {
  const { host } = new URL(baseUrl)
  return new MediaError(6401, `The media service at ${host} cannot be reached (${networkCode(error)})`, {
    cause: error,
    hint: 'Call again; if it stays, see whether the service runs (`reelwright doctor`).',
    retryable: true,
  })
}

/** Tells whether an error says that no connection to the service could be made at all. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof MediaError && wasRequestUnsent(error.cause)
}
