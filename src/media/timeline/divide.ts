import type { Piece } from './lay-out.ts'

interface DivideOptions {
  /** Maximum number of units per part. */
  readonly longest: number
  /** Minimum number of units per part, unless the total is smaller. */
  readonly fewest: number
  /** Returns whether pieces can be rendered together. A single piece is always rendered. */
  readonly fits: (pieces: Group) => boolean
}

/** Consecutive pieces whose sources are open at the same time. */
export type Group = readonly Piece[]

/** Consecutive groups that form one part of the output. */
export interface Part {
  readonly groups: readonly Group[]
  /** The longest group. The few units of the other groups can be buffered until the part is rendered. */
  readonly live: Group
}

/**
 * Divides pieces, in order, into parts. Pieces longer than `longest` are split. A part ends before a piece
 * that would exceed `longest` or does not fit, unless the part has fewer than `fewest` units; then the piece
 * starts another group. The groups other than the live one have fewer than `fewest` units in total. The last
 * part takes the remainder, so there they have fewer than twice as many.
 */
export function divideIntoParts(pieces: readonly Piece[], { longest, fewest, fits }: DivideOptions): Part[] {
  const parts: Piece[][][] = []
  let part: Piece[][] = []
  let group: Piece[] = []
  for (const piece of pieces.flatMap((one) => cutPiece(one, longest))) {
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
export function createPart(groups: readonly Group[]): Part {
  const [live = []] = groups.toSorted((one, other) => totalUnits(other) - totalUnits(one))
  return { groups, live }
}

/** Returns the total number of units of pieces. */
export function totalUnits(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { units }) => sum + units, 0)
}

/** Splits a piece into equal pieces of at most `longest` units. */
function cutPiece(piece: Piece, longest: number): Piece[] {
  const count = Math.ceil(piece.units / longest)
  const border = (index: number) => Math.round((index * piece.units) / count)
  return Array.from({ length: count }, (_, index) => ({
    ...piece,
    offset: piece.offset + border(index),
    units: border(index + 1) - border(index),
  }))
}
