import { possiblePositions } from './hold-camera.ts'
import { lumaCells, type Thumbnail } from './thumbnail.ts'

/** What draws the eye in a frame: shares of each column and row of a coarse grid, in thousandths. */
export interface Saliency {
  readonly columns: readonly number[]
  readonly rows: readonly number[]
}

/** Columns and rows of the coarse grid. */
const gridSide = 16

/** Weight of motion relative to contrast and to colour. */
const motionWeight = 2

/** Difference of two frames from which a cell moves, levels: more than noise. */
const minMotion = 2

/**
 * Returns what draws the eye in a frame: cells that differ from their neighbours, whose colour differs from the mean, and,
 * counted twice, that change from an earlier frame. Each of the three is relative to its mean over the picture, so that
 * motion everywhere, as in a pan, prefers no place.
 */
export function measureSaliency(frame: Thumbnail, earlier?: Thumbnail): Saliency {
  const { columns, rows } = frame
  const maps = [contrastMap(frame), colourMap(frame), earlier ? motionMap(frame, earlier) : []]
  const weights = [1, 1, motionWeight]
  const total = Array.from({ length: columns * rows }, () => 0)
  for (const [index, map] of maps.entries()) {
    const mean = map.reduce((sum, value) => sum + value, 0) / Math.max(1, map.length)
    if (mean <= 0) continue
    for (const [cell, value] of map.entries())
      total[cell] = (total[cell] ?? 0) + ((weights[index] ?? 0) * value) / mean
  }
  const sum = total.reduce((all, value) => all + value, 0)
  const shares = (length: number, coordinate: (cell: number) => number) => {
    const bins = Array.from({ length: gridSide }, () => 0)
    for (const [cell, value] of total.entries()) {
      const bin = Math.floor((coordinate(cell) * gridSide) / length)
      bins[bin] = (bins[bin] ?? 0) + value
    }
    return bins.map((value) => (sum > 0 ? Math.round((1000 * value) / sum) : 0))
  }
  return {
    columns: shares(columns, (cell) => cell % columns),
    rows: shares(rows, (cell) => Math.floor(cell / columns)),
  }
}

/** Returns the difference of the luma of each cell from its neighbours to the right and below. */
function contrastMap(frame: Thumbnail): number[] {
  const { columns, rows } = frame
  const luma = lumaCells(frame)
  return Array.from(luma, (value, cell) => {
    const right = cell % columns < columns - 1 ? (luma[cell + 1] ?? value) : value
    const below = cell < columns * (rows - 1) ? (luma[cell + columns] ?? value) : value
    return Math.abs(right - value) + Math.abs(below - value)
  })
}

/** Returns the distance of the colour of each cell from the mean colour. */
function colourMap({ columns, rows, values }: Thumbnail): number[] {
  const cells = columns * rows
  const planes = [values.subarray(cells, 2 * cells), values.subarray(2 * cells)]
  const means = planes.map((plane) => plane.reduce((sum, value) => sum + value, 0) / cells)
  return Array.from({ length: cells }, (_, cell) =>
    planes.reduce((sum, plane, index) => sum + Math.abs((plane[cell] ?? 0) - (means[index] ?? 0)), 0),
  )
}

function motionMap(frame: Thumbnail, earlier: Thumbnail): number[] {
  const before = lumaCells(earlier)
  return Array.from(lumaCells(frame), (value, cell) =>
    Math.max(0, Math.abs(value - (before[cell] ?? value)) - minMotion),
  )
}

/** Preference of the middle: share of the saliency that a crop at a side must contain more than one in the middle. */
const middlePreference = 0.15

/** Share of its weight that saliency loses at the edge of the crop: what draws the eye is to be in its middle. */
const edgeLoss = 0.5

/**
 * Returns the position of a crop along one axis that contains most of what draws the eye; the middle if nothing does.
 * `list`: the columns or the rows of several frames. Lengths are in pixels; the position is even.
 */
export function salientPosition(
  list: readonly (readonly number[])[],
  lengths: { readonly crop: number; readonly picture: number },
): number {
  const bins = Array.from({ length: gridSide }, (_, bin) =>
    list.reduce((sum, shares) => sum + (shares[bin] ?? 0), 0),
  )
  const whole = Math.max(
    1,
    bins.reduce((sum, value) => sum + value, 0),
  )
  const { crop, picture } = lengths
  const inside = (position: number) =>
    bins.reduce((sum, value, bin) => {
      const [from, to] = [(bin * picture) / gridSide, ((bin + 1) * picture) / gridSide]
      const common = Math.max(0, Math.min(to, position + crop) - Math.max(from, position))
      if (common === 0) return sum
      const middle = (Math.max(from, position) + Math.min(to, position + crop)) / 2
      const distance = Math.abs(middle - position - crop / 2) / (crop / 2)
      return sum + (value * common * (1 - edgeLoss * distance)) / (to - from)
    }, 0)
  const score = (position: number) => {
    const distance = Math.abs(position + crop / 2 - picture / 2) / (picture / 2)
    return inside(position) / whole - middlePreference * distance
  }
  const positions = possiblePositions(lengths)
  return positions.reduce(
    (best, position) => (score(position) > score(best) + 1e-9 ? position : best),
    positions[Math.floor(positions.length / 2)] ?? 0,
  )
}
