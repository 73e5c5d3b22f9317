import { setTimeout as delay } from 'node:timers/promises'

/** Waits between attempts. */
export type Pause = (milliseconds: number, signal?: AbortSignal) => Promise<void>

/** Waits by the clock. */
export const pauseByClock: Pause = (milliseconds, signal) => delay(milliseconds, undefined, { signal })

/** Pauses double from the first to the longest, ms. */
const firstPauseMs = 200
const longestPauseMs = 30_000

/** How long to wait after so many failures, ms; spread, so that what failed together is not tried together again. */
export function backoff(failures: number): number {
  const most = Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1))
  return most * (0.5 + Math.random() / 2)
}
