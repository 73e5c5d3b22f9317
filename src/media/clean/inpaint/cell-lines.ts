import type { Cells } from './cells.ts'

/** Where pixels of a line lie between the middles of cells. */
interface Places {
  readonly cell: Uint16Array
  readonly share: Float32Array
}

/** For pixels `step` apart, whose middle the first one's is. */
export function placesAlong(
  cells: Cells,
  { first, count, step }: { first: number; count: number; step: number },
): Places {
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
export function lineOf(
  field: Float32Array | undefined,
  { cell, share }: Places,
  { cells, y, into }: { cells: Cells; y: number; into: Float32Array },
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
