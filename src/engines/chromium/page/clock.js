import { replace, replaceGetter } from './natives.js'
import { tellPresent } from './present.js'
import { attempt } from './pristine.js'
import { makeTimers } from './timers.js'
import { tellTimings } from './timings.js'

/** What time it is at the beginning, ms: any moment, as long as every worker sees the same (2024-01-01). */
const epoch = 1_704_067_200_000

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
  /** @type {WeakMap<object, number>} */
  const told = new WeakMap()
  // When something happened is when it is first asked, as its listener does, and then stays so.
  const then = (/** @type {object} */ one) => {
    const at = told.get(one) ?? time.now
    told.set(one, at)
    return at
  }
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
  // Other timelines tell how far something is scrolled.
  replaceGetter(DocumentTimeline.prototype, 'currentTime', now)
  for (const [owner, name] of /** @type {const} */ ([
    [AnimationPlaybackEvent, 'timelineTime'],
    [Event, 'timeStamp'],
    [IntersectionObserverEntry, 'time'],
  ])) {
    replaceGetter(owner.prototype, name, then)
  }
  tellTimings(time, epoch)
  tellPresent(() => epoch + time.now)
}
