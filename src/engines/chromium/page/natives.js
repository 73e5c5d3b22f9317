/** Native functions, captured before the particle can replace them. */
const port = MessagePort.prototype
const { postMessage } = port
const nativeReportError = reportError
const nativeSetTimeout = setTimeout
const nativeClearTimeout = clearTimeout
const nativePerformance = performance
const { now: nativeNow } = Performance.prototype
const OwnPromise = Promise
export const { addEventListener: listen } = EventTarget.prototype

/** @type {(() => void)[]} */
const pendingTasks = []
const channel = new MessageChannel()
channel.port1.addEventListener('message', () => pendingTasks.shift()?.())
channel.port1.start()

/** Resolves in a later task, after all pending promises and messages. */
export function nextTask() {
  return new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
    pendingTasks.push(() => resolve())
    postMessage.call(channel.port2, 0)
  })
}

/** Returns the real time in ms since an arbitrary origin. */
export function realTime() {
  return nativeNow.call(nativePerformance)
}

/**
 * Waits for work, at most `ms` milliseconds of real time.
 *
 * @param {Promise<unknown>} work
 * @param {number} ms
 */
export async function waitAtMost(work, ms) {
  let timer = 0
  const late = new Promise((/** @type {(value?: undefined) => void} */ resolve) => {
    timer = nativeSetTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  nativeClearTimeout(timer)
}

/**
 * Whether a value is a native promise. Other thenables are not awaited: a GSAP timeline calls `then` only at its end.
 *
 * @param {unknown} value
 * @returns {value is Promise<unknown>}
 */
export function isPromise(value) {
  return value instanceof OwnPromise
}

/**
 * Calls a callback of the particle. Reports its exception as an error of the page, with the line, and returns undefined.
 *
 * @template T
 * @param {() => T} call
 * @returns {T | undefined}
 */
export function callSafely(call) {
  try {
    return call()
  } catch (error) {
    nativeReportError(error)
    return undefined
  }
}

/**
 * Redefines properties of an object. They stay writable and configurable.
 *
 * @param {object} target
 * @param {Readonly<Record<string, unknown>>} properties
 */
export function replace(target, properties) {
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true })
  }
}

/**
 * Wraps native methods, if they exist. The table lists method names by class, or by global object.
 *
 * @param {Readonly<Record<string, readonly string[]>>} table
 * @param {(native: Function, name: string) => Function} around
 */
export function wrapNatives(table, around) {
  for (const [owner, names] of Object.entries(table)) {
    const found = /** @type {unknown} */ (Reflect.get(window, owner))
    const target = typeof found === 'function' ? /** @type {unknown} */ (found.prototype) : found
    if (typeof target === 'object' && target !== null) wrapMethods(target, names, around)
  }
}

/**
 * Wraps those of the named methods that an object has.
 *
 * @param {object} target
 * @param {readonly string[]} names
 * @param {(native: Function, name: string) => Function} around
 */
export function wrapMethods(target, names, around) {
  for (const name of names) {
    const native = /** @type {unknown} */ (Reflect.get(target, name))
    if (typeof native === 'function') replace(target, { [name]: around(native, name) })
  }
}

/**
 * Replaces the getter of a property of a prototype.
 *
 * @template {object} T
 * @param {T} prototype
 * @param {string} name
 * @param {(one: T) => unknown} get
 */
export function replaceGetter(prototype, name, get) {
  Object.defineProperty(prototype, name, {
    configurable: true,
    /** @this {T} */
    get() {
      return get(this)
    },
  })
}
