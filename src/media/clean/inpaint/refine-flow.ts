import { LruCache } from '../lru-cache.ts'
import type { AffineMap } from './affine.ts'
import { interpolateMembrane } from './interpolate-membrane.ts'
import type { Ring } from './ring.ts'
import type { FrameCrop } from './view.ts'

/** Limit of the flow, in cells. */
const maxFlowCells = 2

/**
 * Adds to each cell the displacement that minimizes its residuals (Lucas-Kanade), at most 2 pixels a step, interpolated
 * smoothly over holes. `sums` as returned by `accumulateResiduals`.
 */
export function refineFlow(
  ring: Ring,
  { flowX: right, flowY: down }: Pick<Registration, 'flowX' | 'flowY'>,
  sums: Float64Array,
): void {
  const { columns, rows, size } = ring.cells
  const weights = new Float32Array(columns * rows)
  for (let cell = 0; cell < weights.length; cell += 1) {
    const deviation = cellDeviation(sums, cell)
    if (deviation === undefined) continue
    const of = cell * sumsPerCell
    const n = sums[of] ?? 1
    // Remove the mean, which a change of light may cause.
    const [rest, x, y] = [(sums[of + 1] ?? 0) / n, (sums[of + 3] ?? 0) / n, (sums[of + 4] ?? 0) / n]
    const a = (sums[of + 5] ?? 0) - x * x * n + 6 * n
    const b = (sums[of + 6] ?? 0) - x * y * n
    const c = (sums[of + 7] ?? 0) - y * y * n + 6 * n
    const p = (sums[of + 8] ?? 0) - x * rest * n
    const q = (sums[of + 9] ?? 0) - y * rest * n
    const area = a * c - b * b
    const along = Math.min(2, Math.max(-2, -(c * p - b * q) / area))
    const downward = Math.min(2, Math.max(-2, -(a * q - b * p) / area))
    const most = maxFlowCells * size
    right[cell] = Math.min(most, Math.max(-most, (right[cell] ?? 0) + along))
    down[cell] = Math.min(most, Math.max(-most, (down[cell] ?? 0) + downward))
    // Confidence: the smaller eigenvalue of the gradient matrix, divided by the residual variance.
    const weaker = (a + c - Math.hypot(a - c, 2 * b)) / 2
    weights[cell] = Math.min(60, weaker / (4 * (9 + deviation * deviation)))
  }
  interpolateMembrane(right, weights, ring.cells)
  interpolateMembrane(down, weights, ring.cells)
}

/**
 * Registration of a view on the frame around a patch: affine map, brightness model, and flow per cell, holes included.
 */
export interface Registration {
  readonly crop: FrameCrop
  readonly map: AffineMap
  /** Brightness model: view = gain x frame + offset, in levels. */
  readonly gain: number
  readonly offset: number
  /** Local motion: displacement in pixels to add to the mapped position. */
  readonly flowX: Float32Array
  readonly flowY: Float32Array
}

/**
 * Sums per cell: count, residuals, their squares, gradient x and y, and the five products of gradients and residuals.
 */
export const sumsPerCell = 10

/** Reusable buffers by length: patches have few distinct sizes. */
const sumBuffers = new LruCache<number, Float64Array>(8)

/**
 * Returns, for each cell, sums over the visible ring samples of residuals between view and frame and of their products
 * with the gradient. The buffer is reused by the next call of equal length.
 */
export function accumulateResiduals(
  ring: Ring,
  { crop, map, gain, offset, flowX: right, flowY: down }: Registration,
): Float64Array {
  const [a, b, c, d, e, f] = map
  const { x: left, y: top, width, height, data, hidden } = crop
  const length = right.length * sumsPerCell
  const sums = sumBuffers.getOrCompute(length, () => new Float64Array(length)).fill(0)
  for (let index = 0; index < ring.count; index += 1) {
    const [px, py, cell] = [ring.x[index] ?? 0, ring.y[index] ?? 0, ring.cell[index] ?? 0]
    const x = a * px + b * py + c + (right[cell] ?? 0) - left
    const y = d * px + e * py + f + (down[cell] ?? 0) - top
    if (!(x >= 0 && y >= 0 && x < width - 1 && y < height - 1)) continue
    const [column, line] = [x | 0, y | 0]
    const at = line * width + column
    if ((hidden[at] ?? 1) + (hidden[at + width + 1] ?? 1) > 0) continue
    const [u, v] = [x - column, y - line]
    const above = (data[at] ?? 0) * (1 - u) + (data[at + 1] ?? 0) * u
    const below = (data[at + width] ?? 0) * (1 - u) + (data[at + width + 1] ?? 0) * u
    const rest = (above + (below - above) * v - offset) / gain - (ring.value[index] ?? 0)
    const [gx, gy] = [ring.gradientX[index] ?? 0, ring.gradientY[index] ?? 0]
    const to = cell * sumsPerCell
    sums[to] = (sums[to] ?? 0) + 1
    sums[to + 1] = (sums[to + 1] ?? 0) + rest
    sums[to + 2] = (sums[to + 2] ?? 0) + rest * rest
    sums[to + 3] = (sums[to + 3] ?? 0) + gx
    sums[to + 4] = (sums[to + 4] ?? 0) + gy
    sums[to + 5] = (sums[to + 5] ?? 0) + gx * gx
    sums[to + 6] = (sums[to + 6] ?? 0) + gx * gy
    sums[to + 7] = (sums[to + 7] ?? 0) + gy * gy
    sums[to + 8] = (sums[to + 8] ?? 0) + gx * rest
    sums[to + 9] = (sums[to + 9] ?? 0) + gy * rest
  }
  return sums
}

/** Standard deviation of a cell's residuals, in levels. Undefined with fewer than 8 samples. */
export function cellDeviation(sums: Float64Array, cell: number): number | undefined {
  const to = cell * sumsPerCell
  const count = sums[to] ?? 0
  if (count < 8) return undefined
  const mean = (sums[to + 1] ?? 0) / count
  return Math.sqrt(Math.max(0, (sums[to + 2] ?? 0) / count - mean * mean))
}

/** Whether more than 2 % of the cells deviate by more than noise (3.5 levels). */
export function hasLocalMotion(sums: Float64Array, cells: number): boolean {
  let [seen, far] = [0, 0]
  for (let cell = 0; cell < cells; cell += 1) {
    const deviation = cellDeviation(sums, cell)
    if (deviation === undefined) continue
    seen += 1
    if (deviation > 3.5) far += 1
  }
  return far > 0.02 * seen
}
