import { type AffineMap, composeMaps, identityMap, invertMap } from './affine.ts'
import type { FeaturePoints, GreyImage } from './grey-image.ts'

/** How one picture's points lie in another. */
export interface Alignment {
  readonly map: AffineMap
  /** The other's brightness is gain x ours + offset. */
  readonly gain: number
  readonly offset: number
  /** Usual difference that is left, in levels. */
  readonly residual: number
  /** Of the points seen, those that agree; of all points, those seen. */
  readonly inlierShare: number
  readonly visibleShare: number
}

/** Where to begin, how many rounds to take, and whether the map may do more than shift. */
interface AlignOptions {
  readonly from: Pick<Alignment, 'map' | 'gain' | 'offset'>
  readonly rounds: number
  readonly isShift?: boolean
}

/** Where nothing is known. */
export const initialAlignment: AlignOptions['from'] = { map: identityMap, gain: 1, offset: 0 }

const maxPoints = 4096
const residuals = new Float32Array(maxPoints)
const histogram = new Uint32Array(512)

/**
 * Lays points onto a picture by the least differences of brightness (Baker and Matthews' inverse compositional way),
 * those that do not fit counting little (Tukey's weights), so that what moves by itself does not pull. Begins
 * within a pixel or two of the truth.
 */
export function alignPoints(
  points: FeaturePoints,
  onto: GreyImage,
  { from, rounds, isShift = false }: AlignOptions,
): Alignment {
  let { map, gain, offset } = from
  let found = measureResiduals(points, onto, { map, gain, offset })
  for (let round = 0; round < rounds && found.visibleShare * points.count >= 12; round += 1) {
    const step = gaussNewtonStep(points, residuals, {
      gain,
      limit: 4.685 * Math.max(1, found.residual),
      isShift,
    })
    if (!step) break
    const tried = {
      map: composeMaps(invertMap(step.warp), map),
      gain: gain + step.gain,
      offset: offset + step.offset,
    }
    const next = measureResiduals(points, onto, tried)
    if (next.visibleShare < found.visibleShare * 0.7 || next.residual > found.residual * 1.05 + 0.05) {
      // The differences of what stays are what callers may look at.
      measureResiduals(points, onto, { map, gain, offset })
      break
    }
    ;({ map, gain, offset } = tried)
    found = next
    if (step.length < 0.004) break
  }
  return { map, gain, offset, ...found }
}

/** Takes the differences at points, and what is usual of them: 1.48 times their median. */
function measureResiduals(
  points: FeaturePoints,
  { x: left, y: top, width, height, data, hidden }: GreyImage,
  { map: [a, b, c, d, e, f], gain, offset }: AlignOptions['from'],
): Pick<Alignment, 'residual' | 'inlierShare' | 'visibleShare'> {
  histogram.fill(0)
  let seen = 0
  for (let index = 0; index < points.count; index += 1) {
    const px = points.x[index] ?? 0
    const py = points.y[index] ?? 0
    const x = a * px + b * py + c - left
    const y = d * px + e * py + f - top
    residuals[index] = Number.NaN
    if (!(x >= 0 && y >= 0 && x < width - 1 && y < height - 1)) continue
    const [column, line] = [x | 0, y | 0]
    const at = line * width + column
    if ((hidden[at] ?? 1) + (hidden[at + width + 1] ?? 1) > 0) continue
    const [u, v] = [x - column, y - line]
    const above = (data[at] ?? 0) * (1 - u) + (data[at + 1] ?? 0) * u
    const below = (data[at + width] ?? 0) * (1 - u) + (data[at + width + 1] ?? 0) * u
    const difference = above + (below - above) * v - gain * (points.value[index] ?? 0) - offset
    residuals[index] = difference
    const bin = Math.min(511, (Math.abs(difference) * 4) | 0)
    histogram[bin] = (histogram[bin] ?? 0) + 1
    seen += 1
  }
  let [bin, passed] = [0, 0]
  while (bin < 511 && passed + (histogram[bin] ?? 0) < seen / 2) passed += histogram[bin++] ?? 0
  const residual = (1.4826 * (bin + 0.5)) / 4
  let agreeing = 0
  for (let index = 0; index < 28; index += 1) agreeing += histogram[index] ?? 0
  return {
    residual,
    visibleShare: seen / Math.max(1, points.count),
    inlierShare: agreeing / Math.max(1, seen),
  }
}

/** A change of a map and of brightness. */
interface AlignmentStep {
  readonly warp: AffineMap
  /** Pixels that it moves a point by, about. */
  readonly length: number
  readonly gain: number
  readonly offset: number
}

/** Six of the map, then gain and offset. */
const unknowns = 8
const normalMatrix = new Float64Array(unknowns * unknowns)
const rightSide = new Float64Array(unknowns)
const observation = new Float64Array(unknowns)

/** Small pulls to no change hold what points tell nothing of. */
const regularization = [40, 40, 1e-3, 40, 40, 1e-3, 500, 2]

/** The step that takes most of the differences at points away; those above the limit, or not a number, do not count. */
function gaussNewtonStep(
  points: FeaturePoints,
  differences: Float32Array,
  { gain, limit, isShift }: { gain: number; limit: number; isShift: boolean },
): AlignmentStep | undefined {
  const [middleX, middleY, reach] = pointExtent(points)
  resetSystem(isShift)
  for (let index = 0; index < points.count; index += 1) {
    const share = (differences[index] ?? 0) / limit
    if (!(share < 1 && share > -1)) continue
    const gx = gain * (points.gradientX[index] ?? 0)
    const gy = gain * (points.gradientY[index] ?? 0)
    const x = ((points.x[index] ?? 0) - middleX) / reach
    const y = ((points.y[index] ?? 0) - middleY) / reach
    observation[0] = gx * x
    observation[1] = gx * y
    observation[2] = gx
    observation[3] = gy * x
    observation[4] = gy * y
    observation[5] = gy
    observation[6] = points.value[index] ?? 0
    observation[7] = 1
    addObservation((1 - share * share) ** 2, differences[index] ?? 0)
  }
  if (!solveCholesky(normalMatrix, rightSide, unknowns)) return undefined
  const [p = 0, q = 0, r = 0, s = 0, t = 0, u = 0, more = 0, offset = 0] = rightSide
  const warp: AffineMap = [
    ...([1 + p / reach, q / reach, r - (p * middleX + q * middleY) / reach] as const),
    ...([s / reach, 1 + t / reach, u - (s * middleX + t * middleY) / reach] as const),
  ]
  const length = Math.max(Math.abs(p) + Math.abs(q) + Math.abs(r), Math.abs(s) + Math.abs(t) + Math.abs(u))
  return { warp, length, gain: more, offset }
}

/** Begins a system; what only shifts is held from doing more. */
function resetSystem(isShift: boolean): void {
  normalMatrix.fill(0)
  rightSide.fill(0)
  for (let index = 0; index < unknowns; index += 1) {
    const isHeld = isShift && index < 6 && index % 3 !== 2
    normalMatrix[index * unknowns + index] = isHeld ? 1e12 : (regularization[index] ?? 0)
  }
}

/** Adds one point's row to the lower half of the system. */
function addObservation(weight: number, difference: number): void {
  for (let one = 0; one < unknowns; one += 1) {
    const weighed = weight * (observation[one] ?? 0)
    rightSide[one] = (rightSide[one] ?? 0) + weighed * difference
    for (let other = 0; other <= one; other += 1) {
      const at = one * unknowns + other
      normalMatrix[at] = (normalMatrix[at] ?? 0) + weighed * (observation[other] ?? 0)
    }
  }
}

function pointExtent({ count, x, y }: FeaturePoints): readonly [x: number, y: number, reach: number] {
  let [left, end, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
  for (let index = 0; index < count; index += 1) {
    left = Math.min(left, x[index] ?? 0)
    end = Math.max(end, x[index] ?? 0)
    top = Math.min(top, y[index] ?? 0)
    bottom = Math.max(bottom, y[index] ?? 0)
  }
  return [(left + end) / 2, (top + bottom) / 2, Math.max(1, end - left, bottom - top) / 2]
}

/**
 * Solves a symmetric positive system of `count` unknowns, rows in turn, by Cholesky's way, in place; what is to be
 * found replaces `right`. False where the system has no single solution.
 */
export function solveCholesky(matrix: Float64Array, right: Float64Array, count: number): boolean {
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let sum = matrix[row * count + column] ?? 0
      for (let k = 0; k < column; k += 1) {
        sum -= (matrix[row * count + k] ?? 0) * (matrix[column * count + k] ?? 0)
      }
      if (row !== column) matrix[row * count + column] = sum / (matrix[column * count + column] ?? 1)
      else if (sum > 1e-9) matrix[row * count + row] = Math.sqrt(sum)
      else return false
    }
  }
  for (let row = 0; row < count; row += 1) {
    let sum = right[row] ?? 0
    for (let k = 0; k < row; k += 1) sum -= (matrix[row * count + k] ?? 0) * (right[k] ?? 0)
    right[row] = sum / (matrix[row * count + row] ?? 1)
  }
  for (let row = count - 1; row >= 0; row -= 1) {
    let sum = right[row] ?? 0
    for (let k = row + 1; k < count; k += 1) sum -= (matrix[k * count + row] ?? 0) * (right[k] ?? 0)
    right[row] = sum / (matrix[row * count + row] ?? 1)
  }
  return true
}
