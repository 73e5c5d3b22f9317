/** Sides of a grid, and how often it is smoothed. */
interface MembraneGrid {
  readonly columns: number
  readonly rows: number
  readonly rounds?: number
}

/**
 * Fills a grid from values that count as much as their weights: near them it keeps to them, elsewhere it is as
 * smooth as can be (a membrane held by springs). Values are replaced. Solved from coarse to fine (Bornemann and
 * Deuflhard's cascade), each coarser grid with twice the rounds: what is far reaches far in a grid that is small.
 */
export function interpolateMembrane(
  values: Float32Array,
  weights: Float32Array,
  { columns, rows, rounds = 4 }: MembraneGrid,
): void {
  if (columns <= 1 && rows <= 1) return
  const firm = values.slice()
  const small = halveField({ values: firm, weights }, { columns, rows })
  interpolateMembrane(small.values, small.weights, { ...small, rounds: Math.min(maxRounds, 2 * rounds) })
  upsampleField({ values, weights }, { columns, rows }, small)
  // Successive over-relaxation in turns from both ends, so that no side is first.
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < rows; turn += 1) {
      relaxRow(values, { firm, weights, columns, rows }, round % 2 === 0 ? turn : turn - rows)
    }
  }
}

/** More would change nothing any more in grids as small as those. */
const maxRounds = 64

interface RelaxOptions extends MembraneGrid {
  readonly firm: Float32Array
  readonly weights: Float32Array
}

/** One row from left to right; a negative one counts from the last and goes from right to left. */
function relaxRow(values: Float32Array, { firm, weights, columns, rows }: RelaxOptions, turn: number): void {
  const isBack = turn < 0
  const row = isBack ? -1 - turn : turn
  const [first, last] = [row * columns, row * columns + columns - 1]
  const up = row > 0 ? columns : 0
  const down = row + 1 < rows ? columns : 0
  const step = isBack ? -1 : 1
  for (let at = isBack ? last : first; at >= first && at <= last; at += step) {
    // At an edge a place is its own neighbour, which holds nothing.
    const left = at > first ? at - 1 : at
    const right = at < last ? at + 1 : at
    const own = values[at] ?? 0
    const weight = weights[at] ?? 0
    const sum = (values[left] ?? 0) + (values[right] ?? 0) + (values[at - up] ?? 0) + (values[at + down] ?? 0)
    values[at] = own + 1.5 * ((sum + weight * (firm[at] ?? 0)) / (4 + weight) - own)
  }
}

interface WeightedField {
  readonly values: Float32Array
  readonly weights: Float32Array
}

/** Four places as one, which is held as firmly as they are together; springs between them stay as they were. */
function halveField(
  { values, weights }: WeightedField,
  { columns, rows }: MembraneGrid,
): MembraneGrid & WeightedField {
  const half = { columns: (columns + 1) >> 1, rows: (rows + 1) >> 1 }
  const means = new Float32Array(half.columns * half.rows)
  const sums = new Float32Array(means.length)
  for (let row = 0, at = 0; row < rows; row += 1) {
    const line = (row >> 1) * half.columns
    for (let column = 0; column < columns; column += 1, at += 1) {
      const weight = weights[at] ?? 0
      if (weight === 0) continue
      const to = line + (column >> 1)
      means[to] = (means[to] ?? 0) + weight * (values[at] ?? 0)
      sums[to] = (sums[to] ?? 0) + weight
    }
  }
  for (let at = 0; at < means.length; at += 1) {
    const sum = sums[at] ?? 0
    if (sum > 0) means[at] = (means[at] ?? 0) / sum
  }
  return { ...half, values: means, weights: sums }
}

/** A first guess: what is held keeps its value, all else lies between what was found small. */
function upsampleField(
  { values, weights }: WeightedField,
  { columns, rows }: MembraneGrid,
  small: MembraneGrid & WeightedField,
): void {
  for (let row = 0, at = 0; row < rows; row += 1) {
    const near = row >> 1
    const far = Math.max(0, Math.min(small.rows - 1, near + ((row & 1) === 0 ? -1 : 1)))
    for (let column = 0; column < columns; column += 1, at += 1) {
      const weight = Math.min(1, weights[at] ?? 0)
      if (weight === 1) continue
      const own = column >> 1
      const other = Math.max(0, Math.min(small.columns - 1, own + ((column & 1) === 0 ? -1 : 1)))
      const [one, two] = [near * small.columns, far * small.columns]
      const between =
        (9 * (small.values[one + own] ?? 0) +
          3 * (small.values[one + other] ?? 0) +
          3 * (small.values[two + own] ?? 0) +
          (small.values[two + other] ?? 0)) /
        16
      values[at] = weight * (values[at] ?? 0) + (1 - weight) * between
    }
  }
}
