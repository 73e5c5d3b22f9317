/** What this frame needs of the browser as it was before the particle could change it. */
const port = MessagePort.prototype
const { postMessage } = port
const report = reportError
const waitNatively = setTimeout
const OwnPromise = Promise

/** @type {(() => void)[]} */
const turns = []
const channel = new MessageChannel()
channel.port1.addEventListener('message', () => turns.shift()?.())
channel.port1.start()

/** Lets everything that waits for its turn (promises, messages) run first. */
export function turn() {
  return new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
    turns.push(() => resolve())
    postMessage.call(channel.port2, 0)
  })
}

/**
 * Waits for one of two: the work, or real milliseconds to pass; tells whether the work was first.
 *
 * @param {Promise<unknown>} work
 * @param {number} ms
 * @returns {Promise<boolean>}
 */
export function within(work, ms) {
  const late = new Promise((resolve) => waitNatively(() => resolve(false), ms))
  return Promise.race([work.then(() => true), late])
}

/**
 * Waits for a promise, and for nothing else: a timeline of GSAP has a `then` too, which only calls at its end.
 *
 * @param {unknown} value
 */
export async function arrived(value) {
  if (value instanceof OwnPromise) await value
}

/**
 * Calls what the particle gave; what it throws becomes an error of the page, with its line.
 *
 * @template T
 * @param {() => T} call
 * @returns {T | undefined}
 */
export function attempt(call) {
  try {
    return call()
  } catch (error) {
    report(error)
    return undefined
  }
}
