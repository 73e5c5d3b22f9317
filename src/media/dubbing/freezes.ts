import type { Rational } from '../../contract/media-facts.ts'

/** Frozen frames of a line, whole milliseconds. */
export interface Freeze {
  /** Number of whole frames, to within a millisecond. Sums are exact: errors do not grow with the number of lines. */
  readonly ms: number
  /** Time that its speech may use: less than `ms` by at most one, and independent of other lines. */
  readonly usable: number
}

/** Freezes of lines. */
export interface Freezes {
  readonly lines: readonly Freeze[]
  /** Whether lines need more than the limit. */
  readonly capHit: boolean
}

export interface AllotFreezesOptions {
  /** Duration of the source, ms. */
  readonly duration: number
  readonly rate: Rational
}

/** Most frozen time, percent of the source. */
const maxPercent = 3

/**
 * Freezes the picture for lines that need more time, `needs` in whole ms. Where the limit is less than all need, lines that
 * need the least come first, so that most lines are complete.
 */
export function allotFreezes(
  needs: readonly number[],
  { duration, rate: { num, den } }: AllotFreezesOptions,
): Freezes {
  const framesIn = (ms: number) => (ms * num) / (1000 * den)
  const wanted = needs.map((ms) => Math.ceil(framesIn(ms)))
  const frames = needs.map(() => 0)
  let left = Math.floor(framesIn((duration * maxPercent) / 100))
  const order = wanted
    .map((count, index) => ({ count, index }))
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => one.count - other.count || one.index - other.index)
  for (const { count, index } of order) {
    frames[index] = Math.min(count, left)
    left -= Math.min(count, left)
  }
  const end = (count: number) => Math.floor((count * 1000 * den) / num)
  let total = 0
  const lines = frames.map((count) => {
    const before = end(total)
    total += count
    return { ms: end(total) - before, usable: end(count) }
  })
  return { lines, capHit: wanted.some((count, index) => count > (frames[index] ?? 0)) }
}
