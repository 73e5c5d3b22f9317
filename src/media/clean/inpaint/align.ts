import { type AffineMap, composeMaps, identityMap, invertMap } from './affine.ts'
import type { FeaturePoints, GreyImage } from './grey-image.ts'

/** Registration of feature points in another image: an affine map and a linear brightness model. */
export interface Alignment {
  readonly map: AffineMap
  /** Brightness model: other = gain x own + offset, in levels (0 to 255). */
  readonly gain: number
  readonly offset: number
  /** Robust deviation of the remaining differences, in levels. */
  readonly residual: number
  /** Share of visible points that agree (within 7 levels), and share of all points that are visible, 0 to 1. */
  readonly inlierShare: number
  readonly visibleShare: number
}

/** Initial estimate, number of iterations, and whether to estimate a translation only. */
interface AlignOptions {
  readonly from: Pick<Alignment, 'map' | 'gain' | 'offset'>
  readonly rounds: number
  readonly isShift?: boolean
}

/** Estimate for unknown motion: identity and equal brightness. */
export const initialAlignment: AlignOptions['from'] = { map: identityMap, gain: 1, offset: 0 }

const maxPoints = 4096
const residuals = new Float32Array(maxPoints)
const histogram = new Uint32Array(512)

/**
 * Registers points in an image by inverse compositional image alignment (Baker and Matthews, 2004), with Tukey weights
 * so that independently moving objects do not bias the result. The initial estimate must be within one or two pixels.
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
      // Restore the residuals of the accepted estimate; the next iteration reads them.
      measureResiduals(points, onto, { map, gain, offset })
      break
    }
    ;({ map, gain, offset } = tried)
    found = next
    if (step.length < 0.004) break
  }
  return { map, gain, offset, ...found }
}

/**
 * Computes residuals at all points (NaN where not visible) and their scale: 1.48 times the median absolute residual.
 */
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

/** An incremental change of the map and the brightness model. */
interface AlignmentStep {
  readonly warp: AffineMap
  /** Approximate displacement of a point, in pixels. */
  readonly length: number
  readonly gain: number
  readonly offset: number
}

/** Six parameters of the map, then gain and offset. */
const unknowns = 8
const normalMatrix = new Float64Array(unknowns * unknowns)
const rightSide = new Float64Array(unknowns)
const observation = new Float64Array(unknowns)

/** Diagonal regularization towards no change, for parameters that the points do not constrain. */
const regularization = [40, 40, 1e-3, 40, 40, 1e-3, 500, 2]

/**
 * Returns the weighted least-squares step that reduces the residuals (Gauss-Newton). Residuals above `limit` and NaN
 * are ignored. Undefined if the system is singular.
 */
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

/** Clears the normal equations. A translation-only step fixes the linear parameters with a large diagonal. */
function resetSystem(isShift: boolean): void {
  normalMatrix.fill(0)
  rightSide.fill(0)
  for (let index = 0; index < unknowns; index += 1) {
    const isHeld = isShift && index < 6 && index % 3 !== 2
    normalMatrix[index * unknowns + index] = isHeld ? 1e12 : (regularization[index] ?? 0)
  }
}

/** Adds one weighted observation to the lower triangle of the normal equations. */
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
 * Solves a symmetric positive definite system of `count` unknowns by Cholesky decomposition, in place. `matrix` is
 * stored in rows; the solution replaces `right`. Returns false if the system is singular.
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
