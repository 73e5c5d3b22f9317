import { replace } from './natives.js'
import { attempt } from './pristine.js'

/** Chromium waits at least so long, ms, once timers started timers so often (HTML, timer initialization steps). */
const nested = { ms: 4, depth: 5 }

/**
 * Replaces what waits for time to pass: it waits for this clock to be moved.
 *
 * @param {{ now: number }} time
 * @param {() => Promise<void>} rest lets what was begun come to its end
 */
export function makeTimers(time, rest) {
  let last = 0
  let depth = 0
  /** @type {Map<number, { at: number, depth: number, every: number | undefined, call: () => void }>} */
  const timers = new Map()

  /** @param {boolean} again */
  const timer =
    (again) =>
    (/** @type {unknown} */ handler, /** @type {unknown} */ delay = 0, /** @type {unknown[]} */ ...given) => {
      if (typeof handler !== 'function') throw new TypeError('a timer takes a function, no text')
      const asked = Math.max(Number(delay) || 0, again ? 1 : 0)
      const wait = depth >= nested.depth ? Math.max(asked, nested.ms) : asked
      last += 1
      const call = () => handler.apply(window, given)
      timers.set(last, { at: time.now + wait, depth: depth + 1, every: again ? wait : undefined, call })
      return last
    }
  replaceTimers(timer(false), timer(true), (id) => void timers.delete(id))

  /** @param {number} until */
  const next = (until) => {
    let first
    for (const [id, { at }] of timers) if (at <= until && (!first || at < first.at)) first = { id, at }
    return first
  }
  return {
    isIdle: () => timers.size === 0,
    /**
     * Moves to a time, ms: runs on the way every timer that is due, each at its own time.
     *
     * @param {number} to
     */
    async moveTo(to) {
      for (let due = next(to); due; due = next(to)) {
        const one = timers.get(due.id)
        time.now = Math.max(time.now, due.at)
        if (one?.every === undefined) timers.delete(due.id)
        else one.at = time.now + one.every
        depth = one?.depth ?? 0
        if (one) attempt(one.call)
        depth = 0
        await rest()
      }
      time.now = to
    },
  }
}

/**
 * @param {(call: () => void, ms: number) => unknown} once
 * @param {(call: () => void, ms: number) => unknown} again
 * @param {(id: number) => void} forget
 */
function replaceTimers(once, again, forget) {
  replace(window, {
    setTimeout: once,
    setInterval: again,
    clearTimeout: forget,
    clearInterval: forget,
    requestIdleCallback: (/** @type {IdleRequestCallback} */ call) =>
      once(() => call({ didTimeout: false, timeRemaining: () => 50 }), 1),
    cancelIdleCallback: forget,
  })
  // Its tasks wait by real time; without it scripts take timers.
  Reflect.deleteProperty(window, 'scheduler')
  replace(AbortSignal, {
    timeout: (/** @type {number} */ ms) => {
      const controller = new AbortController()
      once(() => controller.abort(new DOMException('signal timed out', 'TimeoutError')), ms)
      return controller.signal
    },
  })
}
