import type { Rect } from '../../geometry.ts'
import type { Patch } from '../frame.ts'
import { growRect } from './hidden-mask.ts'

/** A patch and the ring around it, divided into square cells of `size` pixels. */
export interface CellGrid extends Rect {
  readonly size: number
  readonly columns: number
  readonly rows: number
  /** 1 for cells that contain masked pixels. */
  readonly isHole: Uint8Array
  /** Distance from the nearest hole cell, in cells (4-connected); 0 in holes. */
  readonly ringDistance: Uint8Array
}

/** Width of the ring around a patch, in cells. */
export const ringCells = 3

/** Margin around a patch, in pixels, that must be available to match it: the ring plus 8 pixels for interpolation. */
export function ringMargin(frame: { readonly width: number; readonly height: number }): number {
  return ringCells * cellSize(frame) + 8
}

/**
 * Cell size in pixels: 8 for small pictures, 16 at 1080 lines, 32 at 2160. A multiple of 4, so that coarse cells are 4
 * pixels.
 */
function cellSize({ width, height }: { readonly width: number; readonly height: number }): number {
  return Math.max(8, Math.round(Math.min(width, height) / 270) * 4)
}

const cellGrids = new WeakMap<Patch, CellGrid>()

/** Returns the cell grid of a patch and its ring, clipped to the frame. Cached per patch. */
export function cellGrid(patch: Patch, frame: { readonly width: number; readonly height: number }): CellGrid {
  const there = cellGrids.get(patch)
  if (there) return there
  const size = cellSize(frame)
  const rect = growRect(patch, { x: ringCells * size, y: ringCells * size }, frame)
  const columns = Math.ceil(rect.width / size)
  const rows = Math.ceil(rect.height / size)
  const isHole = new Uint8Array(columns * rows)
  for (let line = 0; line < patch.height; line += 1) {
    const row = Math.floor((patch.y + line - rect.y) / size) * columns
    for (let at = 0; at < patch.width; at += 1) {
      if (patch.mask[line * patch.width + at] === 1)
        isHole[row + Math.floor((patch.x + at - rect.x) / size)] = 1
    }
  }
  const cells: CellGrid = {
    ...rect,
    size,
    columns,
    rows,
    isHole,
    ringDistance: distancesFromHoles(isHole, columns, rows),
  }
  cellGrids.set(patch, cells)
  return cells
}

function distancesFromHoles(isHole: Uint8Array, columns: number, rows: number): Uint8Array {
  const away = Uint8Array.from(isHole, (hole) => (hole === 1 ? 0 : 255))
  for (let step = 1; step <= ringCells + 1; step += 1) {
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        const at = row * columns + column
        if (away[at] !== 255) continue
        const isNext =
          (column > 0 && away[at - 1] === step - 1) ||
          (column + 1 < columns && away[at + 1] === step - 1) ||
          (row > 0 && away[at - columns] === step - 1) ||
          (row + 1 < rows && away[at + columns] === step - 1)
        if (isNext) away[at] = step
      }
    }
  }
  return away
}

/** Interpolation of a line of pixels between cell centres: left cell and share of the right one. */
interface LineInterpolation {
  readonly cell: Uint16Array
  readonly share: Float32Array
}

/** Returns the interpolation for `count` pixels, `step` apart, starting at centre `first`. */
export function interpolationAlong(
  cells: CellGrid,
  { first, count, step }: { first: number; count: number; step: number },
): LineInterpolation {
  const cell = new Uint16Array(count)
  const share = new Float32Array(count)
  for (let index = 0; index < count; index += 1) {
    const place = Math.min(
      cells.columns - 1,
      Math.max(0, (first + index * step - cells.x + 0.5) / cells.size - 0.5),
    )
    cell[index] = Math.floor(place)
    share[index] = place - Math.floor(place)
  }
  return { cell, share }
}

/**
 * Interpolates a field of cell values bilinearly along a line of pixels at height `y`. An absent field leaves `into`
 * unchanged.
 */
export function interpolateLine(
  field: Float32Array | undefined,
  { cell, share }: LineInterpolation,
  { cells, y, into }: { cells: CellGrid; y: number; into: Float32Array },
): void {
  if (!field) return
  const { columns, rows, size } = cells
  const place = Math.min(rows - 1, Math.max(0, (y - cells.y + 0.5) / size - 0.5))
  const row = Math.floor(place)
  const down = place - row
  const top = row * columns
  const next = row + 1 < rows ? columns : 0
  for (let index = 0; index < into.length; index += 1) {
    const at = top + (cell[index] ?? 0)
    const right = (cell[index] ?? 0) + 1 < columns ? 1 : 0
    const one = (field[at] ?? 0) + ((field[at + next] ?? 0) - (field[at] ?? 0)) * down
    const other =
      (field[at + right] ?? 0) + ((field[at + right + next] ?? 0) - (field[at + right] ?? 0)) * down
    into[index] = one + (other - one) * (share[index] ?? 0)
  }
}
