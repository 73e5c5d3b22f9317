import { type Band, blockRows, type ChooseBand } from './align-band.ts'
import { stepCosts, type UnitCosts } from './unit-costs.ts'

/** Steps of a path into a cell, in order of preference; `unit` is a match or a substitution. */
export const step = { unit: 0, insertion: 1, deletion: 2, jump: 3 } as const

/** More than any path costs. */
const unreachable = 2 ** 50

/** The cheapest paths to all cells: rows are heard units, from 1; positions are script units before them. */
export interface ReadingPaths {
  readonly rows: number
  /** Cost of the cheapest path; remainders below `costQuantum` count units without a match. */
  readonly cost: number
  /** Cheapest position of each row. */
  readonly best: Int32Array
  /** Last step to a cell. */
  codeAt(row: number, position: number): number
  /** For each row, whether the cheapest jump to it was earlier, before insertions that precede it. */
  readonly jumpsEarlier: Uint8Array
}

/** Steps of a block of rows, 2 bits each. */
interface BlockSteps {
  readonly band: Band
  /** Cells of a row. */
  readonly width: number
  readonly codes: Uint8Array
}

/** Costs of two rows by position, and the spans that are set in each. */
class CostRows {
  #rows: [Float64Array, Float64Array]
  #bands: [Band, Band]

  /** The row before the first heard unit: skipped script units cost as much as deletions. */
  constructor(positions: number, band: Band) {
    this.#rows = [
      new Float64Array(positions).fill(unreachable),
      new Float64Array(positions).fill(unreachable),
    ]
    this.#bands = [[], band]
    for (const [lo, hi] of band) {
      for (let at = lo; at <= hi; at += 1) this.#rows[1][at] = at * stepCosts.deletion
    }
  }

  /** Moves to the next row. Returns it, and the one before it. */
  next(band: Band): { readonly current: Float64Array; readonly before: Float64Array } {
    const [reused, before] = this.#rows
    const [outdated, latest] = this.#bands
    if (outdated !== band) for (const [lo, hi] of outdated) reused.fill(unreachable, lo, hi + 1)
    this.#rows = [before, reused]
    this.#bands = [latest, band]
    return { current: reused, before }
  }
}

/** Computes the cheapest path to each cell in the bands (Viterbi). `jumps`: cost of a jump before each heard unit. */
export function fillRows(costs: UnitCosts, jumps: Float64Array, chooseBand: ChooseBand): ReadingPaths {
  const rows = costs.heard.length
  const best = new Int32Array(rows + 1)
  const jumpsEarlier = new Uint8Array(rows + 1)
  const blocks: BlockSteps[] = []
  // Costs of the cheapest cell, and of having jumped to a position that is still open.
  let [least, open] = [0, unreachable]
  let costRows: CostRows | undefined
  for (let block = 0; block * blockRows < rows; block += 1) {
    const start = block * blockRows
    const height = Math.min(blockRows, rows - start)
    const steps = emptyBlock(chooseBand(block, best[start] ?? 0), height)
    blocks.push(steps)
    costRows ??= new CostRows(costs.script.length + 1, steps.band)
    for (let index = 0; index < height; index += 1) {
      const row = start + index + 1
      const jumped = least + (jumps[row - 1] ?? 0)
      jumpsEarlier[row] = open < jumped ? 1 : 0
      const cells = {
        ...costRows.next(steps.band),
        ...{ script: costs.script, unit: costs.row(costs.heard[row - 1] ?? 0) },
        ...{ jumped: Math.min(open, jumped), expected: (best[row - 1] ?? 0) + 1 },
      }
      open = Math.min(jumped, open) + stepCosts.insertion
      const found = fillRow(cells, steps, index)
      least = found.least
      best[row] = found.at
    }
  }
  return { rows, cost: least, best, jumpsEarlier, codeAt: (row, at) => readCode(blocks, row, at) }
}

function readCode(blocks: readonly BlockSteps[], row: number, position: number): number {
  const steps = blocks[Math.floor((row - 1) / blockRows)]
  if (!steps) return step.unit
  let cell = ((row - 1) % blockRows) * steps.width
  for (const [lo, hi] of steps.band) {
    cell += Math.min(position, hi + 1) - lo
    if (position <= hi) break
  }
  return ((steps.codes[cell >> 2] ?? 0) >> ((cell & 3) << 1)) & 3
}

function emptyBlock(band: Band, height: number): BlockSteps {
  const width = band.reduce((sum, [lo, hi]) => sum + hi - lo + 1, 0)
  return { band, width, codes: new Uint8Array(Math.ceil((width * height) / 4)) }
}

interface RowCells {
  readonly current: Float64Array
  readonly before: Float64Array
  readonly script: Int32Array
  /** Costs of the heard unit by number of the script unit. */
  readonly unit: Float64Array
  /** Cost of the cheapest path that has jumped to any position of the row before. */
  readonly jumped: number
  /** Position after the best one of the row before, which wins among equally cheap ones if it is nearest. */
  readonly expected: number
}

/** Fills a row of a block. Returns its least cost and its position. */
function fillRow(
  { current, before, script, unit, jumped, expected }: RowCells,
  { band, width, codes }: BlockSteps,
  index: number,
): { readonly least: number; readonly at: number } {
  let [least, best] = [unreachable, expected]
  let cell = index * width
  for (const [lo, hi] of band) {
    let left = unreachable
    for (let at = lo; at <= hi; at += 1) {
      const substitution = at > 0 ? (unit[script[at - 1] ?? 0] ?? 0) : unreachable
      let cost = at > 0 ? (before[at - 1] ?? 0) + substitution : unreachable
      let code: number = step.unit
      const insertion = (before[at] ?? 0) + stepCosts.insertion
      if (insertion < cost) {
        cost = insertion
        code = step.insertion
      }
      const deletion = left + stepCosts.deletion
      if (deletion < cost) {
        cost = deletion
        code = step.deletion
      }
      if (jumped + substitution < cost) {
        cost = jumped + substitution
        code = step.jump
      }
      current[at] = left = cost
      codes[cell >> 2] = (codes[cell >> 2] ?? 0) | (code << ((cell & 3) << 1))
      cell += 1
      if (cost < least || (cost === least && Math.abs(at - expected) < Math.abs(best - expected))) {
        least = cost
        best = at
      }
    }
  }
  return { least, at: best }
}
