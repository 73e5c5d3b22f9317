import { replace } from './natives.js'

/** Time of an SVG document at which its finite animations have ended, s. */
const svgEndSeconds = 3600

/** @param {Element} element */
function isEndless(element) {
  return ['repeatCount', 'repeatDur'].some((name) => element.getAttribute(name) === 'indefinite')
}

/** @param {Element} element */
function endWithFirstIteration(element) {
  element.removeAttribute('repeatDur')
  element.setAttribute('repeatCount', '1')
  element.setAttribute('fill', 'freeze')
}

/** Drives SVG animation elements. */
function createSvgAnimations() {
  const kinds = ['animate', 'animateTransform', 'animateMotion', 'set'].map((name) =>
    document.getElementsByTagNameNS('http://www.w3.org/2000/svg', name),
  )
  /** @type {WeakMap<SVGSVGElement, number>} */
  const times = new WeakMap()
  const elements = () => kinds.flatMap((some) => [...some])
  const findSvgs = () => new Set(elements().flatMap((one) => outermostSvg(one) ?? []))
  return {
    /** @param {number} ms */
    move(ms) {
      const svgs = findSvgs()
      for (const svg of svgs) {
        const before = times.get(svg)
        const at = before === undefined ? 0 : before + ms
        svg.pauseAnimations()
        svg.setCurrentTime(at / 1000)
        times.set(svg, at)
      }
      return svgs.size > 0
    },
    /** Shows every animation at its end. Returns whether any was not there yet. */
    end() {
      const endless = elements().filter((one) => isEndless(one))
      for (const one of endless) endWithFirstIteration(one)
      const moving = [...findSvgs()].filter((svg) => times.get(svg) !== svgEndSeconds * 1000)
      for (const svg of moving) {
        svg.pauseAnimations()
        svg.setCurrentTime(svgEndSeconds)
        times.set(svg, svgEndSeconds * 1000)
      }
      return endless.length + moving.length > 0
    },
  }
}

/** @param {Element} element */
function outermostSvg(element) {
  let found
  for (let at = element.closest('svg'); at; at = at.parentElement?.closest('svg') ?? null) found = at
  return found
}

/**
 * @typedef {object} AnimationState State of an animation driven by this clock.
 * @property {number} at its own time, ms
 * @property {boolean} fresh it begins with the next frame
 * @property {boolean} pausedByUs this clock paused it and is the only one to move it
 * @property {boolean} done
 */

const { finish, pause, play, reverse } = Animation.prototype
const { updateTiming } = AnimationEffect.prototype
const timeProperty = Object.getOwnPropertyDescriptor(Animation.prototype, 'currentTime')
const startProperty = Object.getOwnPropertyDescriptor(Animation.prototype, 'startTime')
const timeOf = (/** @type {Animation} */ one) => Number(timeProperty?.get?.call(one) ?? 0)

/** Most times per frame that new animations are ended: the end of one may start the next, forever. */
const maxEndsPerFrame = 8

/**
 * Drives CSS animations and transitions, script animations and SVG animations. Each starts at its time 0 in the frame
 * in which it appears. While `isAtRest` returns true, each is shown at its end instead.
 *
 * @param {() => boolean} isAtRest
 */
export function createAnimations(isAtRest) {
  /** @type {WeakMap<Animation, AnimationState>} */
  const states = new WeakMap()
  /** @type {WeakSet<Animation>} */
  const stopped = new WeakSet()
  trackScriptCalls(states, stopped)
  const svgAnimations = createSvgAnimations()
  let endsInFrame = 0
  return {
    /** Call at the start of each frame. */
    startFrame() {
      endsInFrame = 0
    },
    /**
     * Advances by `ms` milliseconds and returns whether anything plays. 0 registers animations that appeared since the last
     * frame, so that they start with that frame.
     *
     * @param {number} ms
     */
    move(ms) {
      const ends = isAtRest()
      let playing = ends ? svgAnimations.end() : svgAnimations.move(ms)
      const mayEnd = endsInFrame < maxEndsPerFrame
      for (const one of document.getAnimations()) {
        // Scroll-driven animations follow their scroll position.
        if (!(one.timeline instanceof DocumentTimeline)) continue
        if (ends && !mayEnd) continue
        const state = states.get(one) ?? { at: 0, fresh: true, pausedByUs: false, done: false }
        states.set(one, state)
        if (state.done) continue
        if (stopped.has(one) || (state.pausedByUs ? isStoppedByStyle(one) : one.playState === 'paused')) {
          if (!state.pausedByUs) state.at = timeOf(one)
          continue
        }
        if (ends) moveToEnd(one, state)
        else step(one, state, ms)
        playing = true
      }
      if (ends && playing) endsInFrame += 1
      return playing
    },
  }
}

/**
 * Tracks calls of the particle's scripts: animations that they pause stay where the scripts put them.
 *
 * @param {WeakMap<Animation, AnimationState>} states
 * @param {WeakSet<Animation>} stopped
 */
function trackScriptCalls(states, stopped) {
  const restart = (/** @type {Animation} */ one) => {
    stopped.delete(one)
    states.set(one, { at: timeOf(one), fresh: true, pausedByUs: false, done: false })
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
      restart(this)
    },
    /** @this {Animation} */
    reverse() {
      reverse.call(this)
      restart(this)
    },
  })
  Object.defineProperty(Animation.prototype, 'currentTime', {
    ...timeProperty,
    /** @this {Animation} @param {number | null} value */
    set(value) {
      timeProperty?.set?.call(this, value)
      states.set(this, {
        at: value ?? 0,
        fresh: true,
        pausedByUs: states.get(this)?.pausedByUs ?? false,
        done: false,
      })
    },
  })
  hideStartTime((one) => {
    play.call(one)
    restart(one)
  })
}

/**
 * Hides start times, as for paused animations. Setting a start time moves the animation to where it would be now.
 *
 * @param {(one: Animation) => void} begin
 */
function hideStartTime(begin) {
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

/** @param {Animation} one @param {AnimationState} state @param {number} ms */
function step(one, state, ms) {
  if (ms === 0 && !state.fresh) return
  if (!state.fresh) state.at += ms * one.playbackRate
  state.fresh = false
  const end = Number(one.effect?.getComputedTiming().endTime ?? 0)
  state.done = one.playbackRate > 0 ? state.at >= end : one.playbackRate < 0 && state.at <= 0
  // The end triggers an event that scripts may await, so the animation is finished, not paused.
  if (state.done) finish.call(one)
  else {
    if (!state.pausedByUs) pause.call(one)
    timeProperty?.set?.call(one, state.at)
  }
  state.pausedByUs = !state.done
}

/**
 * Moves an animation to its end. An endless one ends with its first iteration; one without an end stays at its start.
 *
 * @param {Animation} one @param {AnimationState} state
 */
function moveToEnd(one, state) {
  const { effect, playbackRate } = one
  const hasFiniteEnd = () => effect?.getComputedTiming().endTime !== Infinity
  if (effect && playbackRate > 0 && !hasFiniteEnd())
    updateTiming.call(effect, { iterations: 1, fill: 'forwards' })
  const hasEnd = playbackRate < 0 || (playbackRate > 0 && hasFiniteEnd())
  if (hasEnd) finish.call(one)
  else pause.call(one)
  Object.assign(state, { fresh: false, pausedByUs: !hasEnd, done: true })
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
