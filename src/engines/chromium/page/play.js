import { makeClock, tameChance } from './clock.js'
import { makeMotion } from './motion.js'
import { turn, within } from './pristine.js'
import { makeTimelines } from './timelines.js'
import { makeWatch } from './watch.js'

/** Real time for fonts and images, which are all in the page, to be ready. */
const settleMs = 5000

const noTimeline = 'no timeline is registered on window.__timelines, so that it cannot be played'

/**
 * Plays the particle of this frame: what the engine calls.
 */
export function makePlayer() {
  tameChance()
  const watch = makeWatch()
  const clock = makeClock()
  const motion = makeMotion()
  const timelines = makeTimelines(watch.tell)
  let at = 0
  let still = false

  const settle = () => waitUntilSettled(watch.tell)

  const play = async (/** @type {number} */ seconds) => {
    const ms = seconds * 1000
    await clock.moveTo(ms)
    clock.runFrame()
    timelines.find()
    const ended = await timelines.seek(seconds)
    await turn()
    const playing = motion.move(ms - at)
    at = ms
    const before = still
    still = ended && !playing && clock.isIdle() && !watch.isRestless()
    return { playing, still: still && before }
  }

  return {
    /** Waits until it has loaded; answers what is wrong with it. */
    async ready() {
      await settle()
      await clock.moveTo(0)
      await turn()
      if (timelines.find() === 0) watch.tell(noTimeline)
      motion.move(0)
      return watch.take()
    },
    /**
     * Plays through times, s. Stops where events of what plays are only told as a frame is drawn, and at a problem;
     * tells how many it played, and whether nothing changes any more.
     *
     * @param {readonly number[]} times
     */
    async advance(times) {
      let done = 0
      let state = { playing: false, still: false }
      for (const time of times) {
        state = await play(time)
        done += 1
        if (state.playing) break
      }
      await settle()
      return { done, turn: state.playing, still: state.still, problems: watch.take() }
    },
    /** After a frame was drawn: what its events began is waited for. */
    async drawn() {
      await turn()
      await settle()
      return watch.take()
    },
  }
}

/** @param {(message: string) => void} tell */
async function waitUntilSettled(tell) {
  if (!(await within(settled(), settleMs))) tell('its fonts or images are not ready within 5 s')
}

async function settled() {
  // Fonts are only asked for once something is laid out with them.
  document.documentElement?.getBoundingClientRect()
  if (document.fonts.status === 'loading') await document.fonts.ready
  const loading = [...document.images].filter(({ complete }) => !complete)
  await Promise.all(loading.map(arrival))
}

/**
 * Waits until an image is there, or is known not to come.
 *
 * @param {HTMLImageElement} image
 */
function arrival(image) {
  return new Promise((resolve) => {
    for (const event of ['load', 'error']) image.addEventListener(event, resolve, { once: true })
  })
}
