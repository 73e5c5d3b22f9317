/**
 * @typedef {object} Timeline as it is registered on `window.__timelines`: GSAP's, or the least that can be sought
 * @property {(seconds: number, suppressEvents: boolean) => unknown} [totalTime]
 * @property {(seconds: number) => unknown} [seek]
 * @property {number | (() => number)} [duration] seconds
 * @property {number | (() => number)} [totalDuration] seconds, repeats included; goes before `duration`
 * @property {() => unknown} [pause]
 */

import { attempt, isPromise } from './pristine.js'

/** Longer than any video, s: libraries tell of an endless timeline by a large number. */
const endless = 6 * 3600

/**
 * Seeks every timeline that the particle registers.
 *
 * @param {(message: string) => void} tell
 */
export function makeTimelines(tell) {
  /** @type {Map<Timeline, { sought: number | undefined, end: number | undefined }>} */
  const known = new Map()

  /** @param {string} name @param {Timeline} timeline */
  const meet = (name, timeline) => {
    if (typeof timeline.totalTime !== 'function' && typeof timeline.seek !== 'function') {
      tell(`timeline "${name}" cannot be sought: it has neither totalTime nor seek`)
    }
    const end = attempt(() => durationOf(timeline))
    if (end !== undefined && !(end <= endless))
      tell(`timeline "${name}" is endless: give its repeats a number`)
    attempt(() => timeline.pause?.())
    known.set(timeline, { sought: undefined, end })
  }

  const find = () => {
    for (const [name, timeline] of registered()) if (!known.has(timeline)) meet(name, timeline)
    return known.size
  }

  return {
    /** Takes notice of what is registered; tells how many there are. */
    find,
    /**
     * Seeks all that are registered by now to a time, s; past its end a timeline keeps its last state. Tells
     * whether all stand at their ends.
     *
     * @param {number} seconds
     */
    async seek(seconds) {
      find()
      let ended = true
      for (const [timeline, state] of known) {
        const at = Math.min(seconds, state.end ?? Infinity)
        if (at !== state.sought) {
          const answer = attempt(() =>
            typeof timeline.totalTime === 'function' ? timeline.totalTime(at, false) : timeline.seek?.(at),
          )
          if (isPromise(answer)) await answer
        }
        state.sought = at
        ended &&= state.end !== undefined && seconds >= state.end
      }
      return ended
    },
  }
}

/** @returns {[string, Timeline][]} */
function registered() {
  const all = /** @type {unknown} */ (Reflect.get(window, '__timelines'))
  if (typeof all !== 'object' || all === null) return []
  return Object.entries(all).filter(([, one]) => typeof one === 'object' && one !== null)
}

/** @param {Timeline} timeline */
function durationOf(timeline) {
  const given = timeline.totalDuration ?? timeline.duration
  return typeof given === 'function' ? given.call(timeline) : given
}
