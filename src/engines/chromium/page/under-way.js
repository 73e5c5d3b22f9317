import { realTime, turn, within } from './pristine.js'

/** How often what tells of nothing is looked at, ms. */
const everyMs = 10

/** @typedef {{ readonly name: string, readonly isOver: () => boolean }} Work */

/**
 * What a frame waits for.
 *
 * @param {number} mostMs real time that a frame waits
 */
export function makeUnderWay(mostMs) {
  /** @type {Set<Work>} */
  const underWay = new Set()
  let wake = () => {}
  let patienceMs = mostMs
  return {
    add: (/** @type {Work} */ work) => void underWay.add(work),
    /** @param {string} name @param {Promise<unknown>} answer @param {Promise<void>} [before] */
    async follow(name, answer, before) {
      let over = false
      underWay.add({ name, isOver: () => over })
      try {
        await answer.catch(() => undefined)
        await before
        return await answer
      } finally {
        over = true
        wake()
      }
    },
    /**
     * Lets all run that waits for its turn, until nothing is under way; tells what does not end in time, the first
     * time: a particle that has such a thing is refused, and nothing of it is waited for any more.
     *
     * @param {(message: string) => void} tell
     */
    async rest(tell) {
      const latest = realTime() + patienceMs
      await turn()
      while (underWay.size > 0) {
        const [first] = underWay
        if (first && realTime() > latest) {
          if (patienceMs > 0) {
            tell(`${first.name} did not come to an end within ${mostMs / 1000} s, for which a frame waits`)
          }
          patienceMs = 0
          underWay.clear()
          return
        }
        const over = [...underWay].filter(({ isOver }) => isOver())
        for (const one of over) underWay.delete(one)
        const change = new Promise((/** @type {(value?: undefined) => void} */ resolve) => (wake = resolve))
        if (over.length === 0) await within(change, everyMs)
        await turn()
      }
    },
  }
}
