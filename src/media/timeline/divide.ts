import type { Piece } from './lay-out.ts'

interface Limits {
  /** Most units of a part. */
  readonly longest: number
  /** Fewest units of a part, unless there are no more in all. */
  readonly fewest: number
  /** What a piece adds to the weight of a part after the pieces before it. */
  readonly weigh: (piece: Piece, before: readonly Piece[]) => number
  readonly heaviest: number
}

/**
 * Divides pieces into parts that can be made on their own, in order: long pieces are cut, and a part ends where
 * the next piece would make it too long or too heavy, but not before it has the fewest units.
 */
export function divide(pieces: readonly Piece[], limits: Limits): Piece[][] {
  const parts: Piece[][] = []
  let part: Piece[] = []
  let weight = 0
  for (const piece of pieces.flatMap((one) => cut(one, limits))) {
    const more = limits.weigh(piece, part)
    const units = lengthOf(part)
    const full = units + piece.units > limits.longest || weight + more > limits.heaviest
    if (full && units >= limits.fewest) {
      parts.push(part)
      part = []
      weight = 0
    }
    weight += part.length === 0 ? limits.weigh(piece, part) : more
    part.push(piece)
  }
  const last = parts.at(-1)
  if (last && lengthOf(part) < limits.fewest) last.push(...part)
  else if (part.length > 0) parts.push(part)
  return parts
}

/** Units of pieces together. */
export function lengthOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { units }) => sum + units, 0)
}

/** Cuts a piece into equal ones of at most the longest length. */
function cut(piece: Piece, { longest }: Limits): Piece[] {
  const count = Math.ceil(piece.units / longest)
  const border = (index: number) => Math.round((index * piece.units) / count)
  return Array.from({ length: count }, (_, index) => ({
    ...piece,
    offset: piece.offset + border(index),
    units: border(index + 1) - border(index),
  }))
}
