import { pieceSource } from './lay-out.ts'
import type { Piece } from './lay-out.ts'
import { clipTolerance } from './timeline.ts'
import type { TimelineClip } from './timeline.ts'

/** The section of a material that a piece uses, seconds. */
export interface Stretch {
  readonly clip: TimelineClip
  readonly from: number
  readonly to: number
  /** Length on the output, in units. */
  readonly units: number
}

/** Sections of one material that a single decoder reads in forward order. */
export type Read = readonly [Stretch, ...Stretch[]]

/**
 * Returns whether `next` starts after `before` in the same material, within rounding, so that one decoder
 * reads both.
 */
export function follows(before: Stretch, next: Stretch): boolean {
  return next.clip.material === before.clip.material && next.from >= before.to - clipTolerance
}

/** Returns the material section of a piece, or undefined if the piece is empty. */
export function pieceStretch(piece: Piece, perSecond: number): Stretch | undefined {
  const { clip, units } = piece
  return clip && { clip, units, ...pieceSource(piece, clip, perSecond) }
}

/**
 * Groups sections into reads, in order. A section joins the previous read if it follows that read's last
 * section and continuing to decode costs less than opening the file again.
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
