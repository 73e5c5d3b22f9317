import { MediaError } from '../contract/errors.ts'
import { errorCode } from '../platform/error-code.ts'

/** There was no connection, or the client takes nothing new: nothing was sent, so any request may be sent again. */
const notSent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_CLOSED',
])

/** The connection broke: the service may or may not have acted. */
const broken = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_DESTROYED',
])

function networkCode(error: unknown): string | undefined {
  const code = errorCode(error)
  return code !== undefined && (notSent.has(code) || broken.has(code)) ? code : undefined
}

/** Tells a network failure from every other error. */
export function isNetworkFailure(error: unknown): error is Error {
  return networkCode(error) !== undefined
}

/** Tells whether a request that failed this way certainly did not reach the service. */
export function wasNotSent(error: unknown): boolean {
  return notSent.has(networkCode(error) ?? '')
}

/** The error people see when the network failed: 6401, retryable, with the cause kept. */
export function unreachable(baseUrl: string, error: Error): MediaError {
  const { host } = new URL(baseUrl)
  return new MediaError(6401, `The media service at ${host} cannot be reached (${networkCode(error)})`, {
    cause: error,
    hint: 'Call again; if it stays, see whether the service runs (`reelwright doctor`).',
    retryable: true,
  })
}

/** Tells whether an error says that no connection to the service could be made at all. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof MediaError && wasNotSent(error.cause)
}
