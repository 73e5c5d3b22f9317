import { replace, replaceGetter, wrapNatives } from './natives.js'

/**
 * Makes Intl and Temporal use this clock where they would read the current time.
 *
 * @param {() => number} now ms since 1970
 */
export function overrideCurrentTime(now) {
  overrideIntl(now)
  if ('Temporal' in window) overrideTemporal(now)
}

/** @param {() => number} now */
function overrideIntl(now) {
  const { prototype } = Intl.DateTimeFormat
  const { formatToParts } = prototype
  const format = Object.getOwnPropertyDescriptor(prototype, 'format')
  replace(prototype, {
    /** @this {Intl.DateTimeFormat} */
    formatToParts(date = now()) {
      return formatToParts.call(this, date)
    },
  })
  Object.defineProperty(prototype, 'format', {
    ...format,
    /** @this {Intl.DateTimeFormat} */
    get() {
      const native = /** @type {(date: unknown) => string} */ (format?.get?.call(this))
      return (/** @type {unknown} */ date = now()) => native(date)
    },
  })
}

/** @param {() => number} now */
function overrideTemporal(now) {
  const { Now, Instant } = Temporal
  const zoned = (/** @type {string} */ zone = Now.timeZoneId()) =>
    Instant.fromEpochMilliseconds(now()).toZonedDateTimeISO(zone)
  replace(Now, {
    instant: () => zoned().toInstant(),
    zonedDateTimeISO: zoned,
    plainDateTimeISO: (/** @type {string | undefined} */ zone) => zoned(zone).toPlainDateTime(),
    plainDateISO: (/** @type {string | undefined} */ zone) => zoned(zone).toPlainDate(),
    plainTimeISO: (/** @type {string | undefined} */ zone) => zoned(zone).toPlainTime(),
  })
}

/**
 * Makes creation times report the start time, and performance marks the current time of this clock.
 *
 * @param {{ now: number }} time ms since the start
 * @param {number} epoch time of the start, ms since 1970
 */
export function overrideTimings(time, epoch) {
  const modified = new Date(epoch)
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0')
  const date = [modified.getMonth() + 1, modified.getDate(), modified.getFullYear()].map(two).join('/')
  const clock = [modified.getHours(), modified.getMinutes(), modified.getSeconds()].map(two).join(':')
  replaceGetter(Document.prototype, 'lastModified', () => `${date} ${clock}`)
  const native = Object.getOwnPropertyDescriptor(File.prototype, 'lastModified')
  replaceGetter(File.prototype, 'lastModified', (file) => {
    const mapped = Number(native?.get?.call(file))
    // Scripts do not know the real time, so a later time was not set by a script.
    return Math.min(mapped, epoch)
  })
  overrideMarks(time, overrideLoadTimings(epoch))
}

/**
 * Makes every step of page loading report the start time, and hides its performance entries.
 *
 * @param {number} epoch
 * @returns {ReadonlySet<unknown>} names of the steps of loading
 */
function overrideLoadTimings(epoch) {
  const steps = Object.keys(/** @type {object} */ (performance.timing.toJSON()))
  const timing = Object.freeze(Object.fromEntries(steps.map((name) => [name, epoch])))
  replaceGetter(Performance.prototype, 'timing', () => timing)
  replaceGetter(Performance.prototype, 'timeOrigin', () => epoch)
  replace(Performance.prototype, { toJSON: () => ({ timeOrigin: epoch, timing }) })
  const own = new Set(['mark', 'measure'])
  wrapNatives(
    { Performance: ['getEntries', 'getEntriesByName', 'getEntriesByType'] },
    (get) =>
      /** @this {Performance} @param {unknown[]} args */
      function (...args) {
        const entries = /** @type {PerformanceEntryList} */ (Reflect.apply(get, this, args))
        return entries.filter(({ entryType }) => own.has(entryType))
      },
  )
  return new Set(steps)
}

/** @param {{ now: number }} time @param {ReadonlySet<unknown>} loading */
function overrideMarks(time, loading) {
  const { mark, measure } = Performance.prototype
  /** @param {PerformanceMarkOptions} [options] */
  const withStartTime = (options) => ({ ...options, startTime: options?.startTime ?? time.now })
  /** @param {string | number | undefined} moment */
  const mapped = (moment) => (loading.has(moment) ? 0 : moment)
  replace(window, {
    PerformanceMark: new Proxy(PerformanceMark, {
      construct: (target, [name, options], newTarget) =>
        Reflect.construct(target, [name, withStartTime(options)], newTarget),
    }),
  })
  replace(PerformanceMark.prototype, { constructor: PerformanceMark })
  replace(Performance.prototype, {
    /** @this {Performance} @param {string} name @param {PerformanceMarkOptions} [options] */
    mark(name, options) {
      return mark.call(this, name, withStartTime(options))
    },
    /** @this {Performance} @param {string} name @param {string | PerformanceMeasureOptions} [from] @param {string} [to] */
    measure(name, from, to) {
      const hasOptions = typeof from === 'object'
      const options = hasOptions ? { ...from } : { start: from, end: to }
      const { start, end, duration, detail } = options
      // Invalid arguments are passed on, for the browser to reject.
      const isOpen = end === undefined && duration === undefined
      const toNow = isOpen && (start !== undefined || detail === undefined)
      const complete = { ...options, start: mapped(start), end: toNow ? time.now : mapped(end) }
      return measure.call(this, name, complete, hasOptions ? to : undefined)
    },
  })
}
