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
 * Measures peak and root mean square, 0 to 1, of equally long sections of sound. `add` accepts 16-bit
 * little-endian samples, channels interleaved, in chunks of any size.
 *
 * @param samples expected number of samples of all channels together
 */
export function levelMeter(sections: number, samples: number) {
  const peaks = new Float64Array(sections)
  const squares = new Float64Array(sections)
  const counts = new Float64Array(sections)
  let index = 0
  let odd: number | undefined
  const addSample = (value: number) => {
    // Samples beyond the announced length count to the last section.
    const section = Math.min(sections - 1, Math.floor((index++ * sections) / samples))
    peaks[section] = Math.max(peaks[section] ?? 0, Math.abs(value))
    squares[section] = (squares[section] ?? 0) + value * value
    counts[section] = (counts[section] ?? 0) + 1
  }
  return {
    add(chunk: Uint8Array): void {
      const bytes = odd === undefined ? chunk : Buffer.concat([Buffer.of(odd), chunk])
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      for (let at = 0; at + 1 < bytes.length; at += 2) addSample(view.getInt16(at, true) / 32_768)
      odd = bytes.length % 2 === 1 ? bytes.at(-1) : undefined
    },
    levels(): Level[] {
      return Array.from(peaks, (peak, section) => ({
        peak,
        mean: Math.sqrt((squares[section] ?? 0) / Math.max(1, counts[section] ?? 0)),
      }))
    },
  }
}
