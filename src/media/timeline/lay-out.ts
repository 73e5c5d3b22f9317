import type { TimelineClip } from './timeline.ts'

/** A stretch of the output that shows one clip, or nothing; the unit is a frame or a sample. */
export interface Piece {
  readonly clip?: TimelineClip
  /** Units of output since the clip's first. */
  readonly offset: number
  readonly units: number
}

interface LayOutOptions {
  /** Length of the output in units. */
  readonly total: number
  /** Units a second. */
  readonly perSecond: number
}

/**
 * Lays the clips of one track out on whole units: pieces follow each other without a hole and fill the output
 * exactly. Each cut is rounded from its own time, so that nothing adds up over any number of clips.
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

/** The stretch of source, in seconds, that a piece shows. */
export function pieceSource(
  { offset, units }: Piece,
  clip: TimelineClip,
  perSecond: number,
): { from: number; to: number } {
  const at = (unit: number) => clip.source.from + (unit / perSecond) * clip.speed
  return { from: at(offset), to: Math.min(clip.source.to, at(offset + units)) }
}
