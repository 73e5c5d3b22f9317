import { MediaError } from '../contract/errors.ts'
import { isNetworkFailure } from '../platform/network-failure.ts'
import { exponentialDelay, retry, type Wait } from '../platform/retry.ts'

/** Runs work again while it fails for what may pass; it is told how often it failed so far. */
export type Retry = <T>(work: (failures: number) => Promise<T>, signal: AbortSignal) => Promise<T>

/** Failures of one piece of work after which it is given up: with the pauses, a minute without a service. */
const maxFailures = 9

/** A service that asks for more patience than this is not waited for, ms. */
const maxRetryAfterMs = 120_000

/** Retries broken connections and retryable failures with backoff, and waits at least as long as the service asks. */
export function createRetry(wait?: Wait): Retry {
  return (work, signal) =>
    retry(work, {
      signal,
      wait,
      delayAfter(error, failures) {
        signal.throwIfAborted()
        const requestedMs = (error instanceof MediaError ? (error.retryAfter ?? 0) : 0) * 1000
        if (!isRetryable(error) || failures === maxFailures || requestedMs > maxRetryAfterMs) {
          throw toUploadError(error)
        }
        return Math.max(requestedMs, exponentialDelay(failures))
      },
    })
}

function isRetryable(error: unknown): boolean {
  return isNetworkFailure(error) || (error instanceof MediaError && error.retryable)
}

function toUploadError(error: unknown): unknown {
  return isNetworkFailure(error) ? new MediaError(6036, 'The upload broke off', { cause: error }) : error
}
