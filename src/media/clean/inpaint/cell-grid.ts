import type { Rect } from '../../geometry.ts'
import type { Patch } from '../frame.ts'
import { growRect } from './hidden-mask.ts'

/** A patch and what lies around it, in square cells of `size` pixels. */
export interface CellGrid extends Rect {
  readonly size: number
  readonly columns: number
  readonly rows: number
  /** 1 for cells with something to fill. */
  readonly isHole: Uint8Array
  /** Steps of cells from the nearest hole; 0 in holes. */
  readonly ringDistance: Uint8Array
}

/** Cells that the ring around a patch is wide. */
export const ringCells = 3

/** Pixels around a patch that have to be known for it to be found elsewhere; a few more, as nothing lies on whole ones. */
export function ringMargin(frame: { readonly width: number; readonly height: number }): number {
  return ringCells * cellSize(frame) + 8
}

/** 8 pixels of a small picture, 16 of 1080 lines, 32 of 2160; fours of them, as motion is first looked for so small. */
function cellSize({ width, height }: { readonly width: number; readonly height: number }): number {
  return Math.max(8, Math.round(Math.min(width, height) / 270) * 4)
}

const cellGrids = new WeakMap<Patch, CellGrid>()

/** Divides a patch and the ring around it, which is cut off by the frame's edges; once for each patch. */
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

/** Where pixels of a line lie between the middles of cells. */
interface LineInterpolation {
  readonly cell: Uint16Array
  readonly share: Float32Array
}

/** For pixels `step` apart, whose middle the first one's is. */
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

/** Writes a field's values along a line of pixels at a height; a field of none is 0. */
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
