import { setTimeout as delay } from 'node:timers/promises'
import { MediaError } from '../contract/errors.ts'
import { isNetworkFailure } from '../platform/network-failure.ts'

/** Waits between attempts. */
export type Pause = (milliseconds: number, signal: AbortSignal) => Promise<void>

/** Runs work again while it fails for what may pass; it is told how often it failed so far. */
export type Retry = <T>(work: (failures: number) => Promise<T>, signal: AbortSignal) => Promise<T>

/** Failures of one piece of work after which it is given up: with the pauses, a minute without a service. */
const maxFailures = 9

/** Pauses double from the first to the longest, ms. */
const firstPauseMs = 200
const longestPauseMs = 30_000

/** A service that asks for more patience than this is not waited for, ms. */
const longestWishMs = 120_000

/** Tries again after broken connections and retryable failures, later each time, and not before the service wishes. */
export function retrying(pause: Pause = (ms, signal) => delay(ms, undefined, { signal })): Retry {
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

/** Spread, so that parts that failed together are not sent together again. */
function backoff(failures: number): number {
  const most = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1))
  return most * (0.5 + Math.random() / 2)
}

function mayPass(error: unknown): boolean {
  return isNetworkFailure(error) || (error instanceof MediaError && error.retryable)
}

function asUploadError(error: unknown): unknown {
  return isNetworkFailure(error) ? new MediaError(6036, 'The upload broke off', { cause: error }) : error
}
