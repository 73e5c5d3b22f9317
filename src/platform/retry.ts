import { setTimeout as delay } from 'node:timers/promises'

/** Waits for a number of milliseconds. Rejects with an AbortError when the signal aborts. */
export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>

/** Waits in real time. */
export const waitInRealTime: Wait = (milliseconds, signal) => delay(milliseconds, undefined, { signal })

interface BackoffOptions {
  /** Delay after the first failure, ms; 200 by default. */
  readonly firstMs?: number
  /** Longest delay, ms; 30,000 by default. */
  readonly maxMs?: number
  /** Share of the delay that is random, 0 to 1; half by default, so that clients that failed together spread out. */
  readonly jitter?: number
}

/** Delay before the next attempt, ms: doubles with each failure. failures: attempts that failed so far, from 1. */
export function exponentialDelay(
  failures: number,
  { firstMs = 200, maxMs = 30_000, jitter = 0.5 }: BackoffOptions = {},
): number {
  const longest = Math.min(maxMs, firstMs * 2 ** (failures - 1))
  return longest * (1 - jitter + jitter * Math.random())
}

export interface RetryOptions {
  /**
   * Classifies a failed attempt: returns the delay before the next one, ms, or throws the error to report.
   * failures: attempts that failed so far, from 1.
   */
  readonly delayAfter: (error: unknown, failures: number) => number
  readonly signal?: AbortSignal | undefined
  /** Tests inject one that does not wait. */
  readonly wait?: Wait | undefined
}

/** Repeats an attempt until it succeeds or `delayAfter` throws. Passes it the number of failures so far, from 0. */
export async function retry<T>(
  attempt: (failures: number) => Promise<T>,
  { delayAfter, signal, wait = waitInRealTime }: RetryOptions,
): Promise<T> {
  for (let failures = 0; ;) {
    try {
      return await attempt(failures)
    } catch (error) {
      failures += 1
      await wait(delayAfter(error, failures), signal)
    }
  }
}

/**
 * Seconds of a Retry-After header, a number or an HTTP date (RFC 9110, 10.2.3); undefined if invalid. A date is rounded
 * up to whole seconds from now; 0 if it has passed.
 */
export function parseRetryAfter(header: string | readonly string[] | undefined): number | undefined {
  const text = typeof header === 'string' ? header.trim() : ''
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000)
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
