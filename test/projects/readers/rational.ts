import type { Rational } from '../../../src/contract/media-facts.ts'

export type { Rational }

/** Zero. */
export const zero: Rational = { num: 0, den: 1 }

/** One. */
export const unity: Rational = { num: 1, den: 1 }

/** Returns num/den in lowest terms with a positive denominator. Throws when it does not fit in exact numbers. */
export function rational(num: number | bigint, den: number | bigint = 1): Rational {
  let [top, bottom] = [BigInt(num), BigInt(den)]
  if (bottom === 0n) throw new RangeError(`${num}/${den}: the denominator is zero`)
  if (bottom < 0n) [top, bottom] = [-top, -bottom]
  let [divisor, rest] = [top < 0n ? -top : top, bottom]
  while (rest > 0n) [divisor, rest] = [rest, divisor % rest]
  const reduced = { num: Number(top / divisor), den: Number(bottom / divisor) }
  if (Number.isSafeInteger(reduced.num) && Number.isSafeInteger(reduced.den)) return reduced
  throw new RangeError(`${num}/${den}: too large for an exact fraction`)
}

/** Returns a + b. */
export function add(a: Rational, b: Rational): Rational {
  return rational(
    BigInt(a.num) * BigInt(b.den) + BigInt(b.num) * BigInt(a.den),
    BigInt(a.den) * BigInt(b.den),
  )
}

/** Returns a - b. */
export function subtract(a: Rational, b: Rational): Rational {
  return add(a, { num: -b.num, den: b.den })
}

/** Returns a × b. */
export function multiply(a: Rational, b: Rational): Rational {
  return rational(BigInt(a.num) * BigInt(b.num), BigInt(a.den) * BigInt(b.den))
}

/** Returns a ÷ b. Throws when b is zero. */
export function divide(a: Rational, b: Rational): Rational {
  return rational(BigInt(a.num) * BigInt(b.den), BigInt(a.den) * BigInt(b.num))
}

/** Returns a negative number when a < b, a positive number when a > b, otherwise 0. */
export function compare(a: Rational, b: Rational): number {
  const difference = BigInt(a.num) * BigInt(b.den) - BigInt(b.num) * BigInt(a.den)
  return difference < 0n ? -1 : Number(difference > 0n)
}

/** Returns the absolute value of a. */
export function magnitude(a: Rational): Rational {
  return rational(Math.abs(a.num), a.den)
}

/** Returns the larger of a and b. */
export function larger(a: Rational, b: Rational): Rational {
  return compare(a, b) < 0 ? b : a
}

/** Returns the largest integer that is at most a. */
export function floor({ num, den }: Rational): number {
  const quotient = BigInt(num) / BigInt(den)
  return Number(num < 0 && BigInt(num) % BigInt(den) !== 0n ? quotient - 1n : quotient)
}

/** Returns the integer nearest to a; halves are rounded up. */
export function nearest(a: Rational): number {
  return floor(add(a, { num: 1, den: 2 }))
}

/** Reports whether a time in seconds is a whole number of frames at a rate. */
export function isWholeFrames(seconds: Rational, rate: Rational): boolean {
  return multiply(seconds, rate).den === 1
}

/** Returns the number of the frame nearest to a time in seconds. Compares formats whose times are rounded. */
export function frameNumber(seconds: Rational, rate: Rational): number {
  return nearest(multiply(seconds, rate))
}

/** Parses a decimal number exactly: `29.97` is 2997/100. Returns undefined for other text. */
export function parseDecimal(text: string): Rational | undefined {
  const match = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text.trim())
  if (!match) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`)
  return scale >= 0 ? rational(digits, 10n ** BigInt(scale)) : rational(digits * 10n ** BigInt(-scale))
}

/** Returns the exact value of the shortest decimal form of a number, as JSON writes it. */
export function fromNumber(value: number): Rational {
  const exact = parseDecimal(String(value))
  if (exact) return exact
  throw new RangeError(`${value} is not a finite number`)
}

/** Formats a fraction for a message. */
export function show({ num, den }: Rational): string {
  return den === 1 ? String(num) : `${num}/${den}`
}
