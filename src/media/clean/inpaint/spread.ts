/** Sides of a grid, and how often it is smoothed. */
interface Grid {
  readonly columns: number
  readonly rows: number
  readonly rounds?: number
}

/**
 * Fills a grid from values that count as much as their weights: near them it keeps to them, elsewhere it is as
 * smooth as can be (a membrane held by springs). Values are replaced.
 */
export function spread(
  values: Float32Array,
  weights: Float32Array,
  { columns, rows, rounds = 24 }: Grid,
): void {
  const firm = values.slice()
  pullAndPush(values, weights, { columns, rows })
  // Successive over-relaxation in turns from both ends, so that no side is first.
  for (let round = 0; round < rounds; round += 1) {
    for (let turn = 0; turn < rows; turn += 1) {
      relaxRow(values, { firm, weights, columns, rows }, round % 2 === 0 ? turn : turn - rows)
    }
  }
}

interface Springs extends Grid {
  readonly firm: Float32Array
  readonly weights: Float32Array
}

/** One row from left to right; a negative one counts from the last and goes from right to left. */
function relaxRow(values: Float32Array, { firm, weights, columns, rows }: Springs, turn: number): void {
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

/** A first guess: each place that has no weight takes the mean of what lies around it, near or far. */
function pullAndPush(values: Float32Array, weights: Float32Array, { columns, rows }: Grid): void {
  if (columns <= 1 && rows <= 1) return
  const small = { columns: (columns + 1) >> 1, rows: (rows + 1) >> 1 }
  const means = new Float32Array(small.columns * small.rows)
  const sums = new Float32Array(means.length)
  for (let at = 0; at < values.length; at += 1) {
    const to = ((at / columns) >> 1) * small.columns + ((at % columns) >> 1)
    const weight = Math.min(1, weights[at] ?? 0)
    means[to] = (means[to] ?? 0) + weight * (values[at] ?? 0)
    sums[to] = (sums[to] ?? 0) + weight
  }
  for (let at = 0; at < means.length; at += 1) {
    const sum = sums[at] ?? 0
    means[at] = sum > 0 ? (means[at] ?? 0) / sum : 0
  }
  pullAndPush(means, sums, small)
  for (let at = 0; at < values.length; at += 1) {
    const weight = Math.min(1, weights[at] ?? 0)
    const mean = means[((at / columns) >> 1) * small.columns + ((at % columns) >> 1)] ?? 0
    values[at] = weight * (values[at] ?? 0) + (1 - weight) * mean
  }
}
