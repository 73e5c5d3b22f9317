import { digitHeight, sheetWidth, timeCode, timeMarks } from './draw-sheet.ts'
import { drawTextLine, textWidth } from './lettering.ts'
import { fillRect, newPicture, type RgbColour, type RgbPicture, sheetBackground, textTint } from './raster.ts'

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

/** Level of one section of sound, 0 to 1. */
interface Level {
  readonly peak: number
  /** Root mean square, which approximates loudness. */
  readonly mean: number
}

/**
 * Measures the levels of equally long sections. Accepts 16-bit little-endian samples in chunks of any size.
 */
export function levelMeter(stretches: number, samples: number) {
  const peaks = new Float64Array(stretches)
  const squares = new Float64Array(stretches)
  const counts = new Float64Array(stretches)
  let index = 0
  let odd: number | undefined
  const take = (value: number) => {
    // Samples beyond the announced length count to the last section.
    const stretch = Math.min(stretches - 1, Math.floor((index++ * stretches) / samples))
    peaks[stretch] = Math.max(peaks[stretch] ?? 0, Math.abs(value))
    squares[stretch] = (squares[stretch] ?? 0) + value * value
    counts[stretch] = (counts[stretch] ?? 0) + 1
  }
  return {
    add(chunk: Uint8Array): void {
      const bytes = odd === undefined ? chunk : Buffer.concat([Buffer.of(odd), chunk])
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      for (let at = 0; at + 1 < bytes.length; at += 2) take(view.getInt16(at, true) / 32_768)
      odd = bytes.length % 2 === 1 ? bytes.at(-1) : undefined
    },
    levels(): Level[] {
      return Array.from(peaks, (peak, stretch) => ({
        peak,
        mean: Math.sqrt((squares[stretch] ?? 0) / Math.max(1, counts[stretch] ?? 0)),
      }))
    },
  }
}
