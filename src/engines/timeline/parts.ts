import {
  divideIntoParts,
  groupReads,
  layOutPieces,
  type TimelinePart,
  pieceMaterialRange,
  type MaterialRange,
} from '../../media/timeline/pieces.ts'
import { hertz } from '../../media/frame-rate.ts'
import type { Timeline } from '../../media/timeline/timeline.ts'
import type { PictureOptions } from './picture.ts'

/**
 * Range of the duration of a part, seconds: long enough to amortize the start of ffmpeg, short enough to keep all
 * cores busy until the end.
 */
const partDuration = { min: 5, max: 20 }

/** Number of consecutive parts per worker, if the output is long enough. */
const partsPerWorker = 3

/**
 * Minimum length of a part, frames. Below it, the encoder's reordering of 3 B-frames between two others would
 * differ between parts. It is small because the frames outside the longest group are stored raw.
 */
const minFramesPerPart = 5

/**
 * Maximum total picture size of the decoders of a group, pixels: two of 1920 x 1080. A decoder keeps about a
 * dozen pictures until its group is complete, so memory grows with this size.
 */
const maxGroupPixels = 2 * 1920 * 1080

/** Maximum number of pieces of a group. Limits the size of the filter graph. */
const maxGroupPieces = 40

/** Divides the picture into parts that are encoded separately, `atOnce` of them in parallel. */
export function divideTimeline(timeline: Timeline, options: PictureOptions, atOnce: number): TimelinePart[] {
  const { picture, frames } = timeline
  const rate = hertz(timeline.rate)
  const workerShare = frames / rate / (partsPerWorker * atOnce)
  const seconds = Math.min(partDuration.max, Math.max(partDuration.min, workerShare))
  return divideIntoParts(layOutPieces(picture, { total: frames, perSecond: rate }), {
    maxUnits: Math.max(minFramesPerPart, Math.ceil(seconds * rate)),
    minUnits: minFramesPerPart,
    fits(group) {
      const ranges = group.flatMap((piece) => pieceMaterialRange(piece, rate) ?? [])
      const reads = groupReads(ranges, options.decodesThrough)
      const pixels = reads.reduce((sum, [first]) => sum + decodedPixels(first, options), 0)
      return group.length <= maxGroupPieces && (reads.length <= 1 || pixels <= maxGroupPixels)
    },
  })
}

/** Returns the number of pixels of one decoded picture of a range. */
function decodedPixels({ clip }: MaterialRange, { videoOf }: PictureOptions): number {
  const { coded_width, coded_height } = videoOf(clip.material)
  return coded_width * coded_height
}
