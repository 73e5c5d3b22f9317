import { MediaError } from '../contract/errors.ts'
import { networkCode, wasRequestUnsent } from '../platform/network-failure.ts'

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
