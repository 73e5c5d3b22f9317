import { createAnimations } from './animations.js'
import { createBackdropUses } from './backdrop.js'
import { createClock } from './clock.js'
import { createDrawEvents } from './draw-events.js'
import { realTime, replace } from './natives.js'
import { createPendingWork } from './pending.js'
import { createProblemLog } from './problems.js'
import { createTimelines } from './timelines.js'

/** Replaces random numbers by a sequence seeded with the frame's name, which is that of its particle. */
function seedRandom() {
  let state = 2_166_136_261
  for (const character of window.name) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619)
  // mulberry32
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  replace(Math, { random })
  replace(Crypto.prototype, {
    getRandomValues: (/** @type {Uint8Array} */ array) => {
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
      for (let at = 0; at < bytes.length; at += 1) bytes[at] = random() * 256
      return array
    },
  })
}

/** Real time in ms after which `advance` returns early: a longer silence would count as a hang. */
const batchMs = 1000

/**
 * Takes control of this frame: its random numbers, time, work, animations and problems.
 *
 * @param {number} settleMs longest real time that a frame waits for pending work
 */
function takeControl(settleMs) {
  seedRandom()
  const pending = createPendingWork(settleMs)
  const problemLog = createProblemLog(pending.awaitImage)
  const drawEvents = createDrawEvents(problemLog.report)
  const backdrop = createBackdropUses()
  const settle = () => pending.settle(problemLog.report)
  const clock = createClock(settle)
  const timelines = createTimelines(problemLog.report)
  const animations = createAnimations(() => timelines.findAll() === 0)
  return { pending, problemLog, drawEvents, backdrop, settle, clock, timelines, animations }
}

/**
 * Returns a function that plays the next frame, at a time in s.
 *
 * @param {ReturnType<typeof takeControl>} controls
 */
function createFramePlayer({
  pending,
  problemLog,
  drawEvents,
  backdrop,
  settle,
  clock,
  timelines,
  animations,
}) {
  let at = 0
  let still = false
  return async (/** @type {number} */ seconds) => {
    const ms = seconds * 1000
    animations.startFrame()
    animations.move(0)
    await clock.moveTo(ms)
    clock.runFrame()
    const ended = await timelines.seek(seconds)
    pending.awaitFonts()
    await settle()
    const playing = animations.move(ms - at)
    // Scripts may learn of starts and ends without a draw.
    if (playing) await settle()
    at = ms
    const before = still
    still = ended && !playing && clock.isIdle() && !problemLog.usesMessages()
    const needsDraw = playing || drawEvents.isListening()
    return { needsDraw, still: still && before, uses: backdrop.take() }
  }
}

/**
 * Creates the player of this frame's particle, which the engine calls.
 *
 * @param {number} settleMs longest real time that a frame waits for pending work
 */
export function makePlayer(settleMs) {
  const controls = takeControl(settleMs)
  const { pending, problemLog, drawEvents, backdrop, settle, clock, timelines, animations } = controls
  const play = createFramePlayer(controls)
  return {
    /**
     * Waits until the particle has loaded. Returns its problems, its uses of what is behind it, whether it registers a
     * timeline, and whether the page must be drawn before playing.
     */
    async ready() {
      pending.awaitFonts()
      await settle()
      await clock.moveTo(0)
      drawEvents.checkStyles()
      const hasTimeline = timelines.findAll() > 0
      const uses = backdrop.take()
      return { needsDraw: drawEvents.isListening(), hasTimeline, uses, problems: problemLog.take() }
    },
    /**
     * Plays times in s, for about a second of real time. Stops when the page must be drawn to deliver drawing events.
     * Returns how many times were played, whether the picture no longer changes, and uses of what is behind the particle.
     *
     * @param {readonly number[]} times
     */
    async advance(times) {
      return { ...(await playTimes(play, times)), problems: problemLog.take() }
    },
    /**
     * Called after a draw: waits for the work its events started and registers new animations. Returns whether the page
     * must be drawn again.
     */
    async drawn() {
      await settle()
      animations.move(0)
      return { needsDraw: drawEvents.isUnsettled(), problems: problemLog.take() }
    },
  }
}

/**
 * @typedef {object} FrameState State after a frame was played.
 * @property {boolean} needsDraw
 * @property {boolean} still
 * @property {import('./backdrop.js').BackdropUse[]} uses
 */

/**
 * @param {(time: number) => Promise<FrameState>} play
 * @param {readonly number[]} times
 */
async function playTimes(play, times) {
  const latest = realTime() + batchMs
  let done = 0
  let state = { needsDraw: false, still: false }
  const allUses = []
  for (const time of times) {
    const { uses, ...played } = await play(time)
    state = played
    allUses.push(...uses)
    done += 1
    if (state.needsDraw || realTime() > latest) break
  }
  return { done, ...state, uses: allUses }
}
