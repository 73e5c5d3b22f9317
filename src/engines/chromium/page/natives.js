/**
 * @param {object} target
 * @param {Readonly<Record<string, unknown>>} properties
 */
export function replace(target, properties) {
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(target, name, { value, configurable: true, writable: true })
  }
}

/**
 * Puts a function around each native of a table, as far as it is there: names of methods by their class, or by the
 * object that has them.
 *
 * @param {Readonly<Record<string, readonly string[]>>} table
 * @param {(native: Function, name: string) => Function} around
 */
export function surround(table, around) {
  for (const [owner, names] of Object.entries(table)) {
    const found = /** @type {unknown} */ (Reflect.get(window, owner))
    const target = typeof found === 'function' ? /** @type {unknown} */ (found.prototype) : found
    if (typeof target === 'object' && target !== null) wrap(target, names, around)
  }
}

/**
 * Puts a function around each method of an object that it has.
 *
 * @param {object} target
 * @param {readonly string[]} names
 * @param {(native: Function, name: string) => Function} around
 */
export function wrap(target, names, around) {
  for (const name of names) {
    const native = /** @type {unknown} */ (Reflect.get(target, name))
    if (typeof native === 'function') replace(target, { [name]: around(native, name) })
  }
}

/**
 * Has a property of all that have a prototype tell something else.
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
