import { callSafely, replace, replaceGetter } from './natives.js'
import { overrideCurrentTime, overrideTimings } from './timestamps.js'

/** Minimum delay in ms of timers nested at least this deep (HTML, timer initialization steps). */
const nestedTimers = { ms: 4, depth: 5 }

/**
 * Replaces timers: they run when this clock is moved.
 *
 * @param {{ now: number }} time
 * @param {() => Promise<void>} settle waits for pending work
 */
function createTimers(time, settle) {
  let last = 0
  let depth = 0
  /** @type {Map<number, { at: number, depth: number, every: number | undefined, call: () => void }>} */
  const timers = new Map()

  /** @param {boolean} repeats */
  const timer =
    (repeats) =>
    (/** @type {unknown} */ handler, /** @type {unknown} */ delay = 0, /** @type {unknown[]} */ ...args) => {
      if (typeof handler !== 'function') throw new TypeError('a timer needs a function, not a string')
      const requested = Math.max(Number(delay) || 0, repeats ? 1 : 0)
      const wait = depth >= nestedTimers.depth ? Math.max(requested, nestedTimers.ms) : requested
      last += 1
      const call = () => handler.apply(window, args)
      timers.set(last, { at: time.now + wait, depth: depth + 1, every: repeats ? wait : undefined, call })
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
     * Moves to a time in ms and runs each timer that becomes due, at its own time.
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
        if (one) callSafely(one.call)
        depth = 0
        await settle()
      }
      time.now = to
    },
  }
}

/**
 * @param {(call: () => void, ms: number) => unknown} once
 * @param {(call: () => void, ms: number) => unknown} repeatedly
 * @param {(id: number) => void} forget
 */
function replaceTimers(once, repeatedly, forget) {
  replace(window, {
    setTimeout: once,
    setInterval: repeatedly,
    clearTimeout: forget,
    clearInterval: forget,
    requestIdleCallback: (/** @type {IdleRequestCallback} */ call) =>
      once(() => call({ didTimeout: false, timeRemaining: () => 50 }), 1),
    cancelIdleCallback: forget,
  })
  // Scheduler tasks run by real time; without it, scripts fall back to timers.
  Reflect.deleteProperty(window, 'scheduler')
  replace(AbortSignal, {
    timeout: (/** @type {number} */ ms) => {
      const controller = new AbortController()
      once(() => controller.abort(new DOMException('signal timed out', 'TimeoutError')), ms)
      return controller.signal
    },
  })
}

/** Start time in ms since 1970, the same for every worker: 2024-01-01. */
const epoch = 1_704_067_200_000

/**
 * Replaces clocks, timers and animation frames. Time advances only by `moveTo`.
 *
 * @param {() => Promise<void>} settle waits for pending work
 */
export function createClock(settle) {
  const time = { now: 0 }
  const timers = createTimers(time, settle)
  const frames = createAnimationFrames(time)
  overrideTime(time)
  return {
    /** Whether no timer or animation frame is pending. */
    isIdle: () => timers.isIdle() && frames.isIdle(),
    moveTo: timers.moveTo,
    runFrame: frames.run,
  }
}

/** @param {{ now: number }} time */
function createAnimationFrames(time) {
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
    /** Runs the pending animation frame callbacks. */
    run() {
      running = waiting
      waiting = new Map()
      for (const [id, call] of running) {
        running.delete(id)
        callSafely(() => call(time.now))
      }
    },
  }
}

/** @param {{ now: number }} time */
function overrideTime(time) {
  const now = () => time.now
  /** @type {WeakMap<object, number>} */
  const timestamps = new WeakMap()
  // An event's time is that of its first read, normally by its listener, and does not change afterwards.
  const readTime = (/** @type {object} */ one) => {
    const at = timestamps.get(one) ?? time.now
    timestamps.set(one, at)
    return at
  }
  replace(window, {
    Date: new Proxy(Date, {
      construct: (target, args, newTarget) =>
        Reflect.construct(target, args.length > 0 ? args : [epoch + time.now], newTarget),
      apply: (target) => new target(epoch + time.now).toString(),
    }),
  })
  replace(Date, { now: () => epoch + time.now })
  replace(Date.prototype, { constructor: Date })
  replace(Performance.prototype, { now })
  // Other timelines report scroll positions.
  replaceGetter(DocumentTimeline.prototype, 'currentTime', now)
  for (const [owner, name] of /** @type {const} */ ([
    [AnimationPlaybackEvent, 'timelineTime'],
    [Event, 'timeStamp'],
    [IntersectionObserverEntry, 'time'],
  ])) {
    replaceGetter(owner.prototype, name, readTime)
  }
  overrideTimings(time, epoch)
  overrideCurrentTime(() => epoch + time.now)
}
