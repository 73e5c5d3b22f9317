import { digitHeight, sheetWidth, timeCode, timeMarks } from './sheet-layout.ts'
import { drawTextLine, textWidth } from './lettering.ts'
import type { Level } from './peaks.ts'
import { fillRect, newPicture } from './raster.ts'
import type { RgbColour, RgbPicture } from './raster.ts'
import { sheetBackground, textTint } from './tints.ts'

const markTint: RgbColour = [52, 56, 64]
const peakTint: RgbColour = [58, 108, 158]
const meanTint: RgbColour = [132, 190, 240]

const waveformHeight = 220
const waveformMargin = 20
const waveformTop = 16
/** Height of full-scale sound, pixels. */
const fullScaleHeight = 156

/**
 * Exponent that raises quiet levels, similar to hearing, so that quiet speech stays distinguishable from
 * silence.
 */
const loudnessCurve = 0.6

/** Number of levels in a waveform, one per pixel column. */
export const waveformColumns = sheetWidth - 2 * waveformMargin

/** Draws levels over time around a middle line, with time marks below. */
export function drawWaveform(levels: readonly Level[], durationMs: number): RgbPicture {
  const picture = newPicture(sheetWidth, waveformHeight, sheetBackground)
  const middle = waveformTop + fullScaleHeight / 2
  drawTimeMarks(picture, durationMs)
  for (const [column, { peak, mean }] of levels.entries()) {
    for (const [level, colour] of [
      [peak, peakTint],
      [mean, meanTint],
    ] as const) {
      // Silence remains visible as the middle line.
      const half = Math.round((level ** loudnessCurve * fullScaleHeight) / 2)
      fillRect(
        picture,
        { x: waveformMargin + column, y: middle - half, width: 1, height: 2 * half + 1 },
        colour,
      )
    }
  }
  return picture
}

function drawTimeMarks(picture: RgbPicture, durationMs: number): void {
  const { stepMs, times } = timeMarks(durationMs)
  for (const timeMs of times) {
    const x = waveformMargin + Math.round((timeMs / durationMs) * (waveformColumns - 1))
    fillRect(picture, { x, y: waveformTop, width: 1, height: fullScaleHeight + 8 }, markTint)
    const text = timeCode(timeMs, stepMs)
    const width = textWidth(text, digitHeight)
    const left = Math.min(sheetWidth - waveformMargin - width, Math.max(waveformMargin, x - width / 2))
    drawTextLine(
      picture,
      { text, x: Math.round(left), y: waveformTop + fullScaleHeight + 18, height: digitHeight },
      textTint,
    )
  }
}
