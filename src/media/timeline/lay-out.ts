import type { TimelineClip } from './timeline.ts'

/** A section of the output that shows one clip or nothing. The unit is a frame or a sample. */
export interface Piece {
  readonly clip?: TimelineClip
  /** Output units since the first unit of the clip. */
  readonly offset: number
  readonly units: number
}

interface LayOutOptions {
  /** Length of the output, in units. */
  readonly total: number
  /** Units per second. */
  readonly perSecond: number
}

/**
 * Places the clips of one track on integer units. The pieces are contiguous and cover the output exactly.
 * Each cut is rounded from its own time, so that rounding errors do not accumulate.
 */
export function layOutPieces(clips: readonly TimelineClip[], { total, perSecond }: LayOutOptions): Piece[] {
  const pieces: Piece[] = []
  let filled = 0
  const nothingUntil = (unit: number) => {
    if (unit > filled) pieces.push({ offset: 0, units: unit - filled })
  }
  for (const clip of clips) {
    const start = Math.round(clip.track.from * perSecond)
    const from = Math.max(filled, start)
    const to = Math.min(total, Math.round(clip.track.to * perSecond))
    if (to <= from) continue
    nothingUntil(from)
    pieces.push({ clip, offset: from - start, units: to - from })
    filled = to
  }
  nothingUntil(total)
  return pieces
}

/** Returns the source range of a piece, seconds. */
export function pieceSource(
  { offset, units }: Piece,
  clip: TimelineClip,
  perSecond: number,
): { from: number; to: number } {
  const at = (unit: number) => clip.source.from + (unit / perSecond) * clip.speed
  return { from: at(offset), to: Math.min(clip.source.to, at(offset + units)) }
}
