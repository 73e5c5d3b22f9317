import type { Patch } from '../frame.ts'
import { grown } from './masks.ts'
import type { Rect } from '../../geometry.ts'

/** A patch and what lies around it, in square cells of `size` pixels. */
export interface Cells extends Rect {
  readonly size: number
  readonly columns: number
  readonly rows: number
  /** 1 for cells with something to fill. */
  readonly isHole: Uint8Array
  /** Steps of cells from the nearest hole; 0 in holes. */
  readonly away: Uint8Array
}

/** Cells that the ring around a patch is wide. */
export const ringCells = 3

/** Pixels around a patch that have to be known for it to be found elsewhere; a few more, as nothing lies on whole ones. */
export function ringOf(frame: { readonly width: number; readonly height: number }): number {
  return ringCells * cellSize(frame) + 8
}

/** 8 pixels of a small picture, 16 of 1080 lines, 32 of 2160; fours of them, as motion is first looked for so small. */
function cellSize({ width, height }: { readonly width: number; readonly height: number }): number {
  return Math.max(8, Math.round(Math.min(width, height) / 270) * 4)
}

const known = new WeakMap<Patch, Cells>()

/** Divides a patch and the ring around it, which is cut off by the frame's edges; once for each patch. */
export function cellsOf(patch: Patch, frame: { readonly width: number; readonly height: number }): Cells {
  const there = known.get(patch)
  if (there) return there
  const size = cellSize(frame)
  const rect = grown(patch, { x: ringCells * size, y: ringCells * size }, frame)
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
  const cells: Cells = { ...rect, size, columns, rows, isHole, away: awayFrom(isHole, columns, rows) }
  known.set(patch, cells)
  return cells
}

function awayFrom(isHole: Uint8Array, columns: number, rows: number): Uint8Array {
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
