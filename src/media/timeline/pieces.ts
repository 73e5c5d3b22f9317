import { clipTolerance, type TimelineClip } from './timeline.ts'

/** A section of the output that shows one clip, or black if there is no clip. The unit is a frame or a sample. */
export interface Piece {
  readonly clip?: TimelineClip
  /** Distance from the start of the clip to the start of the piece, in output units. */
  readonly offset: number
  /** Length of the piece, in output units. */
  readonly units: number
}

interface LayOutPiecesOptions {
  /** Length of the output, in units. */
  readonly total: number
  /** Units per second. */
  readonly perSecond: number
}

/**
 * Places the clips of one track on integer units. The pieces are contiguous and cover the output exactly.
 * Each cut is rounded from its own time, so that rounding errors do not accumulate.
 */
export function layOutPieces(
  clips: readonly TimelineClip[],
  { total, perSecond }: LayOutPiecesOptions,
): Piece[] {
  const pieces: Piece[] = []
  let filled = 0
  const fillGap = (end: number) => {
    if (end > filled) pieces.push({ offset: 0, units: end - filled })
  }
  for (const clip of clips) {
    const start = Math.round(clip.track.from * perSecond)
    const from = Math.max(filled, start)
    const to = Math.min(total, Math.round(clip.track.to * perSecond))
    if (to <= from) continue
    fillGap(from)
    pieces.push({ clip, offset: from - start, units: to - from })
    filled = to
  }
  fillGap(total)
  return pieces
}

/** The range of a material that a piece uses. */
export interface MaterialRange {
  readonly clip: TimelineClip
  /** Start in the material, seconds. */
  readonly from: number
  /** End in the material, seconds. */
  readonly to: number
  /** Distance from the start of the clip to the start of the piece, in output units. */
  readonly offset: number
  /** Length of the piece on the output, in units. */
  readonly units: number
}

/** Returns the material range of a piece, or undefined if the piece has no clip. */
export function pieceMaterialRange(
  { clip, offset, units }: Piece,
  perSecond: number,
): MaterialRange | undefined {
  if (!clip) return undefined
  const sourceTime = (unit: number) => clip.source.from + (unit / perSecond) * clip.speed
  return {
    clip,
    ...{ offset, units },
    from: sourceTime(offset),
    to: Math.min(clip.source.to, sourceTime(offset + units)),
  }
}

/** Ranges of one material that a single decoder reads in forward order. */
export type SequentialRead = readonly [MaterialRange, ...MaterialRange[]]

/**
 * Groups ranges into sequential reads, in order. A range joins the previous read if a decoder can reach it by
 * decoding forward and `isWorthDecodingThrough` returns true.
 */
export function groupReads(
  ranges: readonly MaterialRange[],
  isWorthDecodingThrough: (before: MaterialRange, next: MaterialRange) => boolean,
): SequentialRead[] {
  const reads: [MaterialRange, ...MaterialRange[]][] = []
  for (const range of ranges) {
    const read = reads.at(-1)
    const last = read?.at(-1)
    if (read && last && isReadableAfter(last, range) && isWorthDecodingThrough(last, range)) read.push(range)
    else reads.push([range])
  }
  return reads
}

/** Returns whether `next` starts at or after the end of `before` in the same material, within `clipTolerance`. */
export function isReadableAfter(before: MaterialRange, next: MaterialRange): boolean {
  return next.clip.material === before.clip.material && next.from >= before.to - clipTolerance
}

interface DivideIntoPartsOptions {
  /** Maximum number of units per part. */
  readonly maxUnits: number
  /** Minimum number of units per part, unless the total is smaller. */
  readonly minUnits: number
  /** Returns whether pieces can be rendered together. A group of one piece is always accepted. */
  readonly fits: (pieces: PieceGroup) => boolean
}

/** Consecutive pieces whose sources are open at the same time. */
export type PieceGroup = readonly Piece[]

/** Consecutive groups that form one part of the output. */
export interface TimelinePart {
  readonly groups: readonly PieceGroup[]
  /** The longest group. The other groups have so few units that they can be buffered. */
  readonly mainGroup: PieceGroup
}

/**
 * Divides pieces, in order, into parts of `minUnits` to `maxUnits`. Splits pieces longer than `maxUnits`.
 *
 * A piece that would exceed `maxUnits` or does not fit starts a new part. If the current part has fewer than
 * `minUnits`, the piece starts a new group of that part instead. The groups other than the main one therefore have
 * fewer than `minUnits` in total. A remainder below `minUnits` is added to the last part, whose other groups
 * therefore have fewer than twice as many.
 */
export function divideIntoParts(
  pieces: readonly Piece[],
  { maxUnits, minUnits, fits }: DivideIntoPartsOptions,
): TimelinePart[] {
  const parts: Piece[][][] = []
  let part: Piece[][] = []
  let group: Piece[] = []
  for (const piece of pieces.flatMap((whole) => divideLongPiece(whole, maxUnits))) {
    const units = totalUnits(part.flat())
    const isFull = !fits([...group, piece])
    if (units >= minUnits && (isFull || units + piece.units > maxUnits)) {
      parts.push(part)
      part = []
    }
    if (isFull || part.length === 0) {
      group = []
      part.push(group)
    }
    group.push(piece)
  }
  const last = parts.at(-1)
  if (last && totalUnits(part.flat()) < minUnits) last.push(...part)
  else if (part.length > 0) parts.push(part)
  return parts.map(createPart)
}

/** Returns a part that consists of groups, with the longest as its main group. */
export function createPart(groups: readonly PieceGroup[]): TimelinePart {
  const [mainGroup = []] = groups.toSorted((one, other) => totalUnits(other) - totalUnits(one))
  return { groups, mainGroup }
}

/** Returns the total number of units of pieces. */
export function totalUnits(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { units }) => sum + units, 0)
}

/** Splits a piece into the fewest pieces of at most `maxUnits`, equal to within one unit. */
function divideLongPiece(piece: Piece, maxUnits: number): Piece[] {
  const count = Math.ceil(piece.units / maxUnits)
  const boundary = (index: number) => Math.round((index * piece.units) / count)
  return Array.from({ length: count }, (_, index) => ({
    ...piece,
    offset: piece.offset + boundary(index),
    units: boundary(index + 1) - boundary(index),
  }))
}
