import { LruCache } from '../lru-cache.ts'
import type { Ring } from './ring.ts'
import type { Affine } from './affine.ts'
import type { Crop } from './view.ts'

/** How a view lies on the treated frame around a patch, by cells, holes included. */
export interface Bent {
  readonly crop: Crop
  readonly map: Affine
  /** The view's brightness is gain x the frame's + offset. */
  readonly gain: number
  readonly offset: number
  /** What moves by itself: pixels to add to the mapped place. */
  readonly right: Float32Array
  readonly down: Float32Array
}

/** Sums over a cell's samples: their count, differences, squares of these, gradients and what goes with them. */
export const sumsOf = 10

/** By their lengths: patches of a frame are of a few sizes. */
const scratch = new LruCache<number, Float64Array>(8)

/** By cells: what a view and the ring differ by, and how that goes with the ring's detail. */
export function sumsOver(ring: Ring, { crop, map, gain, offset, right, down }: Bent): Float64Array {
  const [a, b, c, d, e, f] = map
  const { x: left, y: top, width, height, data, hidden } = crop
  const length = right.length * sumsOf
  const sums = scratch.getOrCompute(length, () => new Float64Array(length)).fill(0)
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
    const [gx, gy] = [ring.right[index] ?? 0, ring.down[index] ?? 0]
    const to = cell * sumsOf
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

/** Deviation of a cell's differences, in levels; of too few samples none is known. */
export function deviationOf(sums: Float64Array, cell: number): number | undefined {
  const to = cell * sumsOf
  const count = sums[to] ?? 0
  if (count < 8) return undefined
  const mean = (sums[to + 1] ?? 0) / count
  return Math.sqrt(Math.max(0, (sums[to + 2] ?? 0) / count - mean * mean))
}

/** Tells whether more than a few cells differ by more than noise does. */
export function movesByItself(sums: Float64Array, cells: number): boolean {
  let [seen, far] = [0, 0]
  for (let cell = 0; cell < cells; cell += 1) {
    const deviation = deviationOf(sums, cell)
    if (deviation === undefined) continue
    seen += 1
    if (deviation > 3.5) far += 1
  }
  return far > 0.02 * seen
}
