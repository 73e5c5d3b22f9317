import { digitHeight, sheetWidth, timeCode, timeMarks } from './sheet-layout.ts'
import { drawLine, lineWidth } from './lettering.ts'
import type { Level } from './peaks.ts'
import { fillRect, newPicture } from './raster.ts'
import type { Colour, Picture } from './raster.ts'
import { background, lettering } from './tints.ts'

const markTint: Colour = [52, 56, 64]
const peakTint: Colour = [58, 108, 158]
const meanTint: Colour = [132, 190, 240]

const height = 220
const margin = 20
const top = 16
/** Height of full-scale sound in pixels. */
const span = 156

/** Lifts quiet sound much as ears do, so that speech at a low level can still be told from silence. */
const loudnessCurve = 0.6

/** Number of levels a waveform shows, one for each column of pixels. */
export const waveColumns = sheetWidth - 2 * margin

/** Draws levels over time around a middle line, with time marks below. */
export function drawWave(levels: readonly Level[], durationMs: number): Picture {
  const picture = newPicture(sheetWidth, height, background)
  const middle = top + span / 2
  drawMarks(picture, durationMs)
  for (const [column, { peak, mean }] of levels.entries()) {
    for (const [level, colour] of [
      [peak, peakTint],
      [mean, meanTint],
    ] as const) {
      // Silence stays visible as the middle line.
      const half = Math.round((level ** loudnessCurve * span) / 2)
      fillRect(picture, { x: margin + column, y: middle - half, width: 1, height: 2 * half + 1 }, colour)
    }
  }
  return picture
}

function drawMarks(picture: Picture, durationMs: number): void {
  const { stepMs, times } = timeMarks(durationMs)
  for (const timeMs of times) {
    const x = margin + Math.round((timeMs / durationMs) * (waveColumns - 1))
    fillRect(picture, { x, y: top, width: 1, height: span + 8 }, markTint)
    const text = timeCode(timeMs, stepMs)
    const width = lineWidth(text, digitHeight)
    const left = Math.min(sheetWidth - margin - width, Math.max(margin, x - width / 2))
    drawLine(picture, { text, x: Math.round(left), y: top + span + 18, height: digitHeight }, lettering)
  }
}
