import { callSafely, isPromise } from './natives.js'

/**
 * @typedef {object} Timeline registered on `window.__timelines`: of GSAP, or any object that can seek
 * @property {(seconds: number, suppressEvents: boolean) => unknown} [totalTime]
 * @property {(seconds: number) => unknown} [seek]
 * @property {number | (() => number)} [duration] seconds
 * @property {number | (() => number)} [totalDuration] seconds with repeats; takes precedence over `duration`
 * @property {() => unknown} [pause]
 */

/** Longest timeline in s. Libraries report an endless timeline by a large number. */
const maxTimelineSeconds = 6 * 3600

/**
 * Seeks every timeline that the particle registers.
 *
 * @param {(message: string) => void} report
 */
export function createTimelines(report) {
  /** @type {Map<Timeline, { sought: number | undefined, end: number | undefined }>} */
  const known = new Map()

  /** @param {string} name @param {Timeline} timeline */
  const add = (name, timeline) => {
    if (typeof timeline.totalTime !== 'function' && typeof timeline.seek !== 'function') {
      report(`timeline "${name}" cannot seek: it has neither totalTime nor seek`)
    }
    const end = callSafely(() => durationOf(timeline))
    if (end !== undefined && !(end <= maxTimelineSeconds))
      report(`timeline "${name}" is endless: limit its repeats`)
    callSafely(() => timeline.pause?.())
    known.set(timeline, { sought: undefined, end })
  }

  const findAll = () => {
    for (const [name, timeline] of registeredTimelines()) if (!known.has(timeline)) add(name, timeline)
    return known.size
  }

  return {
    /** Adds newly registered timelines and returns their number. */
    findAll,
    /**
     * Seeks all registered timelines to a time in s; past its end a timeline keeps its last state. Returns whether all
     * have ended.
     *
     * @param {number} seconds
     */
    async seek(seconds) {
      findAll()
      let ended = true
      for (const [timeline, state] of known) {
        const at = Math.min(seconds, state.end ?? Infinity)
        if (at !== state.sought) {
          const result = callSafely(() =>
            typeof timeline.totalTime === 'function' ? timeline.totalTime(at, false) : timeline.seek?.(at),
          )
          if (isPromise(result)) await result
        }
        state.sought = at
        ended &&= state.end !== undefined && seconds >= state.end
      }
      return ended
    },
  }
}

/** @returns {[string, Timeline][]} */
function registeredTimelines() {
  const all = /** @type {unknown} */ (Reflect.get(window, '__timelines'))
  if (typeof all !== 'object' || all === null) return []
  return Object.entries(all).filter(([, one]) => typeof one === 'object' && one !== null)
}

/** @param {Timeline} timeline */
function durationOf(timeline) {
  const duration = timeline.totalDuration ?? timeline.duration
  return typeof duration === 'function' ? duration.call(timeline) : duration
}
