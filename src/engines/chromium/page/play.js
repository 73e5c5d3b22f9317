import { tameChance } from './chance.js'
import { makeClock } from './clock.js'
import { makeHearing } from './hearing.js'
import { makeMotion } from './motion.js'
import { makePending } from './pending.js'
import { realTime } from './pristine.js'
import { makeTimelines } from './timelines.js'
import { makeWatch } from './watch.js'

/** Real time that frames are played for without an answer, ms: what answers nothing for long is taken for a hang. */
const questionMs = 1000

const noTimeline = 'no timeline is registered on window.__timelines, so that it cannot be played'

/**
 * Plays the particle of this frame: what the engine calls.
 *
 * @param {number} settleMs real time that a frame waits for what was begun
 */
export function makePlayer(settleMs) {
  tameChance()
  const pending = makePending(settleMs)
  const watch = makeWatch(pending.meet)
  const hearing = makeHearing(watch.tell)
  const rest = () => pending.rest(watch.tell)
  const clock = makeClock(rest)
  const motion = makeMotion()
  const timelines = makeTimelines(watch.tell)
  let at = 0
  let still = false

  const play = async (/** @type {number} */ seconds) => {
    const ms = seconds * 1000
    motion.move(0)
    await clock.moveTo(ms)
    clock.runFrame()
    const ended = await timelines.seek(seconds)
    pending.meetFonts()
    await rest()
    const playing = motion.move(ms - at)
    // Of ends and beginnings a script may hear without a drawing.
    if (playing) await rest()
    at = ms
    const before = still
    still = ended && !playing && clock.isIdle() && !watch.isRestless()
    return { turn: playing || hearing.isHearing(), still: still && before }
  }

  return {
    /** Waits until it has loaded; answers what is wrong with it, and whether it must be drawn before it is played. */
    async ready() {
      pending.meetFonts()
      await rest()
      await clock.moveTo(0)
      hearing.meetStyles()
      if (timelines.find() === 0) watch.tell(noTimeline)
      return { again: hearing.isHearing(), problems: watch.take() }
    },
    /**
     * Plays through times, s, as far as it comes in about a second. Stops where a frame must be drawn, as what plays
     * or listens is told then; answers how many it played, and whether nothing changes any more.
     *
     * @param {readonly number[]} times
     */
    async advance(times) {
      return { ...(await playOn(play, times)), problems: watch.take() }
    },
    /**
     * After a frame was drawn: what its events began is waited for, and stands at its beginning. Answers whether it
     * must be drawn again.
     */
    async drawn() {
      await rest()
      motion.move(0)
      return { again: hearing.isUnsettled(), problems: watch.take() }
    },
  }
}

/**
 * @param {(time: number) => Promise<{ turn: boolean, still: boolean }>} play
 * @param {readonly number[]} times
 */
async function playOn(play, times) {
  const latest = realTime() + questionMs
  let done = 0
  let state = { turn: false, still: false }
  for (const time of times) {
    state = await play(time)
    done += 1
    if (state.turn || realTime() > latest) break
  }
  return { done, ...state }
}
