import { replace } from './natives.js'

/**
 * Replaces what takes the present moment where it is given none, beside `Date` itself.
 *
 * @param {() => number} now ms since 1970
 */
export function tellPresent(now) {
  tellIntl(now)
  if ('Temporal' in window) tellTemporal(now)
}

/** @param {() => number} now */
function tellIntl(now) {
  const { prototype } = Intl.DateTimeFormat
  const { formatToParts } = prototype
  const format = Object.getOwnPropertyDescriptor(prototype, 'format')
  replace(prototype, {
    /** @this {Intl.DateTimeFormat} */
    formatToParts(given = now()) {
      return formatToParts.call(this, given)
    },
  })
  Object.defineProperty(prototype, 'format', {
    ...format,
    /** @this {Intl.DateTimeFormat} */
    get() {
      const native = /** @type {(date: unknown) => string} */ (format?.get?.call(this))
      return (/** @type {unknown} */ given = now()) => native(given)
    },
  })
}

/** @param {() => number} now */
function tellTemporal(now) {
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
