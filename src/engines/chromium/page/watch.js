import { look } from './elements.js'
import { hearErrors } from './errors.js'
import { surround } from './natives.js'
import { refuse } from './refuse.js'

/** More than a picture needs; each frame would take seconds. */
const mostElements = 5000

/** Enough to correct a particle by. */
const mostProblems = 20

/** As long as a sentence may be. */
const mostCharacters = 300

/** Ways of a page to go on by itself, which no clock drives. */
const selfDriven = {
  window: ['postMessage'],
  MessagePort: ['postMessage'],
}

/**
 * Hears of all that goes wrong in this frame, and of what would leave it or cannot be played frame by frame.
 *
 * @param {(image: HTMLImageElement) => void} meet hears of images that load
 */
export function makeWatch(meet) {
  /** @type {Map<string, number | undefined>} */
  const problems = new Map()
  const tell = (/** @type {string} */ text, /** @type {number} */ line = 0) => {
    const message = text.slice(0, mostCharacters)
    if (problems.size < mostProblems && !problems.has(message)) problems.set(message, line || undefined)
  }
  hearErrors(tell)
  refuse(tell)
  look(tell, meet)
  const elements = document.getElementsByTagName('*')

  return {
    tell,
    /** Whether it may change without any clock. */
    isRestless: uses(selfDriven),
    /** What was told since the last time. */
    take() {
      if (elements.length > mostElements) {
        tell(`has ${elements.length} elements; at most ${mostElements} can be drawn`)
      }
      const taken = [...problems].map(([message, line]) => ({ message, line }))
      problems.clear()
      return taken
    },
  }
}

/**
 * Tells whether a native of a table was ever used.
 *
 * @param {Readonly<Record<string, readonly string[]>>} table
 */
function uses(table) {
  let used = false
  surround(
    table,
    (native) =>
      /** @this {unknown} @param {unknown[]} given */
      function (...given) {
        used = true
        return /** @type {unknown} */ (Reflect.apply(native, this, given))
      },
  )
  return () => used
}
