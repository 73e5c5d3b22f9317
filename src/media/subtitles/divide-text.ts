import { type BreakRank, splitPieces } from './wrap.ts'

/** Cost of a division by the place. To it is added the squared distance from the exact place, in mean lengths of the parts. */
const placeCosts: Readonly<Record<BreakRank, number>> = {
  sentence: 0,
  clause: 0.02,
  phrase: 0.15,
  word: 0.35,
  inside: 1,
  unit: 2,
  letter: 2,
}

/**
 * Divides a text of one line into one part per length, in proportion to the lengths, preferably at the end of clauses and
 * phrases. Each part has a word; only of a text with fewer words than parts, the last parts are empty.
 */
export function divideText(text: string, lengths: readonly number[]): string[] {
  const pieces = splitPieces(text)
  const letters = pieces.reduce((sum, piece) => sum + piece.text.length, 0)
  const total = lengths.reduce((sum, length) => sum + length, 0)
  const mean = letters / lengths.length
  let [from, passed, due] = [0, 0, 0]
  return lengths.map((length, part) => {
    due += (letters * length) / total
    const later = lengths.length - 1 - part
    const until = from + Math.max(1, pieces.length - from - later)
    const to = later === 0 ? pieces.length : bestEnd(pieces, { from, until, letters: due - passed, mean })
    const own = pieces.slice(from, to)
    from += own.length
    passed += own.reduce((sum, piece) => sum + piece.text.length, 0)
    return own
      .map((piece) => piece.text + piece.space)
      .join('')
      .trim()
  })
}

interface PartLimits {
  /** First piece of the part, and the one before which it ends at the latest. */
  readonly from: number
  readonly until: number
  /** Exact length of the part, and mean length of all parts. */
  readonly letters: number
  readonly mean: number
}

/** Returns before which piece a part of at least one piece ends best. */
function bestEnd(pieces: ReturnType<typeof splitPieces>, { from, until, letters, mean }: PartLimits): number {
  let [best, lowest, length] = [from + 1, Infinity, 0]
  for (let at = from; at < Math.min(until, pieces.length); at += 1) {
    const { text = '', after = 'word' } = pieces[at] ?? {}
    length += text.length
    const cost = ((length - letters) / mean) ** 2 + placeCosts[after]
    if (cost < lowest) [best, lowest] = [at + 1, cost]
    if (length > letters + mean) break
  }
  return best
}
