import { waitInRealTime, type Wait } from '../../platform/retry.ts'
import type { ServiceSettings, ServiceKind } from './services.ts'

/** Waits until the rate limit of a service allows one more request. */
export type Acquire = (kind: ServiceKind, signal: AbortSignal) => Promise<void>

interface RateLimiterOptions {
  /** Requests per minute; unlimited by default. */
  readonly perMinute?: number | undefined
  /** A monotonic clock, in milliseconds. */
  readonly clock?: () => number
  readonly pause?: Wait
}

const minuteMs = 60_000

/**
 * Creates a limiter that allows a number of requests in any 60 seconds. Further requests wait in order of arrival.
 * Requests are not spaced evenly, so that a burst within the limit is not delayed. An aborted wait frees its slot.
 */
export function rateLimiter({
  perMinute,
  clock = () => performance.now(),
  pause = waitInRealTime,
}: RateLimiterOptions) {
  /** For each slot, the time of its last request, which may be in the future. */
  const slots: number[] = []
  return async (signal: AbortSignal): Promise<void> => {
    if (perMinute === undefined) return
    const now = clock()
    const slot = slots.length < perMinute ? slots.length : indexOfEarliest(slots)
    const before = slots[slot] ?? -Infinity
    const turn = Math.max(now, before + minuteMs)
    slots[slot] = turn
    if (turn <= now) return
    try {
      await pause(turn - now, signal)
    } catch (error) {
      if (slots[slot] === turn) slots[slot] = before
      throw error
    }
  }
}

function indexOfEarliest(moments: readonly number[]): number {
  return moments.reduce((best, moment, at) => (moment < (moments[best] ?? Infinity) ? at : best), 0)
}

let sharedAcquire: Acquire | undefined

/** Makes the requests of this process wait for a limiter that several processes share. */
export function shareRateLimiter(shared: Acquire | undefined): void {
  sharedAcquire = shared
}

/** Returns the limiter for requests to a service, at the rate of its settings. */
export function serviceRateLimiter(
  kind: ServiceKind | 'voices',
  service: ServiceSettings,
  options: Omit<RateLimiterOptions, 'perMinute'>,
) {
  const { requests_per_minute: perMinute } = service
  const shared = sharedAcquire
  if (perMinute === undefined || !shared || kind === 'voices') return rateLimiter({ ...options, perMinute })
  return async (signal: AbortSignal): Promise<void> => await shared(kind, signal)
}
