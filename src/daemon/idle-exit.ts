/** Time as the daemon sees it, in ms since 1970. */
export interface Clock {
  now(): number
  /** Calls once after so many ms; the result prevents that. */
  after(ms: number, call: () => void): () => void
}

/** The machine's time; waiting for it keeps no process alive. */
export const systemClock: Clock = {
  now: Date.now,
  after: (ms, call) => {
    const timer = setTimeout(call, ms).unref()
    return () => clearTimeout(timer)
  },
}

const defaultIdleMs = 30 * 60_000
/** How often to look whether work is still going on, in ms. */
const busyPollMs = 60_000

interface IdleExitOptions {
  readonly idleMs?: number
  /** Work going on or waiting: queued or retry-waiting tasks, open uploads. */
  readonly isBusy: () => boolean | Promise<boolean>
  /** Moment of the last request. */
  readonly lastActivity: () => number
  readonly exit: () => void
  readonly clock?: Clock
}

/** Calls `exit` once after so long without a request and without work; disposing ends the watch. */
export function createIdleExit(options: IdleExitOptions): Disposable {
  const { idleMs = defaultIdleMs, isBusy, lastActivity, exit, clock = systemClock } = options
  let idleSince = clock.now()
  let disposed = false
  let cancel = clock.after(idleMs, () => void check())

  async function mayBeBusy(): Promise<boolean> {
    try {
      return await isBusy()
    } catch {
      // Where it cannot be told, staying loses nothing.
      return true
    }
  }

  async function check(): Promise<void> {
    const busy = await mayBeBusy()
    if (disposed) return
    idleSince = Math.max(idleSince, busy ? clock.now() : lastActivity())
    const left = idleSince + idleMs - clock.now()
    if (left <= 0) return exit()
    cancel = clock.after(busy ? Math.min(idleMs, busyPollMs) : left, () => void check())
  }

  return {
    [Symbol.dispose]: () => {
      disposed = true
      cancel()
    },
  }
}
