import type { Dispatcher } from 'undici'
import type * as z from 'zod'
import { anyEnvelope, messageSuccessCode, type Route, successCode } from '../contract/route.ts'
import { isErrorCode, MediaError } from '../contract/errors.ts'
import { describeSize } from '../contract/format.ts'
import { parseJson } from '../contract/bounded-json.ts'
import { parseRetryAfter } from '../platform/retry.ts'
import { networkCode, wasRequestUnsent } from '../platform/system-error.ts'
import { readAtMost, TooLargeError } from '../platform/streams.ts'

/** Largest JSON response, bytes. */
const maxResponseBytes = 64 * 2 ** 20

/** Reads a response envelope of either form and returns its data. Throws the service's error as a MediaError. */
export async function readEnvelopeData<R extends Route>(
  route: R,
  response: Dispatcher.ResponseData,
): Promise<z.output<R['data']>> {
  const data = route.data.safeParse(await readEnvelope(response))
  if (data.success) return data.data as z.output<R['data']>
  throw new MediaError(
    6500,
    `The service's response to ${route.method} ${route.path} does not match the contract`,
    { cause: data.error, retryable: false, hint: 'The service may be older or newer than this client.' },
  )
}

/** Throws the error of a response with a failure status, for endpoints that return bytes on success. */
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
  throw serviceError(code, msg ?? message ?? '', {
    ...advice,
    retryAfter: parseRetryAfter(response.headers['retry-after']),
  })
}

/** Reads a response body into memory. Throws 6401 for more than `maxBytes`. */
export async function readResponseBody(response: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  try {
    return await readAtMost(response.body, maxBytes)
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    throw new MediaError(6401, `The service's response is larger than ${describeSize(maxBytes)}`, {
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
    hint: 'This client does not know the code; see its message.',
    retryable: false,
  })
}

function invalidEnvelope(response: Dispatcher.ResponseData): MediaError {
  const { statusCode: status } = response
  return new MediaError(6401, `The service returned HTTP ${status} without the contract's envelope`, {
    retryable: status >= 500 || status === 429,
    retryAfter: parseRetryAfter(response.headers['retry-after']),
    hint: 'Check that REELWRIGHT_BASE_URL is the URL of a media service, and check any proxy in front of it.',
  })
}

/** Error for a network failure: 6401, retryable, with its cause. */
export function unreachableError(baseUrl: string, error: Error): MediaError {
  const { host } = new URL(baseUrl)
  return new MediaError(6401, `The media service at ${host} cannot be reached (${networkCode(error)})`, {
    cause: error,
    hint: 'Call again. If the problem persists, check whether the service is running (`reelwright doctor`).',
    retryable: true,
  })
}

/** Whether an error means that no connection to the service could be established. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof MediaError && wasRequestUnsent(error.cause)
}
