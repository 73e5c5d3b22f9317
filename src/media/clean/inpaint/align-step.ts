import type { Affine } from './affine.ts'
import type { Points } from './points.ts'
import { solve } from './solve.ts'

/** A change of a map and of brightness. */
export interface Step {
  readonly warp: Affine
  /** Pixels that it moves a point by, about. */
  readonly length: number
  readonly gain: number
  readonly offset: number
}

/** Six of the map, then gain and offset. */
const unknowns = 8
const matrix = new Float64Array(unknowns * unknowns)
const right = new Float64Array(unknowns)
const row = new Float64Array(unknowns)

/** Small pulls to no change hold what points tell nothing of. */
const pulls = [40, 40, 1e-3, 40, 40, 1e-3, 500, 2]

/** The step that takes most of the differences at points away; those above the limit, or not a number, do not count. */
export function stepOf(
  points: Points,
  differences: Float32Array,
  { gain, limit, isShift }: { gain: number; limit: number; isShift: boolean },
): Step | undefined {
  const [middleX, middleY, reach] = extentOf(points)
  hold(isShift)
  for (let index = 0; index < points.count; index += 1) {
    const share = (differences[index] ?? 0) / limit
    if (!(share < 1 && share > -1)) continue
    const gx = gain * (points.right[index] ?? 0)
    const gy = gain * (points.down[index] ?? 0)
    const x = ((points.x[index] ?? 0) - middleX) / reach
    const y = ((points.y[index] ?? 0) - middleY) / reach
    row[0] = gx * x
    row[1] = gx * y
    row[2] = gx
    row[3] = gy * x
    row[4] = gy * y
    row[5] = gy
    row[6] = points.value[index] ?? 0
    row[7] = 1
    addRow((1 - share * share) ** 2, differences[index] ?? 0)
  }
  if (!solve(matrix, right, unknowns)) return undefined
  const [p = 0, q = 0, r = 0, s = 0, t = 0, u = 0, more = 0, offset = 0] = right
  const warp: Affine = [
    ...([1 + p / reach, q / reach, r - (p * middleX + q * middleY) / reach] as const),
    ...([s / reach, 1 + t / reach, u - (s * middleX + t * middleY) / reach] as const),
  ]
  const length = Math.max(Math.abs(p) + Math.abs(q) + Math.abs(r), Math.abs(s) + Math.abs(t) + Math.abs(u))
  return { warp, length, gain: more, offset }
}

/** Begins a system; what only shifts is held from doing more. */
function hold(isShift: boolean): void {
  matrix.fill(0)
  right.fill(0)
  for (let index = 0; index < unknowns; index += 1) {
    const isHeld = isShift && index < 6 && index % 3 !== 2
    matrix[index * unknowns + index] = isHeld ? 1e12 : (pulls[index] ?? 0)
  }
}

/** Adds one point's row to the lower half of the system. */
function addRow(weight: number, difference: number): void {
  for (let one = 0; one < unknowns; one += 1) {
    const weighed = weight * (row[one] ?? 0)
    right[one] = (right[one] ?? 0) + weighed * difference
    for (let other = 0; other <= one; other += 1) {
      const at = one * unknowns + other
      matrix[at] = (matrix[at] ?? 0) + weighed * (row[other] ?? 0)
    }
  }
}

function extentOf({ count, x, y }: Points): readonly [x: number, y: number, reach: number] {
  let [left, end, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
  for (let index = 0; index < count; index += 1) {
    left = Math.min(left, x[index] ?? 0)
    end = Math.max(end, x[index] ?? 0)
    top = Math.min(top, y[index] ?? 0)
    bottom = Math.max(bottom, y[index] ?? 0)
  }
  return [(left + end) / 2, (top + bottom) / 2, Math.max(1, end - left, bottom - top) / 2]
}
