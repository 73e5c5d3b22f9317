import { expect, it } from 'vitest'
import { drawSheet } from './draw-sheet.ts'
import { placeCells } from './sheet-layout.ts'
import { emptyCellTint } from './tints.ts'

/** Counts the pixels of a cell's first frame that differ from the empty colour, per row. */
function written(width: number, why: string | undefined): number[] {
  const sheet = placeCells({ width, height: 300 }, [0], { columns: 1, across: 6, tallest: 300 })
  const { pixels, width: stride } = drawSheet(sheet, [why], 1000)
  const box = sheet.cells[0]?.box ?? { x: 0, y: 0, width: 0, height: 0 }
  return Array.from({ length: box.height }, (_, row) => {
    const from = 3 * ((box.y + row) * stride + box.x)
    const line = pixels.subarray(from, from + 3 * box.width)
    return line.reduce((count, value, at) => count + (value === emptyCellTint[at % 3] ? 0 : 1), 0)
  })
}

/** Returns the number of separate runs of non-empty rows. */
const linesOf = (rows: readonly number[]) =>
  rows.filter((count, row) => count > 0 && (rows[row - 1] ?? 0) === 0).length

it('an empty cell says why, in as many lines as it needs, or nothing', () => {
  const why = 'not then'
  expect(linesOf(written(300, why))).toBe(1)
  expect(linesOf(written(60, why))).toBe(2)
  expect(linesOf(written(20, why))).toBe(0)
  expect(linesOf(written(300, undefined))).toBe(0)
})
