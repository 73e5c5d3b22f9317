import { pauseByClock, type Pause } from '../../platform/backoff.ts'

interface Pace {
  /** Left out, there is no bound. */
  readonly perMinute?: number | undefined
  /** Milliseconds that never go back. */
  readonly clock?: () => number
  readonly pause?: Pause
}

const minuteMs = 60_000

/**
 * Lets so many requests go in any minute; the others wait for their turn, in the order they came. Not evenly spaced:
 * work that fits into a minute's share is not slowed down.
 */
export function pacer({ perMinute, clock = () => performance.now(), pause = pauseByClock }: Pace) {
  /** When the last ones went or will go, the earliest first. */
  const turns: number[] = []
  return async (signal: AbortSignal): Promise<void> => {
    if (perMinute === undefined) return
    const now = clock()
    const oldest = turns.length < perMinute ? undefined : turns.shift()
    const turn = Math.max(now, oldest === undefined ? now : oldest + minuteMs)
    turns.push(turn)
    if (turn > now) await pause(turn - now, signal)
  }
}
