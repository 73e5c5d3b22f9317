/** How much of a text shows, frame by frame, told as a level that is left along a straight way to another. */
export interface Onset {
  /** Last index of the level before; -1 where the text shows from the first on. */
  readonly lastBefore: number
  /** First index of the level of the whole text. */
  readonly firstFull: number
  /** First index at which the text is visible at all. */
  readonly firstVisible: number
}

/** Least rise, as a share of the upper level, that is the coming of a text. */
const minRise = 0.3

/** Longest coming that is looked for, as a count of values. */
const maxRiseFrames = 75

/**
 * Finds where a text comes, in how much of it shows (1: all) from before it until it is there: the straight rise
 * from a level to the last values' that differs least. Undefined where nothing rises.
 */
export function findOnset(amounts: readonly number[], settled: number): Onset | undefined {
  const count = amounts.length
  const tail = amounts.slice(-Math.max(1, settled))
  const upper = lowerMedian(tail)
  const sums = prefixSums(amounts)
  let best:
    | { readonly error: number; readonly from: number; readonly full: number; readonly lower: number }
    | undefined
  const flat = squaredError(sums, { from: 0, to: count, level: upper })
  for (let from = 0; from < count - 1; from += 1) {
    const lower = (sums.values[from + 1] ?? 0) / (from + 1)
    const below = squaredError(sums, { from: 0, to: from + 1, level: lower })
    for (let full = from + 1; full < Math.min(count, from + maxRiseFrames); full += 1) {
      let error = below + squaredError(sums, { from: full, to: count, level: upper })
      for (let at = from + 1; at < full; at += 1) {
        const level = lower + ((upper - lower) * (at - from)) / (full - from)
        error += ((amounts[at] ?? 0) - level) ** 2
      }
      if (!best || error < best.error) best = { error, from, full, lower }
    }
  }
  if (!best || upper - best.lower < minRise * upper || best.error > 0.6 * flat) return undefined
  const { from, full } = best
  return { lastBefore: from, firstFull: full, firstVisible: Math.min(full, from + 1) }
}

interface PrefixSums {
  readonly values: Float64Array
  readonly squares: Float64Array
}

function prefixSums(amounts: readonly number[]): PrefixSums {
  const values = new Float64Array(amounts.length + 1)
  const squares = new Float64Array(amounts.length + 1)
  for (const [index, amount] of amounts.entries()) {
    values[index + 1] = (values[index] ?? 0) + amount
    squares[index + 1] = (squares[index] ?? 0) + amount * amount
  }
  return { values, squares }
}

/** Sum of the squares by which a run of values differs from a level. */
function squaredError(
  { values, squares }: PrefixSums,
  { from, to, level }: { readonly from: number; readonly to: number; readonly level: number },
): number {
  const sum = (values[to] ?? 0) - (values[from] ?? 0)
  const square = (squares[to] ?? 0) - (squares[from] ?? 0)
  return square - 2 * level * sum + (to - from) * level * level
}

/** The middle of values; the lower of two. */
export function lowerMedian(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}
