import type { Affine } from './affine.ts'
import type { Picture } from './points.ts'
import type { Ring } from './ring.ts'

/** Pixels of small pictures to each side that are looked at. */
const farthest = 6
const side = 2 * farthest + 1

/** What a ring's cells are moved by, in whole pixels of small pictures. */
interface Shifts {
  readonly right: Float32Array
  readonly down: Float32Array
}

/** Finds for each cell of a ring the shift that makes it and its neighbours most alike in a picture, by trying all. */
export function searchBlocks(ring: Ring, onto: Picture, map: Affine): Shifts {
  const { columns, rows } = ring.cells
  const costs = new Float32Array(columns * rows * side * side)
  const counts = new Uint16Array(columns * rows)
  addCosts(ring, onto, { map, costs, counts })
  const [right, down] = [new Float32Array(counts.length), new Float32Array(counts.length)]
  for (let cell = 0; cell < counts.length; cell += 1) {
    if (counts[cell] === 0) continue
    const near = neighbours(cell, columns, rows).filter((at) => (counts[at] ?? 0) > 0)
    const samples = near.reduce((sum, at) => sum + (counts[at] ?? 0), 0)
    let [least, best] = [Infinity, 0]
    for (let shift = 0; shift < side * side; shift += 1) {
      let sum = 0
      for (const at of near) sum += costs[at * side * side + shift] ?? 0
      const [x, y] = [(shift % side) - farthest, Math.floor(shift / side) - farthest]
      // Of shifts that are about as good, the shortest.
      const cost = sum / samples + 0.25 * Math.hypot(x, y)
      if (cost < least) [least, best] = [cost, shift]
    }
    right[cell] = (best % side) - farthest
    down[cell] = Math.floor(best / side) - farthest
  }
  return { right, down }
}

function addCosts(
  ring: Ring,
  { x: left, y: top, width, height, data, hidden }: Picture,
  { map: [a, b, c, d, e, f], costs, counts }: { map: Affine; costs: Float32Array; counts: Uint16Array },
): void {
  for (let index = 0; index < ring.count; index += 1) {
    const [px, py, cell] = [ring.x[index] ?? 0, ring.y[index] ?? 0, ring.cell[index] ?? 0]
    const x = Math.round(a * px + b * py + c - left)
    const y = Math.round(d * px + e * py + f - top)
    if (!(x >= 0 && y >= 0 && x < width && y < height)) continue
    const value = ring.value[index] ?? 0
    counts[cell] = (counts[cell] ?? 0) + 1
    let to = cell * side * side
    for (let line = y - farthest; line <= y + farthest; line += 1) {
      for (let column = x - farthest; column <= x + farthest; column += 1, to += 1) {
        const at = line * width + column
        const isOut = column < 0 || line < 0 || column >= width || line >= height || hidden[at] === 1
        costs[to] = (costs[to] ?? 0) + (isOut ? 25 : Math.min(60, Math.abs((data[at] ?? 0) - value)))
      }
    }
  }
}

function neighbours(cell: number, columns: number, rows: number): number[] {
  const [column, row] = [cell % columns, Math.floor(cell / columns)]
  const near: number[] = []
  for (let y = Math.max(0, row - 1); y <= Math.min(rows - 1, row + 1); y += 1) {
    for (let x = Math.max(0, column - 1); x <= Math.min(columns - 1, column + 1); x += 1)
      near.push(y * columns + x)
  }
  return near
}
