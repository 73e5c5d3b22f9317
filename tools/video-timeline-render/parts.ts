import { divide } from '../../src/media/timeline/divide.ts'
import type { Part } from '../../src/media/timeline/divide.ts'
import { layOut } from '../../src/media/timeline/lay-out.ts'
import { readsOf, stretchOf } from '../../src/media/timeline/reads.ts'
import type { Stretch } from '../../src/media/timeline/reads.ts'
import type { Timeline } from '../../src/media/timeline/timeline.ts'
import type { PictureWish } from './picture.ts'

/** Length of a part, s: long enough that its start costs little, short enough that no core waits at the end. */
const partSeconds = { least: 5, most: 20 }

/** Parts that each of those made at once does, one after another, where the output is long enough. */
const turns = 3

/**
 * Shortest part, frames: what the encoder's reordering of 3 B-frames between two others needs to be the same in
 * all. No more, as what a part's longest group leaves of them is kept as raw frames.
 */
const fewestFrames = 5

/**
 * Pictures of what is decoded at once for a part, pixels: two of 1920 x 1080. A decoder keeps about a dozen of its
 * pictures until its group is done, so it is these that its memory grows with.
 */
const pixelsOfGroup = 2 * 1920 * 1080

/** Bounds the size of the graph. */
const piecesOfGroup = 40

/** Divides the picture into parts that are encoded on their own, some at once. */
export function partsOf(timeline: Timeline, wish: PictureWish, atOnce: number): Part[] {
  const { picture, frames, rate } = timeline
  const share = frames / rate / (turns * atOnce)
  const longest = Math.min(partSeconds.most, Math.max(partSeconds.least, share))
  return divide(layOut(picture, { total: frames, perSecond: rate }), {
    longest: Math.max(fewestFrames, Math.ceil(longest * rate)),
    fewest: fewestFrames,
    fits(group) {
      const stretches = group.flatMap((piece) => stretchOf(piece, rate) ?? [])
      const reads = readsOf(stretches, wish.worth)
      const held = reads.reduce((sum, [stretch]) => sum + pixelsOf(stretch, wish), 0)
      return group.length <= piecesOfGroup && (reads.length <= 1 || held <= pixelsOfGroup)
    },
  })
}

function pixelsOf({ clip }: Stretch, { videoOf }: PictureWish): number {
  const { coded_width, coded_height } = videoOf(clip.material)
  return coded_width * coded_height
}
