import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  drawSheet,
  fitInside,
  layOutSheet,
  placeCells,
  sheetWidth,
  timeCode,
  timeMarks,
} from './draw-sheet.ts'
import { emptyCellTint } from './raster.ts'

const video = fc.record({
  width: fc.integer({ min: 1, max: 16_384 }),
  height: fc.integer({ min: 1, max: 16_384 }),
  durationMs: fc.integer({ min: 1, max: 3_600_000_000 }),
  frames: fc.nat(1_000_000),
})

describe('layOutSheet', () => {
  test('frames lie inside the sheet, apart from each other, at rising times inside the video', () => {
    fc.assert(
      fc.property(video, (given) => {
        const { width, height, cells } = layOutSheet(given)
        expect(width).toBeLessThanOrEqual(sheetWidth)
        expect(cells.length).toBe(Math.max(1, Math.min(12, given.frames)))
        for (const [index, { box, timeMs, labelTop }] of cells.entries()) {
          expect(timeMs >= (cells[index - 1]?.timeMs ?? 0) && timeMs < given.durationMs).toBe(true)
          expect(box.x >= 0 && box.y >= 0 && box.x + box.width <= width && labelTop + 13 <= height).toBe(true)
          const left = cells[index - 1]
          const apart = !left || left.box.x + left.box.width < box.x || left.labelTop + 13 < box.y
          expect(apart).toBe(true)
        }
      }),
    )
  })

  test('frames are taken from the middles of equal parts', () => {
    const { cells } = layOutSheet({ width: 16, height: 9, durationMs: 12_000, frames: 300 })
    expect(cells.map(({ timeMs }) => timeMs)).toEqual(
      Array.from({ length: 12 }, (_, part) => part * 1000 + 500),
    )
  })
})

test('fitInside preserves the aspect ratio and touches the frame', () => {
  fc.assert(
    fc.property(video, ({ width, height }) => {
      const fitted = fitInside({ width, height }, { width: 300, height: 200 })
      expect(fitted.width <= 300 && fitted.height <= 200).toBe(true)
      expect(fitted.width === 300 || fitted.height === 200).toBe(true)
    }),
  )
})

test.each([
  [0, 5000, '0:00'],
  [61_999, 5000, '1:01'],
  [3_600_000, 60_000, '1:00:00'],
  [36_061_000, 60_000, '10:01:01'],
  [2549, 500, '0:02.5'],
  [2549, 40, '0:02.54'],
  [2549, 5, '0:02.549'],
])('%d ms in steps of %d ms reads %s', (timeMs, stepMs, text) => {
  expect(timeCode(timeMs, stepMs)).toBe(text)
})

test('time marks are round, inside the sound, few, and distinguishable by their time codes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3_600_000_000 }), (durationMs) => {
      const { stepMs, times } = timeMarks(durationMs)
      expect(times[0]).toBe(0)
      expect(times.length).toBeLessThanOrEqual(11)
      expect(times.at(-1)).toBeLessThanOrEqual(durationMs)
      expect(new Set(times.map((time) => timeCode(time, stepMs))).size).toBe(times.length)
    }),
  )
})

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

it('an empty cell states the reason in as many lines as required, or nothing', () => {
  const why = 'not then'
  expect(linesOf(written(300, why))).toBe(1)
  expect(linesOf(written(60, why))).toBe(2)
  expect(linesOf(written(20, why))).toBe(0)
  expect(linesOf(written(300, undefined))).toBe(0)
})
