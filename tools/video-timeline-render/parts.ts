import { divide } from '../../src/media/timeline/divide.ts'
import { layOut } from '../../src/media/timeline/lay-out.ts'
import type { Piece } from '../../src/media/timeline/lay-out.ts'
import { follows, readsOf, stretchOf } from '../../src/media/timeline/reads.ts'
import type { Stretch } from '../../src/media/timeline/reads.ts'
import type { Timeline } from '../../src/media/timeline/timeline.ts'
import type { PictureWish } from './picture.ts'

/** Length of a part, s: long enough that its start costs little, short enough that no core waits at the end. */
const partSeconds = { least: 5, most: 20 }

/** Parts that each of those made at once does, one after another, where the output is long enough. */
const turns = 3

/**
 * Shortest part, frames: what the encoder's reordering of 3 B-frames between two others needs to be the same in
 * all. No more, as a part may become too heavy until it has them.
 */
const fewestFrames = 5

/**
 * Pictures of what a part decodes, pixels: two of 1920 x 1080. A decoder keeps about a dozen of its pictures until
 * the part is done, so it is these that its memory grows with.
 */
const pixelsOfPart = 2 * 1920 * 1080

/** What a further piece of an open input weighs, in pixels: bounds the size of the graph. */
const pixelsOfBranch = 1e5

/** A part of the output that is decoded and encoded on its own. */
export interface Part {
  readonly pieces: readonly Piece[]
  /** Its clips are so short that it opens more than a part may hold beside others. */
  readonly crowded: boolean
}

/** Divides the picture into parts, of which some are made at once, and crowded ones alone. */
export function partsOf(timeline: Timeline, wish: PictureWish, atOnce: number): Part[] {
  const { picture, frames, rate } = timeline
  const share = frames / rate / (turns * atOnce)
  const longest = Math.min(partSeconds.most, Math.max(partSeconds.least, share))
  const pieces = layOut(picture, { total: frames, perSecond: rate })
  const weigh = (piece: Piece, before: readonly Piece[]) => {
    const stretch = stretchOf(piece, rate)
    if (!stretch) return pixelsOfBranch
    const last = before.findLast(({ clip }) => clip !== undefined)
    const open = last && stretchOf(last, rate)
    if (open && follows(open, stretch) && wish.worth(open, stretch)) return pixelsOfBranch
    return Math.max(pixelsOfBranch, pixelsOf(stretch, wish))
  }
  const parts = divide(pieces, {
    longest: Math.max(fewestFrames, Math.ceil(longest * rate)),
    fewest: fewestFrames,
    weigh,
    heaviest: pixelsOfPart,
  })
  return parts.map((part) => {
    const reads = readsOf(
      part.flatMap((piece) => stretchOf(piece, rate) ?? []),
      wish.worth,
    )
    const held = reads.reduce((sum, [stretch]) => sum + pixelsOf(stretch, wish), 0)
    return { pieces: part, crowded: reads.length > 1 && held > pixelsOfPart }
  })
}

function pixelsOf({ clip }: Stretch, { videoOf }: PictureWish): number {
  const { coded_width, coded_height } = videoOf(clip.material)
  return coded_width * coded_height
}
