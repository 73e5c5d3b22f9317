import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts, VideoFacts } from '../../contract/media-facts.ts'
import { frameIndexesAt, videoFrameGrid } from '../../media/clean/frame-grid.ts'
import type { Rect } from '../../media/geometry.ts'
import { fitInside, sheetWidth, timeCode } from './draw-sheet.ts'
import { isStill } from './facts.ts'
import { framesAt } from './frames-at.ts'
import { drawTextLine, textWidth } from './lettering.ts'
import { encodeJpeg, type PreviewOptions } from './preview.ts'
import {
  compositeRgba,
  mixPixel,
  newPicture,
  type RgbPicture,
  shadeTint,
  sheetBackground,
  textTint,
} from './raster.ts'
import { stillPicture } from './read-frames.ts'

interface GridFrameOptions extends PreviewOptions {
  /** Time of the frame, s; ignored for still pictures. */
  readonly at: number
}

/** Space around the frame, pixels: labels of the grid on the left and above, the time below. */
const margin = { left: 46, top: 30, right: 22, bottom: 34 }

/** Maximum height of the frame, pixels. */
const maxFrameHeight = 900

/** Size limit, bytes: positions are read from the picture. */
const maxGridFrameBytes = 300_000

/**
 * Returns a JPEG, at most 1280 pixels wide and about 300 kB: one frame of a video, or a still picture, with a grid of
 * tenths of its width and height. Throws 6014 without a picture, 6016 for a time at or after the end, 6021 if the frame
 * does not decode.
 */
export async function gridFrame(
  path: string,
  facts: MediaFacts,
  { at, signal }: GridFrameOptions,
): Promise<Uint8Array> {
  const { video } = facts
  if (!video) {
    throw new MediaError(6014, 'the file has no picture', {
      hint: 'It has sound: request preview waveform instead.',
    })
  }
  const size = fitInside(video, { width: sheetWidth - margin.left - margin.right, height: maxFrameHeight })
  const frame: Rect = { x: margin.left, y: margin.top, ...size }
  const still = isStill(facts.container)
  const rgba = still
    ? await stillPicture(path, { video, ...size, signal })
    : await videoFrame(path, video, { at, size, signal })
  if (!rgba) throw new MediaError(6021, 'the frame could not be decoded', { hint: 'Request another time.' })
  const width = frame.width + margin.left + margin.right
  const picture = newPicture(width, frame.height + margin.top + margin.bottom, sheetBackground)
  compositeRgba(picture, frame, rgba)
  drawGrid(picture, frame)
  if (!still)
    drawCentered(picture, timeCode(at * 1000, timeStepMs), { x: width / 2, y: frame.y + frame.height + 11 })
  return await encodeJpeg(picture, { signal, largest: maxGridFrameBytes })
}

/** The time below the frame has a resolution of 10 ms. */
const timeStepMs = 10

interface VideoFrameOptions extends GridFrameOptions {
  readonly size: { readonly width: number; readonly height: number }
}

async function videoFrame(
  path: string,
  video: VideoFacts,
  { at, size, signal }: VideoFrameOptions,
): Promise<Uint8Array | undefined> {
  const grid = videoFrameGrid(video)
  const [index = 0] = frameIndexesAt([at], grid, 'the video')
  const { rate, first, startMs } = grid
  // The middle of the frame's duration, so that rounding never selects its neighbour.
  const visibleMs = startMs + (1000 * (Math.max(0, index - first) + 0.5) * rate.den) / rate.num
  const [rgba] = await framesAt(path, { video, times: [visibleMs], stepMs: 1000, ...size, signal })
  return rgba
}

const steps = 10

/** Height of the digits of a label, pixels. */
const labelHeight = 11

/** Opacity of grid lines: every fifth is stronger. */
const lineOpacity = { strong: 0.75, weak: 0.4 }

/** Draws lines at each tenth of the frame, with their shares on the left and above. */
function drawGrid(picture: RgbPicture, frame: Rect): void {
  for (let step = 0; step <= steps; step++) {
    const label = (step / steps).toFixed(1)
    const opacity = step % 5 === 0 ? lineOpacity.strong : lineOpacity.weak
    const x = frame.x + Math.round((frame.width * step) / steps)
    const y = frame.y + Math.round((frame.height * step) / steps)
    for (let row = frame.y; row < frame.y + frame.height; row++)
      drawLinePixel(picture, { x, y: row, opacity }, 'x')
    for (let column = frame.x; column < frame.x + frame.width; column++) {
      drawLinePixel(picture, { x: column, y, opacity }, 'y')
    }
    drawCentered(picture, label, { x, y: frame.y - labelHeight - 7 })
    drawCentered(picture, label, { x: frame.x - 22, y: y - labelHeight / 2 })
  }
}

interface LinePixel {
  readonly x: number
  readonly y: number
  readonly opacity: number
}

/** A light pixel with a dark neighbour, visible on any picture. across: the direction of the neighbour. */
function drawLinePixel(picture: RgbPicture, { x, y, opacity }: LinePixel, across: 'x' | 'y'): void {
  mixPixel(picture, { x, y, share: opacity }, textTint)
  const neighbour = across === 'x' ? { x: x + 1, y } : { x, y: y + 1 }
  mixPixel(picture, { ...neighbour, share: opacity }, shadeTint)
}

/** Draws a line of text. x: its centre; y: top of its digits; pixels. */
function drawCentered(
  picture: RgbPicture,
  text: string,
  { x, y }: { readonly x: number; readonly y: number },
): void {
  const left = Math.round(x - textWidth(text, labelHeight) / 2)
  drawTextLine(picture, { text, x: left, y: Math.round(y), height: labelHeight }, textTint)
}
