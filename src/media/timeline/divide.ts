import type { Piece } from './lay-out.ts'

interface DivideOptions {
  /** Most units of a part. */
  readonly longest: number
  /** Fewest units of a part, unless there are no more in all. */
  readonly fewest: number
  /** Whether pieces can be made at once; where a single one cannot, it is nevertheless. */
  readonly fits: (pieces: Group) => boolean
}

/** Pieces in a row whose sources are open at once. */
export type Group = readonly Piece[]

/** Groups in a row that become a part of the output. */
export interface Part {
  readonly groups: readonly Group[]
  /** The longest of them; the few units of all others can be kept until the part is made. */
  readonly live: Group
}

/**
 * Divides pieces, in order, into parts: long pieces are cut, and a part ends where the next piece would make it too
 * long or does not fit, unless it has too few units. Then what does not fit begins a further group. Beside its live
 * group a part has less than the fewest units, and the last, which takes what is left, less than twice as many.
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

/** A part of some groups. */
export function createPart(groups: readonly Group[]): Part {
  const [live = []] = groups.toSorted((one, other) => totalUnits(other) - totalUnits(one))
  return { groups, live }
}

/** Units of pieces together. */
export function totalUnits(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { units }) => sum + units, 0)
}

/** Cuts a piece into equal ones of at most the longest length. */
function cutPiece(piece: Piece, longest: number): Piece[] {
  const count = Math.ceil(piece.units / longest)
  const border = (index: number) => Math.round((index * piece.units) / count)
  return Array.from({ length: count }, (_, index) => ({
    ...piece,
    offset: piece.offset + border(index),
    units: border(index + 1) - border(index),
  }))
}
