import { setImmediate as nextTurn } from 'node:timers/promises'
import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts, VideoFacts } from '../../contract/media-facts.ts'
import { drawMarks, type Mark } from './draw-marks.ts'
import { drawSheet, placeCells, type SheetLayout } from './draw-sheet.ts'
import { isStill } from './facts.ts'
import { fetchFrames, framesAt, frameTimedOut } from './frames-at.ts'
import { encodeJpeg, type PreviewImage, type PreviewOptions } from './preview.ts'
import { compositeRgba, newPicture, type RgbPicture, sheetBackground } from './raster.ts'
import { stillPicture } from './read-frames.ts'

/** A moment to show, with its marks. */
export interface MarkedFrame {
  /** Start as reported to the user, and a time at which the frame is certainly visible, both in ms. */
  readonly startMs: number
  readonly visibleMs: number
  readonly marks: readonly Mark[]
}

/** The frames to draw and the time limit. */
interface RegionSheetOptions extends PreviewOptions {
  readonly frames: readonly MarkedFrame[]
  /** Aborts when the time for all frames is over. Default: one minute. */
  readonly deadline?: AbortSignal
}

/**
 * Returns a JPEG, at most 1280 pixels wide and about 300 kB. It shows frames of a video, or a still picture,
 * each with its marks, as large as their number allows. A frame that times out is replaced by a note. Throws
 * 6014 without a picture, 6021 if no frame decodes and 6402 if none decodes in time.
 */
export async function regionSheet(
  path: string,
  facts: MediaFacts,
  { frames, signal, deadline = AbortSignal.timeout(sheetTimeoutMs) }: RegionSheetOptions,
): Promise<PreviewImage> {
  const { video } = facts
  if (!video) {
    throw new MediaError(6014, 'the file has no picture to draw regions over', {
      hint: 'Pass the video or image in which they were found.',
    })
  }
  const sheet = layOutRegions(video, frames)
  const job = { video, sheet, frames, signal, deadline }
  const { picture, ...drawn } = isStill(facts.container)
    ? { picture: await drawStillCopies(path, job), isWhole: true }
    : await drawVideoFrames(path, job)
  for (const [index, { box }] of sheet.cells.entries()) {
    // A full sheet takes a tenth of a second: others have their turn between its frames.
    await nextTurn()
    drawMarks(picture, box, frames[index]?.marks ?? [])
  }
  return { jpeg: await encodeJpeg(picture, { signal, largest: maxSheetBytes }), ...drawn }
}

/** Time limit of a whole sheet, ms, for any number of frames. Other requests wait for it. */
const sheetTimeoutMs = 60_000

/** Size limit, bytes. Labels are read from the sheet, and stronger compression blurs them. */
const maxSheetBytes = 300_000

/** Time codes have a resolution of 10 ms. */
const labelStepMs = 10

/** Maximum height of a frame by the number of frames, pixels. */
const maxFrameHeight = { alone: 900, few: 560, many: 420 }

/**
 * Chooses the grid: one frame spans the sheet, up to four use two columns, more use three. Portrait frames
 * use twice as many columns.
 */
function layOutRegions(video: VideoFacts, frames: readonly MarkedFrame[]): SheetLayout {
  const isWide = video.width > video.height
  const count = frames.length
  const few = isWide ? 2 : 4
  const columns = Math.min(count, count <= 4 ? few : isWide ? 3 : 6)
  const height = count === 1 ? maxFrameHeight.alone : count <= 4 ? maxFrameHeight.few : maxFrameHeight.many
  const times = frames.map(({ startMs }) => startMs)
  return placeCells(video, times, { columns, across: columns, tallest: height })
}

interface RegionSheetJob extends RegionSheetOptions {
  readonly deadline: AbortSignal
  readonly video: VideoFacts
  readonly sheet: SheetLayout
}

/** Draws copies of a still picture, without time codes. */
async function drawStillCopies(path: string, { video, sheet, signal }: RegionSheetJob): Promise<RgbPicture> {
  const rgba = await stillPicture(path, { video, ...sheet.frame, signal })
  if (!rgba) throw new MediaError(6021, 'the picture could not be decoded')
  const picture = newPicture(sheet.width, sheet.height, sheetBackground)
  for (const { box } of sheet.cells) compositeRgba(picture, box, rgba)
  return picture
}

/** Decodes each frame separately, because the times are arbitrary. A frame shown twice is decoded once. */
async function drawVideoFrames(path: string, { video, sheet, frames, signal, deadline }: RegionSheetJob) {
  const times = [...new Set(frames.map(({ visibleMs }) => visibleMs))]
  const pictures = await fetchFrames(times, {
    async fetch(ms, frameSignal) {
      const [rgba] = await framesAt(path, {
        ...{ video, times: [ms], stepMs: 1000, ...sheet.frame, signal: frameSignal },
      })
      return rgba
    },
    ...{ deadline, signal },
  })
  const byTime = new Map(times.map((ms, index) => [ms, pictures[index]]))
  const shown = frames.map(({ visibleMs }) => byTime.get(visibleMs))
  return {
    picture: drawSheet(sheet, shown, labelStepMs),
    isWhole: !shown.includes(frameTimedOut),
    empty: shown.flatMap((one, index) => (one instanceof Uint8Array ? [] : [index])),
  }
}
