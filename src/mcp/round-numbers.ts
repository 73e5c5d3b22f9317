/** Decimals of numbers from 1 on: times to the millisecond. */
const decimals = 3

/** Significant digits of numbers below 1: shares of a picture to a fraction of a pixel. */
const significantDigits = 4

/** Rounds all numbers in a value: to 3 decimals from 1 on, to 4 significant digits below. */
export function roundNumbers<T>(value: T): T
export function roundNumbers(value: unknown): unknown {
  if (typeof value === 'number') return roundNumber(value)
  if (Array.isArray(value)) return value.map((item: unknown) => roundNumbers(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, roundNumbers(item as unknown)]),
  )
}

function roundNumber(value: number): number {
  if (Number.isInteger(value)) return value
  return Number(Math.abs(value) < 1 ? value.toPrecision(significantDigits) : value.toFixed(decimals))
}
