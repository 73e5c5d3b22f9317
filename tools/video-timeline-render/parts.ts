import {
  divideIntoParts,
  groupReads,
  layOutPieces,
  type TimelinePart,
  pieceSourceRange,
  type SourceRange,
} from '../../src/media/timeline/pieces.ts'
import type { Timeline } from '../../src/media/timeline/timeline.ts'
import type { PictureOptions } from './picture.ts'

/**
 * Limits for the duration of a part, seconds: long enough to amortize its start, short enough to keep all
 * cores busy until the end.
 */
const partDuration = { least: 5, most: 20 }

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

/** Limits the size of the filter graph. */
const maxGroupPieces = 40

/** Divides the picture into parts that are encoded separately, `atOnce` of them in parallel. */
export function divideTimeline(timeline: Timeline, wish: PictureOptions, atOnce: number): TimelinePart[] {
  const { picture, frames, rate } = timeline
  const share = frames / rate / (partsPerWorker * atOnce)
  const longest = Math.min(partDuration.most, Math.max(partDuration.least, share))
  return divideIntoParts(layOutPieces(picture, { total: frames, perSecond: rate }), {
    maxUnits: Math.max(minFramesPerPart, Math.ceil(longest * rate)),
    minUnits: minFramesPerPart,
    fits(group) {
      const stretches = group.flatMap((piece) => pieceSourceRange(piece, rate) ?? [])
      const reads = groupReads(stretches, wish.decodesThrough)
      const held = reads.reduce((sum, [stretch]) => sum + decodedPixels(stretch, wish), 0)
      return group.length <= maxGroupPieces && (reads.length <= 1 || held <= maxGroupPixels)
    },
  })
}

function decodedPixels({ clip }: SourceRange, { videoOf }: PictureOptions): number {
  const { coded_width, coded_height } = videoOf(clip.material)
  return coded_width * coded_height
}
