import type { Rect } from '../../media/geometry.ts'
import { drawTextLine, textWidth } from './lettering.ts'
import {
  compositeRgba,
  emptyCellTint,
  fillRect,
  newPicture,
  type RgbPicture,
  sheetBackground,
  textTint,
} from './raster.ts'

/** Maximum width of a preview, pixels. */
export const sheetWidth = 1280

/** Height of the digits of a time code, pixels. */
export const digitHeight = 13

const sheetMargin = 20
const cellGap = 14
const tallestFrame = 420
const labelSpace = 38

/** Position of a frame on a contact sheet. */
interface Cell {
  /** Time in the video, ms. */
  readonly timeMs: number
  readonly box: Rect
  /** Top of the time code below the frame, pixels. */
  readonly labelTop: number
}

/** Size of a contact sheet and positions of its frames, pixels. */
export interface SheetLayout {
  readonly width: number
  readonly height: number
  /** Size of each frame, pixels. */
  readonly frame: { readonly width: number; readonly height: number }
  readonly cells: readonly Cell[]
}

/**
 * Lays out a contact sheet: 12 frames in a grid (4 columns for landscape pictures, 6 for portrait), or fewer
 * if the video has fewer. Each frame is taken from the middle of its share of the duration.
 */
export function layOutSheet(video: {
  width: number
  height: number
  durationMs: number
  frames: number
}): SheetLayout {
  const count = Math.max(1, Math.min(12, video.frames))
  const columns = Math.min(count, video.width > video.height ? 4 : 6)
  const times = Array.from({ length: count }, (_, index) =>
    Math.floor(((index + 0.5) * video.durationMs) / count),
  )
  // A single frame gets the width of two columns instead of the whole sheet.
  return placeCells(video, times, { columns, across: Math.max(2, columns), tallest: tallestFrame })
}

interface PlaceCellsOptions {
  readonly columns: number
  /** Number of frames that would fill the width of a sheet; at least `columns`. */
  readonly across: number
  /** Maximum height of a frame, pixels. */
  readonly tallest: number
}

/** Places one frame per time, in rows. */
export function placeCells(
  video: { width: number; height: number },
  times: readonly number[],
  { columns, across, tallest }: PlaceCellsOptions,
): SheetLayout {
  const cellWidth = Math.floor((sheetWidth - 2 * sheetMargin - (across - 1) * cellGap) / across)
  const frame = fitInside(video, { width: cellWidth, height: tallest })
  const rowHeight = frame.height + labelSpace
  const cells = times.map((timeMs, index) => {
    const x = sheetMargin + (index % columns) * (frame.width + cellGap)
    const y = sheetMargin + Math.floor(index / columns) * rowHeight
    return { timeMs, box: { x, y, ...frame }, labelTop: y + frame.height + 10 }
  })
  return {
    width: 2 * sheetMargin + columns * (frame.width + cellGap) - cellGap,
    height: sheetMargin + Math.ceil(times.length / columns) * rowHeight + 4,
    frame,
    cells,
  }
}

/**
 * Returns the largest size with the aspect ratio of the picture that fits inside a frame, at least 2 pixels a
 * side.
 */
export function fitInside(
  picture: { width: number; height: number },
  frame: { width: number; height: number },
): { width: number; height: number } {
  const scale = Math.min(frame.width / picture.width, frame.height / picture.height)
  const side = (length: number) => Math.max(2, Math.round(length * scale))
  return { width: side(picture.width), height: side(picture.height) }
}

/** Formats a time as m:ss or h:mm:ss, with as many decimals as times `stepMs` apart require to differ. */
export function timeCode(timeMs: number, stepMs: number): string {
  const decimals = stepMs >= 1000 ? 0 : stepMs >= 100 ? 1 : stepMs >= 10 ? 2 : 3
  const unit = 10 ** (3 - decimals)
  const ticks = Math.floor(timeMs / unit)
  const seconds = Math.floor(ticks / 10 ** decimals)
  const pad = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  const clock =
    hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`
  return decimals === 0 ? clock : `${clock}.${String(ticks % 10 ** decimals).padStart(decimals, '0')}`
}

const marksPerWidth = 10
const roundSteps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000].concat(
  [1, 2, 5, 10, 15, 30, 60, 120, 180, 360].map((minutes) => minutes * 60_000),
)

/**
 * Returns round times for the marks of a time axis in ms, starting at 0, with at most `marksPerWidth` steps.
 */
export function timeMarks(durationMs: number): { stepMs: number; times: number[] } {
  const fits = roundSteps.find((step) => durationMs / step <= marksPerWidth)
  const stepMs = fits ?? Math.ceil(durationMs / marksPerWidth / 3_600_000) * 3_600_000
  const times = Array.from({ length: Math.floor(durationMs / stepMs) + 1 }, (_, index) => index * stepMs)
  return { stepMs, times }
}

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
