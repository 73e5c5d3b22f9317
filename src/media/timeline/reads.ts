import { pieceSource } from './lay-out.ts'
import type { Piece } from './lay-out.ts'
import { clipTolerance } from './timeline.ts'
import type { TimelineClip } from './timeline.ts'

/** What a piece takes of its material, in seconds. */
export interface Stretch {
  readonly clip: TimelineClip
  readonly from: number
  readonly to: number
  /** Length on the output in units. */
  readonly units: number
}

/** Stretches of one material that one decoder passes on its way forward. */
export type Read = readonly [Stretch, ...Stretch[]]

/** Whether a stretch lies behind another in the same material, rounding aside, so that one decoder can make both. */
export function follows(before: Stretch, next: Stretch): boolean {
  return next.clip.material === before.clip.material && next.from >= before.to - clipTolerance
}

/** What a piece takes of its material; undefined for one that shows nothing. */
export function pieceStretch(piece: Piece, perSecond: number): Stretch | undefined {
  const { clip, units } = piece
  return clip && { clip, units, ...pieceSource(piece, clip, perSecond) }
}

/**
 * Gathers stretches into reads, in order: the next one joins the read before it where it follows its last and
 * decoding on to it is worth it.
 */
export function groupReads(
  stretches: readonly Stretch[],
  worth: (before: Stretch, next: Stretch) => boolean,
): Read[] {
  const reads: [Stretch, ...Stretch[]][] = []
  for (const stretch of stretches) {
    const read = reads.at(-1)
    const last = read?.at(-1)
    if (read && last && follows(last, stretch) && worth(last, stretch)) read.push(stretch)
    else reads.push([stretch])
  }
  return reads
}
