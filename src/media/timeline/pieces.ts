import { clipTolerance, type TimelineClip } from './timeline.ts'

/** A section of the output that shows one clip or nothing. The unit is a frame or a sample. */
export interface Piece {
  readonly clip?: TimelineClip
  /** Output units since the first unit of the clip. */
  readonly offset: number
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
function sourceTimes(
  { offset, units }: Piece,
  clip: TimelineClip,
  perSecond: number,
): { from: number; to: number } {
  const at = (unit: number) => clip.source.from + (unit / perSecond) * clip.speed
  return { from: at(offset), to: Math.min(clip.source.to, at(offset + units)) }
}

/** The section of a material that a piece uses, seconds. */
export interface SourceRange {
  readonly clip: TimelineClip
  readonly from: number
  readonly to: number
  /** Length on the output, in units. */
  readonly units: number
}

/** Sections of one material that a single decoder reads in forward order. */
export type SequentialRead = readonly [SourceRange, ...SourceRange[]]

/**
 * Returns whether `next` starts after `before` in the same material, within rounding, so that one decoder
 * reads both.
 */
export function isReadableAfter(before: SourceRange, next: SourceRange): boolean {
  return next.clip.material === before.clip.material && next.from >= before.to - clipTolerance
}

/** Returns the material section of a piece, or undefined if the piece is empty. */
export function pieceSourceRange(piece: Piece, perSecond: number): SourceRange | undefined {
  const { clip, units } = piece
  return clip && { clip, units, ...sourceTimes(piece, clip, perSecond) }
}

/**
 * Groups sections into reads, in order. A section joins the previous read if it follows that read's last
 * section and continuing to decode costs less than opening the file again.
 */
export function groupReads(
  stretches: readonly SourceRange[],
  worth: (before: SourceRange, next: SourceRange) => boolean,
): SequentialRead[] {
  const reads: [SourceRange, ...SourceRange[]][] = []
  for (const stretch of stretches) {
    const read = reads.at(-1)
    const last = read?.at(-1)
    if (read && last && isReadableAfter(last, stretch) && worth(last, stretch)) read.push(stretch)
    else reads.push([stretch])
  }
  return reads
}

interface DivideIntoPartsOptions {
  /** Maximum number of units per part. */
  readonly maxUnits: number
  /** Minimum number of units per part, unless the total is smaller. */
  readonly minUnits: number
  /** Returns whether pieces can be rendered together. A single piece is always rendered. */
  readonly fits: (pieces: PieceGroup) => boolean
}

/** Consecutive pieces whose sources are open at the same time. */
export type PieceGroup = readonly Piece[]

/** Consecutive groups that form one part of the output. */
export interface TimelinePart {
  readonly groups: readonly PieceGroup[]
  /** The longest group. The few units of the other groups can be buffered until the part is rendered. */
  readonly mainGroup: PieceGroup
}

/**
 * Divides pieces, in order, into parts. Pieces longer than `maxUnits` are split. A part ends before a piece
 * that would exceed `maxUnits` or does not fit, unless the part has fewer than `minUnits` units; then the piece
 * starts another group. The groups other than the live one have fewer than `minUnits` units in total. The last
 * part takes the remainder, so there they have fewer than twice as many.
 */
export function divideIntoParts(
  pieces: readonly Piece[],
  { maxUnits: longest, minUnits: fewest, fits }: DivideIntoPartsOptions,
): TimelinePart[] {
  const parts: Piece[][][] = []
  let part: Piece[][] = []
  let group: Piece[] = []
  for (const piece of pieces.flatMap((one) => splitPiece(one, longest))) {
    const units = totalUnits(part.flat())
    const full = !fits([...group, piece])
    if (units >= fewest && (full || units + piece.units > longest)) {
      parts.push(part)
      part = []
    }
    if (full || part.length === 0) {
      group = []
      part.push(group)
    }
    group.push(piece)
  }
  const last = parts.at(-1)
  if (last && totalUnits(part.flat()) < fewest) last.push(...part)
  else if (part.length > 0) parts.push(part)
  return parts.map(createPart)
}

/** Returns a part of the given groups, with the longest as its live group. */
export function createPart(groups: readonly PieceGroup[]): TimelinePart {
  const [live = []] = groups.toSorted((one, other) => totalUnits(other) - totalUnits(one))
  return { groups, mainGroup: live }
}

/** Returns the total number of units of pieces. */
export function totalUnits(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { units }) => sum + units, 0)
}

/** Splits a piece into equal pieces of at most `maxUnits` units. */
function splitPiece(piece: Piece, longest: number): Piece[] {
  const count = Math.ceil(piece.units / longest)
  const border = (index: number) => Math.round((index * piece.units) / count)
  return Array.from({ length: count }, (_, index) => ({
    ...piece,
    offset: piece.offset + border(index),
    units: border(index + 1) - border(index),
  }))
}
