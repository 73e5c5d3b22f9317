import { lumaCells, type Thumbnail } from './thumbnail.ts'

/** Contrast in levels below which a difference is not divided further: what is left of noise in dark pictures. */
const minContrast = 1.2

/** The same for chroma, which encoders round to whole levels in dark pictures. */
const minChromaContrast = 4

/** Returns the standard deviation of the luma of a thumbnail, in levels. */
export function contrastOf(thumbnail: Thumbnail): number {
  const cells = lumaCells(thumbnail)
  let [sum, squares] = [0, 0]
  for (const value of cells) {
    sum += value
    squares += value * value
  }
  return Math.sqrt(Math.max(0, squares / cells.length - (sum / cells.length) ** 2))
}

/**
 * Returns the difference of two thumbnails relative to the contrast of their luma, so that dark scenes differ as much as
 * bright ones: about 1 for unrelated scenes, 0 for equal ones. The plane that differs most counts.
 */
export function relativeDifference(one: Thumbnail, other: Thumbnail): number {
  const contrast = (contrastOf(one) + contrastOf(other)) / 2
  const cells = one.columns * one.rows
  let largest = 0
  for (let plane = 0; plane < 3; plane += 1) {
    let sum = 0
    for (let at = plane * cells; at < (plane + 1) * cells; at += 1)
      sum += Math.abs((one.values[at] ?? 0) - (other.values[at] ?? 0))
    // Chroma varies over about half the range of luma.
    const relative =
      plane === 0 ? sum / Math.max(minContrast, contrast) : (2 * sum) / Math.max(minChromaContrast, contrast)
    largest = Math.max(largest, relative / cells)
  }
  return largest
}

/** Correlation of luma from which the light has changed, not the scene. */
export const minLightCorrelation = 0.92

/**
 * Returns the correlation of the luma of two thumbnails, -1 to 1; 0 if one has hardly any contrast. A change of the
 * light leaves it near 1.
 */
export function lumaCorrelation(one: Thumbnail, other: Thumbnail): number {
  const [deviation, otherDeviation] = [contrastOf(one), contrastOf(other)]
  if (Math.min(deviation, otherDeviation) < minContrast) return 0
  const [a, b] = [lumaCells(one), lumaCells(other)]
  let [sum, otherSum, products] = [0, 0, 0]
  for (let at = 0; at < a.length; at += 1) {
    sum += a[at] ?? 0
    otherSum += b[at] ?? 0
    products += (a[at] ?? 0) * (b[at] ?? 0)
  }
  const covariance = products / a.length - (sum / a.length) * (otherSum / a.length)
  return covariance / (deviation * otherDeviation)
}

/** Share of the sides by which the whole picture may have moved between two thumbnails. */
const maxShiftShare = 0.25

/** Side of the blocks whose own motion is searched, and their largest motion, in cells. */
const blockSide = 8
const maxBlockMotion = 2

/**
 * Returns how much of the difference of two thumbnails' luma motion leaves unexplained, 0 to 1: the least of all shifts
 * of the whole picture by up to a quarter of its sides, and of separate shifts of its blocks by up to two cells, as by a zoom.
 */
export function unexplainedByMotion(one: Thumbnail, other: Thumbnail): number {
  const whole = { left: 0, top: 0, right: one.columns, bottom: one.rows }
  const unmoved = shiftedDistance([one, other], whole, { across: 0, down: 0 })
  if (unmoved === 0) return 0
  const [across, down] = [Math.round(one.columns * maxShiftShare), Math.round(one.rows * maxShiftShare)]
  const together = leastShiftedDistance([one, other], whole, { across, down })
  let [sum, count] = [0, 0]
  for (let top = 0; top + blockSide <= one.rows; top += blockSide) {
    for (let left = 0; left + blockSide <= one.columns; left += blockSide) {
      const block = { left, top, right: left + blockSide, bottom: top + blockSide }
      sum += leastShiftedDistance([one, other], block, { across: maxBlockMotion, down: maxBlockMotion })
      count += 1
    }
  }
  return Math.min(together, count > 0 ? sum / count : unmoved) / unmoved
}

interface Cells {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

interface Shift {
  readonly across: number
  readonly down: number
}

/** Returns the least mean distance of an area of one picture from any shifted area of the other. */
function leastShiftedDistance(pair: readonly [Thumbnail, Thumbnail], area: Cells, most: Shift): number {
  let least = Infinity
  for (let down = -most.down; down <= most.down; down += 1) {
    for (let across = -most.across; across <= most.across; across += 1)
      least = Math.min(least, shiftedDistance(pair, area, { across, down }))
  }
  return least
}

/** Returns the mean distance of the luma of an area from that of the other picture, where the shifted area is inside it. */
function shiftedDistance(
  [one, other]: readonly [Thumbnail, Thumbnail],
  { left, top, right, bottom }: Cells,
  { across, down }: Shift,
): number {
  const { columns, rows } = one
  const [fromColumn, toColumn] = [Math.max(left, -across), Math.min(right, columns - across)]
  const [fromRow, toRow] = [Math.max(top, -down), Math.min(bottom, rows - down)]
  let sum = 0
  for (let row = fromRow; row < toRow; row += 1) {
    for (let column = fromColumn; column < toColumn; column += 1) {
      const [at, moved] = [row * columns + column, (row + down) * columns + column + across]
      sum += Math.abs((one.values[at] ?? 0) - (other.values[moved] ?? 0))
    }
  }
  return sum / Math.max(1, (toColumn - fromColumn) * (toRow - fromRow))
}
