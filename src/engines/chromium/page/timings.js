import { replace, replaceGetter, surround } from './natives.js'

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
  replaceGetter(Document.prototype, 'lastModified', () => `${date} ${clock}`)
  const native = Object.getOwnPropertyDescriptor(File.prototype, 'lastModified')
  replaceGetter(File.prototype, 'lastModified', (file) => {
    const told = Number(native?.get?.call(file))
    // No script knows the real time, so that what is later was not given by one.
    return Math.min(told, epoch)
  })
  tellMarks(time, tellLoading(epoch))
}

/**
 * Has the page have loaded at the beginning, of which there are no entries.
 *
 * @param {number} epoch
 * @returns {ReadonlySet<unknown>} names of the steps of loading
 */
function tellLoading(epoch) {
  const steps = Object.keys(/** @type {object} */ (performance.timing.toJSON()))
  const timing = Object.freeze(Object.fromEntries(steps.map((name) => [name, epoch])))
  replaceGetter(Performance.prototype, 'timing', () => timing)
  replaceGetter(Performance.prototype, 'timeOrigin', () => epoch)
  replace(Performance.prototype, { toJSON: () => ({ timeOrigin: epoch, timing }) })
  const own = new Set(['mark', 'measure'])
  surround(
    { Performance: ['getEntries', 'getEntriesByName', 'getEntriesByType'] },
    (get) =>
      /** @this {Performance} @param {unknown[]} given */
      function (...given) {
        const entries = /** @type {PerformanceEntryList} */ (Reflect.apply(get, this, given))
        return entries.filter(({ entryType }) => own.has(entryType))
      },
  )
  return new Set(steps)
}

/** @param {{ now: number }} time @param {ReadonlySet<unknown>} loading */
function tellMarks(time, loading) {
  const { mark, measure } = Performance.prototype
  /** @param {PerformanceMarkOptions} [given] */
  const begun = (given) => ({ ...given, startTime: given?.startTime ?? time.now })
  /** @param {string | number | undefined} moment */
  const told = (moment) => (loading.has(moment) ? 0 : moment)
  replace(window, {
    PerformanceMark: new Proxy(PerformanceMark, {
      construct: (target, [name, given], made) => Reflect.construct(target, [name, begun(given)], made),
    }),
  })
  replace(PerformanceMark.prototype, { constructor: PerformanceMark })
  replace(Performance.prototype, {
    /** @this {Performance} @param {string} name @param {PerformanceMarkOptions} [given] */
    mark(name, given) {
      return mark.call(this, name, begun(given))
    },
    /** @this {Performance} @param {string} name @param {string | PerformanceMeasureOptions} [from] @param {string} [to] */
    measure(name, from, to) {
      const isTable = typeof from === 'object'
      const given = isTable ? { ...from } : { start: from, end: to }
      const { start, end, duration, detail } = given
      // Whatever has no ends although it must is left so, for the browser to refuse.
      const isOpen = end === undefined && duration === undefined
      const toNow = isOpen && (start !== undefined || detail === undefined)
      const whole = { ...given, start: told(start), end: toNow ? time.now : told(end) }
      return measure.call(this, name, whole, isTable ? to : undefined)
    },
  })
}
