/** What this frame needs of the browser as it was before the particle could change it. */
const port = MessagePort.prototype
const { postMessage } = port
const report = reportError
const waitNatively = setTimeout
const stopNatively = clearTimeout
const clockOfBrowser = performance
const { now: nowNatively } = Performance.prototype
const OwnPromise = Promise
export const { addEventListener: listen } = EventTarget.prototype

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

/** Real time, ms, from any moment on. */
export function realTime() {
  return nowNatively.call(clockOfBrowser)
}

/**
 * Waits for work, but no longer than so many real milliseconds.
 *
 * @param {Promise<unknown>} work
 * @param {number} ms
 */
export async function within(work, ms) {
  let timer = 0
  const late = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
    timer = waitNatively(resolve, ms)
  })
  await Promise.race([work, late])
  stopNatively(timer)
}

/**
 * Tells a promise, for which one can wait, from what only looks like one: a timeline of GSAP has a `then` too, which
 * only calls at its end.
 *
 * @param {unknown} value
 * @returns {value is Promise<unknown>}
 */
export function isPromise(value) {
  return value instanceof OwnPromise
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
