/** Size of a grid, and number of relaxation rounds at this size. */
interface MembraneGrid {
  readonly columns: number
  readonly rows: number
  readonly rounds?: number
}

/**
 * Interpolates a grid smoothly from weighted values (a discrete membrane attached by springs; the screened Poisson
 * equation). Replaces `values`: close to the given value where the weight is large, smooth elsewhere. Solved by
 * cascadic multigrid (Bornemann and Deuflhard, 1996) with twice the rounds at each coarser grid. Both arrays are in
 * rows.
 */
export function interpolateMembrane(
  values: Float32Array,
  weights: Float32Array,
  { columns, rows, rounds = 4 }: MembraneGrid,
): void {
  if (columns <= 1 && rows <= 1) return
  const target = values.slice()
  const small = halveField({ values: target, weights }, { columns, rows })
  interpolateMembrane(small.values, small.weights, { ...small, rounds: Math.min(maxRounds, 2 * rounds) })
  upsampleField({ values, weights }, { columns, rows }, small)
  // Successive over-relaxation, alternating direction so that no side dominates.
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < rows; turn += 1) {
      relaxRow(values, { target, weights, columns, rows }, round % 2 === 0 ? turn : turn - rows)
    }
  }
}

/** Limit of rounds on coarse grids; more has no effect. */
const maxRounds = 64

interface RelaxOptions extends MembraneGrid {
  readonly target: Float32Array
  readonly weights: Float32Array
}

/** Relaxes one row from left to right. A negative number counts rows from the last and goes from right to left. */
function relaxRow(
  values: Float32Array,
  { target, weights, columns, rows }: RelaxOptions,
  turn: number,
): void {
  const isBack = turn < 0
  const row = isBack ? -1 - turn : turn
  const [first, last] = [row * columns, row * columns + columns - 1]
  const up = row > 0 ? columns : 0
  const down = row + 1 < rows ? columns : 0
  const step = isBack ? -1 : 1
  for (let at = isBack ? last : first; at >= first && at <= last; at += step) {
    // At an edge a cell is its own neighbour, which exerts no force.
    const left = at > first ? at - 1 : at
    const right = at < last ? at + 1 : at
    const own = values[at] ?? 0
    const weight = weights[at] ?? 0
    const sum = (values[left] ?? 0) + (values[right] ?? 0) + (values[at - up] ?? 0) + (values[at + down] ?? 0)
    values[at] = own + 1.5 * ((sum + weight * (target[at] ?? 0)) / (4 + weight) - own)
  }
}

interface WeightedField {
  readonly values: Float32Array
  readonly weights: Float32Array
}

/** Restricts a grid to half the size: weighted means, and sums of weights. */
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

/** Prolongates the coarse solution as the initial estimate. Cells with a weight of 1 or more keep their value. */
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
