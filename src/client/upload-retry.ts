import { MediaError } from '../contract/errors.ts'
import { backoff, pauseByClock, type Pause } from '../platform/backoff.ts'
import { isNetworkFailure } from '../platform/network-failure.ts'

/** Runs work again while it fails for what may pass; it is told how often it failed so far. */
export type Retry = <T>(work: (failures: number) => Promise<T>, signal: AbortSignal) => Promise<T>

/** Failures of one piece of work after which it is given up: with the pauses, a minute without a service. */
const maxFailures = 9

/** A service that asks for more patience than this is not waited for, ms. */
const longestWishMs = 120_000

/** Tries again after broken connections and retryable failures, later each time, and not before the service wishes. */
export function retrying(pause: Pause = pauseByClock): Retry {
  return async (work, signal) => {
    for (let failures = 0; ;) {
      try {
        return await work(failures)
      } catch (error) {
        signal.throwIfAborted()
        failures += 1
        const wishMs = (error instanceof MediaError ? (error.retryAfter ?? 0) : 0) * 1000
        if (!mayPass(error) || failures === maxFailures || wishMs > longestWishMs) throw asUploadError(error)
        await pause(Math.max(wishMs, backoff(failures)), signal)
      }
    }
  }
}

function mayPass(error: unknown): boolean {
  return isNetworkFailure(error) || (error instanceof MediaError && error.retryable)
}

function asUploadError(error: unknown): unknown {
  return isNetworkFailure(error) ? new MediaError(6036, 'The upload broke off', { cause: error }) : error
}
