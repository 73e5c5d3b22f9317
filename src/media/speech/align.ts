import { anchoredBand, wholeBand } from './align-band.ts'
import { fillRows, type ReadingPaths, step } from './align-rows.ts'
import { costQuantum, stepCosts, unitCosts } from './unit-costs.ts'

/** Cost of a jump to another position of the script, in insertions. */
const defaultJumpCost = 3

/** Most cells of a matrix of all positions; larger ones are computed in a band. */
const maxWholeCells = 32_000_000

export interface AlignReadingOptions {
  /** Cost of a jump before each heard unit, at least 0, in insertions; rounded to sixteenths. Default: 3 each. */
  readonly jumpCosts?: ArrayLike<number>
  /** Cells up to which all positions are compared. Default: 32 million. */
  readonly maxCells?: number
}

/** What a heard unit is. */
export interface AlignedUnit {
  /** Index of its unit of the script; -1 for an insertion. */
  readonly script: number
  readonly kind: 'match' | 'substitution' | 'insertion'
}

/** A half-open range of indexes. */
export interface IndexRange {
  readonly from: number
  readonly to: number
}

/** What was read without a jump. */
export interface ReadingRun {
  /** Units of the script from the first to the last one that was read; empty if none was. */
  readonly script: IndexRange
  readonly heard: IndexRange
}

export interface ReadingAlignment {
  /** Cost in insertions. */
  readonly cost: number
  /** One for each heard unit. */
  readonly units: readonly AlignedUnit[]
  /** In the order of the reading; their heard ranges cover it. */
  readonly runs: readonly ReadingRun[]
}

/**
 * Aligns a reading with its script, whose reader may skip passages, return to earlier ones, and say words beside the
 * script. Returns the cheapest path: a match is free; a substitution costs 1, of a similar word 0.5; an insertion and a
 * deletion cost 1; a jump to any position of the script costs the same over any distance. The end of the script may stay
 * unread. Of equal paths, those with more matches win, then those with fewer jumps and with later copies of words. Up to `maxCells` the path is exact;
 * beyond, it is the cheapest one in a band around rare sequences of units, with 2 bits of memory per cell.
 */
export function alignReading(
  script: readonly string[],
  heard: readonly string[],
  { jumpCosts, maxCells = maxWholeCells }: AlignReadingOptions = {},
): ReadingAlignment {
  const costs = unitCosts(script, heard)
  const positions = script.length + 1
  const jumps = Float64Array.from(
    heard,
    (_, index) =>
      Math.round(((jumpCosts?.[index] ?? defaultJumpCost) * stepCosts.deletion) / costQuantum) * costQuantum,
  )
  const chooseBand =
    positions * heard.length <= maxCells || script.length === 0 ? wholeBand(positions) : anchoredBand(costs)
  const paths = fillRows(costs, jumps, chooseBand)
  const { units, starts } = tracePath(paths, (row, at) => costs.heard[row - 1] === costs.script[at - 1])
  return {
    cost: (Math.floor(paths.cost / costQuantum) * costQuantum) / stepCosts.deletion,
    units,
    runs: splitRuns(units, starts),
  }
}

interface TracedPath {
  readonly units: AlignedUnit[]
  /** Heard units before which the reader jumped, descending. */
  readonly starts: readonly number[]
}

/** Follows the cheapest path back from the last row. `row` counts heard units, `at` script units before the position. */
function tracePath(
  { rows, best, codeAt, jumpsEarlier }: ReadingPaths,
  isMatch: (row: number, at: number) => boolean,
): TracedPath {
  const units: AlignedUnit[] = Array.from({ length: rows }, () => ({ script: -1, kind: 'insertion' }))
  const starts: number[] = []
  let [row, at] = [rows, best[rows] ?? 0]
  while (row > 0) {
    const code = codeAt(row, at)
    if (code === step.deletion) {
      at -= 1
      continue
    }
    if (code !== step.insertion) {
      units[row - 1] = { script: at - 1, kind: isMatch(row, at) ? 'match' : 'substitution' }
      at -= 1
    }
    if (code === step.jump) {
      // Units between the jump and this one are insertions.
      while (jumpsEarlier[row]) row -= 1
      starts.push(row - 1)
      at = best[row - 1] ?? 0
    }
    row -= 1
  }
  return { units, starts }
}

function splitRuns(units: readonly AlignedUnit[], starts: readonly number[]): ReadingRun[] {
  if (units.length === 0) return []
  const bounds = [0, ...starts.filter((start) => start > 0).toReversed(), units.length]
  return bounds.slice(1).map((to, index) => {
    const from = bounds[index] ?? 0
    const read = units.slice(from, to).filter(({ script }) => script >= 0)
    const first = read[0]?.script ?? 0
    return { script: { from: first, to: (read.at(-1)?.script ?? first - 1) + 1 }, heard: { from, to } }
  })
}
