import { replace } from './natives.js'

/**
 * Has what tells when something was made tell of the time at the beginning or, of marks, of now.
 *
 * @param {{ now: number }} time ms since the beginning
 * @param {number} epoch what time that was, ms since 1970
 */
export function tellTimings(time, epoch) {
  const modified = new Date(epoch)
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0')
  const date = [modified.getMonth() + 1, modified.getDate(), modified.getFullYear()].map(two).join('/')
  const clock = [modified.getHours(), modified.getMinutes(), modified.getSeconds()].map(two).join(':')
  tell(Document.prototype, 'lastModified', () => `${date} ${clock}`)
  const native = Object.getOwnPropertyDescriptor(File.prototype, 'lastModified')
  tell(File.prototype, 'lastModified', (file) => {
    const told = Number(native?.get?.call(file))
    // No script knows the real time, so that what is later was not given by one.
    return Math.min(told, epoch)
  })
  const loading = Object.keys(/** @type {object} */ (performance.timing.toJSON()))
  const timing = Object.freeze(Object.fromEntries(loading.map((name) => [name, epoch])))
  tell(Performance.prototype, 'timing', () => timing)
  tellMarks(time)
}

/** @param {{ now: number }} time */
function tellMarks(time) {
  const { mark, measure } = Performance.prototype
  replace(Performance.prototype, {
    /** @this {Performance} @param {string} name @param {PerformanceMarkOptions} [given] */
    mark(name, given) {
      return mark.call(this, name, { ...given, startTime: given?.startTime ?? time.now })
    },
    /** @this {Performance} @param {string} name @param {string | PerformanceMeasureOptions} [from] @param {string} [to] */
    measure(name, from, to) {
      const given = typeof from === 'object' ? from : { ...(from !== undefined && { start: from }), end: to }
      const isWhole = given.end !== undefined || (given.start !== undefined && given.duration !== undefined)
      return measure.call(this, name, isWhole ? given : { ...given, end: time.now })
    },
  })
}

/**
 * @template {object} T
 * @param {T} prototype
 * @param {string} name
 * @param {(one: T) => unknown} get
 */
function tell(prototype, name, get) {
  Object.defineProperty(prototype, name, {
    configurable: true,
    /** @this {T} */
    get() {
      return get(this)
    },
  })
}
