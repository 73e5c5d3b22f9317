import { drawLine, lineWidth } from './lettering.ts'
import { fillBox, layRgba, newPicture } from './raster.ts'
import type { Picture } from './raster.ts'
import { digitHeight, timeCode, type SheetLayout } from './sheet-layout.ts'
import { background, emptyFrame, lettering } from './tints.ts'

/** Draws a contact sheet: a frame of four-byte pixels (with alpha) in each cell, its time code below. */
export function drawSheet(
  sheet: SheetLayout,
  frames: readonly (Uint8Array | undefined)[],
  stepMs: number,
): Picture {
  const picture = newPicture(sheet.width, sheet.height, background)
  for (const [index, { box, timeMs, labelTop }] of sheet.cells.entries()) {
    const rgba = frames[index]
    // One damaged place leaves one empty cell.
    if (rgba) layRgba(picture, box, rgba)
    else fillBox(picture, box, emptyFrame)
    const text = timeCode(timeMs, stepMs)
    const left = Math.round(box.x + (box.width - lineWidth(text, digitHeight)) / 2)
    drawLine(picture, { text, x: left, y: labelTop, height: digitHeight }, lettering)
  }
  return picture
}
