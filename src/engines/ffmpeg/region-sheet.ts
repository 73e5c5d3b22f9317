import { availableParallelism } from 'node:os'
import { MediaError } from '../../contract/errors.ts'
import type { MediaFacts, VideoFacts } from '../../contract/media-facts.ts'
import { atMost } from '../../platform/at-most.ts'
import { drawMarks, type Mark } from './draw-marks.ts'
import { drawSheet } from './draw-sheet.ts'
import { isStill } from './facts.ts'
import { framesAt } from './frames.ts'
import { encode, type PreviewOptions } from './preview.ts'
import { layRgba, newPicture, type Picture } from './raster.ts'
import { placeCells, type SheetLayout } from './sheet-layout.ts'
import { stillPicture } from './still.ts'
import { background } from './tints.ts'

/** A moment that is shown, and what is marked on it. */
export interface MarkedFrame {
  /** When it begins, as it is told, and a time at which it surely shows. */
  readonly beginsMs: number
  readonly showsMs: number
  readonly marks: readonly Mark[]
}

/**
 * JPEG, at most 1280 wide and about 300 kB: frames of a video, or a still picture, each with marks over it, as large
 * as their number allows. Throws 6014 without a picture, 6021 when no frame decodes.
 */
export async function regionSheet(
  path: string,
  facts: MediaFacts,
  { frames, signal }: PreviewOptions & { readonly frames: readonly MarkedFrame[] },
): Promise<Uint8Array> {
  const { video } = facts
  if (!video) {
    throw new MediaError(6014, 'the file has no picture to draw regions over', {
      hint: 'Give the video or image that they were found in.',
    })
  }
  const sheet = layOut(video, frames)
  const wish = { video, sheet, frames, signal }
  const picture = isStill(facts.container) ? await copiesOf(path, wish) : await framesOf(path, wish)
  for (const [index, { box }] of sheet.cells.entries()) drawMarks(picture, box, frames[index]?.marks ?? [])
  return encode(picture, { signal, largest: largestSheet })
}

/** Names are read from it: coarser pictures blur them, bytes. */
const largestSheet = 300_000

/** Times are told to the hundredth of a second. */
const labelStepMs = 10

/** Height that a frame may have where there are so many, pixels. */
const tallest = { alone: 900, few: 560, many: 420 }

/** One as wide as the sheet, up to four in two columns, more in three; tall ones stand closer. */
function layOut(video: VideoFacts, frames: readonly MarkedFrame[]): SheetLayout {
  const isWide = video.width > video.height
  const count = frames.length
  const few = isWide ? 2 : 4
  const columns = Math.min(count, count <= 4 ? few : isWide ? 3 : 6)
  const height = count === 1 ? tallest.alone : count <= 4 ? tallest.few : tallest.many
  const times = frames.map(({ beginsMs }) => beginsMs)
  return placeCells(video, times, { columns, across: columns, tallest: height })
}

interface Wish extends PreviewOptions {
  readonly video: VideoFacts
  readonly sheet: SheetLayout
  readonly frames: readonly MarkedFrame[]
}

/** A still picture has no times to tell. */
async function copiesOf(path: string, { video, sheet, signal }: Wish): Promise<Picture> {
  const rgba = await stillPicture(path, { video, ...sheet.frame, signal })
  if (!rgba) throw new MediaError(6021, 'the picture could not be decoded')
  const picture = newPicture(sheet.width, sheet.height, background)
  for (const { box } of sheet.cells) layRgba(picture, box, rgba)
  return picture
}

/** All of a sheet, however many frames it has: others wait for it. */
const sheetMs = 60_000

/** Each by itself, as they lie anywhere, and side by side on all cores. A frame that is shown twice is decoded once. */
async function framesOf(path: string, { video, sheet, frames, signal }: Wish): Promise<Picture> {
  const until = performance.now() + sheetMs
  const inTurn = atMost(availableParallelism())
  const times = [...new Set(frames.map(({ showsMs }) => showsMs))]
  const decoded = await Promise.allSettled(
    times.map((showsMs) =>
      inTurn(async () => {
        const timeoutMs = Math.max(1, until - performance.now())
        return await framesAt(path, {
          video,
          times: [showsMs],
          stepMs: 1000,
          timeoutMs,
          ...sheet.frame,
          signal,
        })
      }),
    ),
  )
  // Only now, when none reads the file any more.
  const pictures = decoded.flatMap((one) => {
    if (one.status === 'fulfilled') return one.value
    throw one.reason
  })
  const byTime = new Map(times.map((showsMs, index) => [showsMs, pictures[index]]))
  if (pictures.every((rgba) => rgba === undefined)) {
    throw new MediaError(6021, 'no frame of these could be decoded', {
      hint: 'Ask for frames at other times.',
    })
  }
  const shown = frames.map(({ showsMs }) => byTime.get(showsMs))
  return drawSheet(sheet, shown, labelStepMs)
}
