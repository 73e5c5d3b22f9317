import { replace } from './natives.js'
import { tellPresent } from './present.js'
import { attempt } from './pristine.js'
import { tellTimings } from './timings.js'

/** What time it is at the beginning, ms: any moment, as long as every worker sees the same (2024-01-01). */
const epoch = 1_704_067_200_000

/** Chromium waits at least so long, ms, once timers started timers so often (HTML, timer initialization steps). */
const nested = { ms: 4, depth: 5 }

/**
 * Replaces all that tells time or waits for it. Time stands still until it is moved.
 *
 * @param {() => Promise<void>} rest lets what was begun come to its end
 */
export function makeClock(rest) {
  const time = { now: 0 }
  const timers = makeTimers(time, rest)
  const frames = makeFrames(time)
  tellTime(time)
  return {
    /** Nothing waits for time to pass. */
    isIdle: () => timers.isIdle() && frames.isIdle(),
    moveTo: timers.moveTo,
    runFrame: frames.run,
  }
}

/** @param {{ now: number }} time @param {() => Promise<void>} rest */
function makeTimers(time, rest) {
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
  const forget = (/** @type {number} */ id) => void timers.delete(id)
  replace(window, {
    setTimeout: timer(false),
    setInterval: timer(true),
    clearTimeout: forget,
    clearInterval: forget,
    requestIdleCallback: (/** @type {IdleRequestCallback} */ call) =>
      timer(false)(() => call({ didTimeout: false, timeRemaining: () => 50 }), 1),
    cancelIdleCallback: forget,
  })
  // Its tasks wait by real time; without it scripts take timers.
  Reflect.deleteProperty(window, 'scheduler')
  replaceTimeouts(timer(false))

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

/** @param {(call: () => void, ms: number) => unknown} wait */
function replaceTimeouts(wait) {
  replace(AbortSignal, {
    timeout: (/** @type {number} */ ms) => {
      const controller = new AbortController()
      wait(() => controller.abort(new DOMException('signal timed out', 'TimeoutError')), ms)
      return controller.signal
    },
  })
}

/** @param {{ now: number }} time */
function makeFrames(time) {
  let last = 0
  /** @type {Map<number, FrameRequestCallback>} */
  let waiting = new Map()
  let running = waiting
  replace(window, {
    requestAnimationFrame: (/** @type {FrameRequestCallback} */ call) => {
      last += 1
      waiting.set(last, call)
      return last
    },
    cancelAnimationFrame: (/** @type {number} */ id) => {
      waiting.delete(id)
      running.delete(id)
    },
  })
  return {
    isIdle: () => waiting.size === 0,
    /** Runs what waits for an animation frame. */
    run() {
      running = waiting
      waiting = new Map()
      for (const [id, call] of running) {
        running.delete(id)
        attempt(() => call(time.now))
      }
    },
  }
}

/** @param {{ now: number }} time */
function tellTime(time) {
  const now = () => time.now
  replace(window, {
    Date: new Proxy(Date, {
      construct: (target, given, made) =>
        Reflect.construct(target, given.length > 0 ? given : [epoch + time.now], made),
      apply: (target) => new target(epoch + time.now).toString(),
    }),
  })
  replace(Date, { now: () => epoch + time.now })
  replace(Date.prototype, { constructor: Date })
  replace(Performance.prototype, { now })
  Object.defineProperty(Performance.prototype, 'timeOrigin', { configurable: true, get: () => epoch })
  for (const [owner, name] of /** @type {const} */ ([
    [AnimationTimeline, 'currentTime'],
    [Event, 'timeStamp'],
  ])) {
    Object.defineProperty(owner.prototype, name, { configurable: true, get: now })
  }
  tellTimings(time, epoch)
  tellPresent(() => epoch + time.now)
}
