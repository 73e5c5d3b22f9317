import { waitInRealTime, type Wait } from '../../platform/retry.ts'
import type { Service, ServiceKind } from './services.ts'

/** Waits until one more request to a service may go. */
export type Acquire = (need: ServiceKind, signal: AbortSignal) => Promise<void>

interface RateLimiterOptions {
  /** Left out, there is no bound. */
  readonly perMinute?: number | undefined
  /** Milliseconds that never go back. */
  readonly clock?: () => number
  readonly pause?: Wait
}

const minuteMs = 60_000

/**
 * Lets so many requests go in any minute; the others wait for their turn, in the order they came. Not evenly spaced:
 * work that fits into a minute's share is not slowed down. Whoever gives up waiting leaves the turn to others.
 */
export function rateLimiter({
  perMinute,
  clock = () => performance.now(),
  pause = waitInRealTime,
}: RateLimiterOptions) {
  /** When each of a minute's requests last went or will go. */
  const lanes: number[] = []
  return async (signal: AbortSignal): Promise<void> => {
    if (perMinute === undefined) return
    const now = clock()
    const lane = lanes.length < perMinute ? lanes.length : indexOfEarliest(lanes)
    const before = lanes[lane] ?? -Infinity
    const turn = Math.max(now, before + minuteMs)
    lanes[lane] = turn
    if (turn <= now) return
    try {
      await pause(turn - now, signal)
    } catch (error) {
      if (lanes[lane] === turn) lanes[lane] = before
      throw error
    }
  }
}

function indexOfEarliest(moments: readonly number[]): number {
  return moments.reduce((best, moment, at) => (moment < (moments[best] ?? Infinity) ? at : best), 0)
}

let sharedAcquire: Acquire | undefined

/** From now on this process's requests wait for turns that another gives, which knows of all who ask. */
export function shareRateLimiter(takeTurn: Acquire | undefined): void {
  sharedAcquire = takeTurn
}

/** What a request to a service waits for, in the rate of its settings. */
export function serviceRateLimiter(
  need: ServiceKind,
  service: Service,
  options: Omit<RateLimiterOptions, 'perMinute'>,
) {
  const { requests_per_minute: perMinute } = service
  const takeTurn = sharedAcquire
  if (perMinute === undefined || !takeTurn) return rateLimiter({ ...options, perMinute })
  return async (signal: AbortSignal): Promise<void> => await takeTurn(need, signal)
}
