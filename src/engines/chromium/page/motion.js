import { makeDrawings } from './drawings.js'
import { replace } from './natives.js'

/**
 * @typedef {object} Held An animation that this clock drives.
 * @property {number} at its own time, ms
 * @property {boolean} fresh it begins with the next frame
 * @property {boolean} ours it is paused by us, so that only we move it
 * @property {boolean} done
 */

const { finish, pause, play, reverse } = Animation.prototype
const timeProperty = Object.getOwnPropertyDescriptor(Animation.prototype, 'currentTime')
const startProperty = Object.getOwnPropertyDescriptor(Animation.prototype, 'startTime')
const timeOf = (/** @type {Animation} */ one) => Number(timeProperty?.get?.call(one) ?? 0)

/**
 * Drives what plays by itself: CSS animations and transitions, animations made by script, and those of SVG.
 * Each begins at time 0 of its own in the frame in which it appears.
 */
export function makeMotion() {
  /** @type {WeakMap<Animation, Held>} */
  const held = new WeakMap()
  /** @type {WeakSet<Animation>} */
  const stopped = new WeakSet()
  hearScript(held, stopped)
  const drawings = makeDrawings()
  return {
    /**
     * Moves on by so many ms; tells whether anything plays. By 0 it takes up what has begun since the last frame, so
     * that it began with that one.
     *
     * @param {number} ms
     */
    move(ms) {
      let playing = drawings.move(ms)
      for (const one of document.getAnimations()) {
        // Those that follow how far something is scrolled are moved by that.
        if (!(one.timeline instanceof DocumentTimeline)) continue
        const state = held.get(one) ?? { at: 0, fresh: true, ours: false, done: false }
        held.set(one, state)
        if (state.done) continue
        if (stopped.has(one) || (state.ours ? isStoppedByStyle(one) : one.playState === 'paused')) {
          if (!state.ours) state.at = timeOf(one)
          continue
        }
        step(one, state, ms)
        playing = true
      }
      return playing
    },
  }
}

/**
 * Follows what the particle's own script does with animations: those that it paused stay where it puts them.
 *
 * @param {WeakMap<Animation, Held>} held
 * @param {WeakSet<Animation>} stopped
 */
function hearScript(held, stopped) {
  const anew = (/** @type {Animation} */ one) => {
    stopped.delete(one)
    held.set(one, { at: timeOf(one), fresh: true, ours: false, done: false })
  }
  replace(Animation.prototype, {
    /** @this {Animation} */
    pause() {
      pause.call(this)
      stopped.add(this)
    },
    /** @this {Animation} */
    play() {
      play.call(this)
      anew(this)
    },
    /** @this {Animation} */
    reverse() {
      reverse.call(this)
      anew(this)
    },
  })
  Object.defineProperty(Animation.prototype, 'currentTime', {
    ...timeProperty,
    /** @this {Animation} @param {number | null} value */
    set(value) {
      timeProperty?.set?.call(this, value)
      held.set(this, { at: value ?? 0, fresh: true, ours: held.get(this)?.ours ?? false, done: false })
    },
  })
  hideStart((one) => {
    play.call(one)
    anew(one)
  })
}

/**
 * Has animations begin at no time, as paused ones do; one that is given a beginning is where it would be by now.
 *
 * @param {(one: Animation) => void} begin
 */
function hideStart(begin) {
  Object.defineProperty(Animation.prototype, 'startTime', {
    ...startProperty,
    /** @this {Animation} @returns {unknown} */
    get() {
      return this.timeline instanceof DocumentTimeline ? null : startProperty?.get?.call(this)
    },
    /** @this {Animation} @param {CSSNumberish | null} value */
    set(value) {
      if (typeof value !== 'number' || !(this.timeline instanceof DocumentTimeline)) {
        startProperty?.set?.call(this, value)
      } else {
        begin(this)
        this.currentTime = (Number(document.timeline.currentTime) - value) * this.playbackRate
      }
    },
  })
}

/** @param {Animation} one @param {Held} state @param {number} ms */
function step(one, state, ms) {
  if (ms === 0 && !state.fresh) return
  if (!state.fresh) state.at += ms * one.playbackRate
  state.fresh = false
  const end = Number(one.effect?.getComputedTiming().endTime ?? 0)
  state.done = one.playbackRate > 0 ? state.at >= end : one.playbackRate < 0 && state.at <= 0
  // Its end is an event that others may wait for; from there on it is paused no more.
  if (state.done) finish.call(one)
  else {
    if (!state.ours) pause.call(one)
    timeProperty?.set?.call(one, state.at)
  }
  state.ours = !state.done
}

/** @param {Animation} one */
function isStoppedByStyle(one) {
  if (!(one instanceof CSSAnimation) || !(one.effect instanceof KeyframeEffect) || !one.effect.target)
    return false
  const style = getComputedStyle(one.effect.target, one.effect.pseudoElement)
  const states = style.animationPlayState.split(', ')
  const index = style.animationName.split(', ').indexOf(one.animationName)
  return index >= 0 && states[index % states.length] === 'paused'
}
