import { divideIntoParts } from '../../src/media/timeline/divide.ts'
import type { Part } from '../../src/media/timeline/divide.ts'
import { layOutPieces } from '../../src/media/timeline/lay-out.ts'
import { groupReads, pieceStretch } from '../../src/media/timeline/reads.ts'
import type { Stretch } from '../../src/media/timeline/reads.ts'
import type { Timeline } from '../../src/media/timeline/timeline.ts'
import type { PictureOptions } from './picture.ts'

/** Length of a part, s: long enough that its start costs little, short enough that no core waits at the end. */
const partSeconds = { least: 5, most: 20 }

/** Parts that each of those made at once does, one after another, where the output is long enough. */
const partsPerWorker = 3

/**
 * Shortest part, frames: what the encoder's reordering of 3 B-frames between two others needs to be the same in
 * all. No more, as what a part's longest group leaves of them is kept as raw frames.
 */
const minPartFrames = 5

/**
 * Pictures of what is decoded at once for a part, pixels: two of 1920 x 1080. A decoder keeps about a dozen of its
 * pictures until its group is done, so it is these that its memory grows with.
 */
const maxGroupPixels = 2 * 1920 * 1080

/** Bounds the size of the graph. */
const maxGroupPieces = 40

/** Divides the picture into parts that are encoded on their own, some at once. */
export function divideTimeline(timeline: Timeline, wish: PictureOptions, atOnce: number): Part[] {
  const { picture, frames, rate } = timeline
  const share = frames / rate / (partsPerWorker * atOnce)
  const longest = Math.min(partSeconds.most, Math.max(partSeconds.least, share))
  return divideIntoParts(layOutPieces(picture, { total: frames, perSecond: rate }), {
    longest: Math.max(minPartFrames, Math.ceil(longest * rate)),
    fewest: minPartFrames,
    fits(group) {
      const stretches = group.flatMap((piece) => pieceStretch(piece, rate) ?? [])
      const reads = groupReads(stretches, wish.decodesThrough)
      const held = reads.reduce((sum, [stretch]) => sum + stretchPixels(stretch, wish), 0)
      return group.length <= maxGroupPieces && (reads.length <= 1 || held <= maxGroupPixels)
    },
  })
}

function stretchPixels({ clip }: Stretch, { videoOf }: PictureOptions): number {
  const { coded_width, coded_height } = videoOf(clip.material)
  return coded_width * coded_height
}
