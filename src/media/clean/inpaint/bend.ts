import { deviationOf, sumsOf, type Bent } from './differences.ts'
import type { Ring } from './ring.ts'
import { spread } from './spread.ts'

/** Farthest that something may have moved by itself, in cells. */
const farthest = 2

/** Adds to each cell the shift that takes most of its differences away (Lucas and Kanade's), smoothly over holes. */
export function bend(ring: Ring, { right, down }: Pick<Bent, 'right' | 'down'>, sums: Float64Array): void {
  const { columns, rows, size } = ring.cells
  const weights = new Float32Array(columns * rows)
  for (let cell = 0; cell < weights.length; cell += 1) {
    const deviation = deviationOf(sums, cell)
    if (deviation === undefined) continue
    const of = cell * sumsOf
    const n = sums[of] ?? 1
    // Without what is common to all samples, which light may have changed.
    const [rest, x, y] = [(sums[of + 1] ?? 0) / n, (sums[of + 3] ?? 0) / n, (sums[of + 4] ?? 0) / n]
    const a = (sums[of + 5] ?? 0) - x * x * n + 6 * n
    const b = (sums[of + 6] ?? 0) - x * y * n
    const c = (sums[of + 7] ?? 0) - y * y * n + 6 * n
    const p = (sums[of + 8] ?? 0) - x * rest * n
    const q = (sums[of + 9] ?? 0) - y * rest * n
    const area = a * c - b * b
    const along = Math.min(2, Math.max(-2, -(c * p - b * q) / area))
    const downward = Math.min(2, Math.max(-2, -(a * q - b * p) / area))
    const most = farthest * size
    right[cell] = Math.min(most, Math.max(-most, (right[cell] ?? 0) + along))
    down[cell] = Math.min(most, Math.max(-most, (down[cell] ?? 0) + downward))
    // The weaker direction's detail against what is still unlike.
    const weaker = (a + c - Math.hypot(a - c, 2 * b)) / 2
    weights[cell] = Math.min(60, weaker / (4 * (9 + deviation * deviation)))
  }
  spread(right, weights, ring.cells)
  spread(down, weights, ring.cells)
}
