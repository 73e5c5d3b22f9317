import { createAnimations } from './animations.js'
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

const noTimeline = 'no timeline is registered on window.__timelines, so the particle cannot be played'

/**
 * Creates the player of this frame's particle, which the engine calls.
 *
 * @param {number} settleMs longest real time that a frame waits for pending work
 */
export function makePlayer(settleMs) {
  seedRandom()
  const pending = createPendingWork(settleMs)
  const problemLog = createProblemLog(pending.awaitImage)
  const drawEvents = createDrawEvents(problemLog.report)
  const settle = () => pending.settle(problemLog.report)
  const clock = createClock(settle)
  const animations = createAnimations()
  const timelines = createTimelines(problemLog.report)
  let at = 0
  let still = false

  const play = async (/** @type {number} */ seconds) => {
    const ms = seconds * 1000
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
    return { needsDraw: playing || drawEvents.isListening(), still: still && before }
  }

  return {
    /** Waits until the particle has loaded. Returns its problems and whether the page must be drawn before playing. */
    async ready() {
      pending.awaitFonts()
      await settle()
      await clock.moveTo(0)
      drawEvents.checkStyles()
      if (timelines.findAll() === 0) problemLog.report(noTimeline)
      return { needsDraw: drawEvents.isListening(), problems: problemLog.take() }
    },
    /**
     * Plays times in s, for about a second of real time. Stops when the page must be drawn to deliver drawing events.
     * Returns how many times were played and whether the picture no longer changes.
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
 * @param {(time: number) => Promise<{ needsDraw: boolean, still: boolean }>} play
 * @param {readonly number[]} times
 */
async function playTimes(play, times) {
  const latest = realTime() + batchMs
  let done = 0
  let state = { needsDraw: false, still: false }
  for (const time of times) {
    state = await play(time)
    done += 1
    if (state.needsDraw || realTime() > latest) break
  }
  return { done, ...state }
}
