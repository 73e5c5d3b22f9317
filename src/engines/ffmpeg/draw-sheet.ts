import { drawTextLine, textWidth } from './lettering.ts'
import { fillRect, compositeRgba, newPicture } from './raster.ts'
import type { RgbPicture } from './raster.ts'
import { digitHeight, timeCode, type SheetLayout } from './sheet-layout.ts'
import { sheetBackground, emptyCellTint, textTint } from './tints.ts'
import type { Rect } from '../../media/geometry.ts'

/**
 * Draws a contact sheet. Each cell shows an RGBA frame (4 bytes per pixel), or a text that explains why there
 * is no frame, with the time code below.
 */
export function drawSheet(
  sheet: SheetLayout,
  frames: readonly (Uint8Array | string | undefined)[],
  stepMs: number,
): RgbPicture {
  const picture = newPicture(sheet.width, sheet.height, sheetBackground)
  for (const [index, { box, timeMs, labelTop }] of sheet.cells.entries()) {
    const shown = frames[index]
    if (shown instanceof Uint8Array) compositeRgba(picture, box, shown)
    // A frame that does not decode leaves its own cell empty only.
    else drawEmptyCell(picture, box, shown ?? '')
    const text = timeCode(timeMs, stepMs)
    const left = Math.round(box.x + (box.width - textWidth(text, digitHeight)) / 2)
    drawTextLine(picture, { text, x: left, y: labelTop, height: digitHeight }, textTint)
  }
  return picture
}

/** Horizontal margin beside text and distance between lines, pixels. */
const textMargin = 6
const textLineHeight = 2 * digitHeight

/**
 * Draws a cell without a frame and the reason, on one line or one word per line. Omits the text if it does
 * not fit.
 */
function drawEmptyCell(picture: RgbPicture, box: Rect, why: string): void {
  fillRect(picture, box, emptyCellTint)
  const fits = (lines: readonly string[]) =>
    lines.length * textLineHeight <= box.height &&
    lines.every((line) => textWidth(line, digitHeight) + 2 * textMargin <= box.width)
  const lines = [[why], why.split(' ')].find(fits) ?? []
  for (const [index, text] of lines.entries()) {
    const x = box.x + (box.width - textWidth(text, digitHeight)) / 2
    const y = box.y + box.height / 2 + (index - lines.length / 2) * textLineHeight + digitHeight / 2
    drawTextLine(picture, { text, x, y, height: digitHeight }, textTint)
  }
}
