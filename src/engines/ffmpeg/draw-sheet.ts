import { drawLine, lineWidth } from './lettering.ts'
import { fillRect, layRgba, newPicture } from './raster.ts'
import type { Picture } from './raster.ts'
import { digitHeight, timeCode, type SheetLayout } from './sheet-layout.ts'
import { background, emptyFrame, lettering } from './tints.ts'
import type { Rect } from '../../media/geometry.ts'

/**
 * Draws a contact sheet: a frame of four-byte pixels (with alpha) in each cell, or in words why there is none, and its
 * time code below.
 */
export function drawSheet(
  sheet: SheetLayout,
  frames: readonly (Uint8Array | string | undefined)[],
  stepMs: number,
): Picture {
  const picture = newPicture(sheet.width, sheet.height, background)
  for (const [index, { box, timeMs, labelTop }] of sheet.cells.entries()) {
    const shown = frames[index]
    if (shown instanceof Uint8Array) layRgba(picture, box, shown)
    // One damaged place leaves one empty cell.
    else drawEmpty(picture, box, shown ?? '')
    const text = timeCode(timeMs, stepMs)
    const left = Math.round(box.x + (box.width - lineWidth(text, digitHeight)) / 2)
    drawLine(picture, { text, x: left, y: labelTop, height: digitHeight }, lettering)
  }
  return picture
}

/** Room beside words, and from line to line, pixels. */
const wordsMargin = 6
const wordsLine = 2 * digitHeight

/** A cell without a frame, and why: in one line, or word by word; not where that has no room. */
function drawEmpty(picture: Picture, box: Rect, why: string): void {
  fillRect(picture, box, emptyFrame)
  const fits = (lines: readonly string[]) =>
    lines.length * wordsLine <= box.height &&
    lines.every((line) => lineWidth(line, digitHeight) + 2 * wordsMargin <= box.width)
  const lines = [[why], why.split(' ')].find(fits) ?? []
  for (const [index, text] of lines.entries()) {
    const x = box.x + (box.width - lineWidth(text, digitHeight)) / 2
    const y = box.y + box.height / 2 + (index - lines.length / 2) * wordsLine + digitHeight / 2
    drawLine(picture, { text, x, y, height: digitHeight }, lettering)
  }
}
