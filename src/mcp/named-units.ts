import { descriptionAt } from '../contract/suggest-fix.ts'
import type * as z from 'zod'
import { timeUnit } from './near-values.ts'

/** Units that names of arguments end with, by their spellings. */
const unitSpellings = {
  ms: ['ms', 'msec', 'millis', 'milliseconds'],
  s: ['s', 'sec', 'secs', 'seconds'],
  min: ['min', 'mins', 'minutes'],
  db: ['db', 'decibel', 'decibels'],
  px: ['px', 'pixels'],
  percent: ['percent', 'pct'],
  frames: ['frames'],
} as const

/** Unit of a number. */
export type NumberUnit = keyof typeof unitSpellings

/** Milliseconds in each unit of time. */
const milliseconds: Readonly<Partial<Record<NumberUnit, number>>> = { ms: 1, s: 1000, min: 60_000 }

/** A name without the unit at its end. */
interface NameWithUnit {
  readonly base: string
  readonly unit: NumberUnit
}

/** Splits the unit off a name such as start_ms or volumeDb; undefined for a name without one. */
export function splitUnit(name: string): NameWithUnit | undefined {
  const [, base, last] = /^(.+?)(?:[\s_-]+|(?<=[a-z\d])(?=[A-Z]))([A-Za-z]+)$/.exec(name) ?? []
  const entry = Object.entries(unitSpellings).find(([, spellings]) =>
    (spellings as readonly string[]).includes(last?.toLowerCase() ?? ''),
  )
  return base !== undefined && entry ? { base, unit: entry[0] as NumberUnit } : undefined
}

/** Unit of a field: that of its name, else that of the time in its description; undefined if neither states one. */
export function fieldUnit(object: z.ZodObject, field: string): NumberUnit | undefined {
  return splitUnit(field)?.unit ?? timeUnit(field, descriptionAt(object, [field]))
}

/** Whether numbers of one unit can be converted to the other. */
export function isConvertible(from: NumberUnit, to: NumberUnit | undefined): boolean {
  return (
    from === to || (milliseconds[from] !== undefined && to !== undefined && milliseconds[to] !== undefined)
  )
}

/** Converts numbers, and texts and lists of numbers, between units of time. Text with a unit of its own is unchanged. */
export function convertUnit(value: unknown, from: NumberUnit, to: NumberUnit): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => convertUnit(each, from, to))
  const isNumber = typeof value === 'string' ? /^\s*\d+(\.\d+)?\s*$/.test(value) : typeof value === 'number'
  const [factor, divisor] = [milliseconds[from], milliseconds[to]]
  if (!isNumber || from === to || factor === undefined || divisor === undefined) return value
  // Microseconds: quotients contain binary rounding errors.
  return Math.round(((Number(value) * factor) / divisor) * 1e6) / 1e6
}
