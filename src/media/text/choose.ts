import { areaOf, shared } from './box.ts'
import type { FoundText } from './text.ts'

/** Least edges a line of letters has in a way as long as it is high. */
const leastEdges = 1.5

/** Least sureness: of texts that several samples show, and of those that one does. */
const leastScore = { several: 0.7, one: 0.8 }

/** Whether what was followed is text. */
export function isText({ score, edges, seen }: FoundText): boolean {
  return edges >= leastEdges && score >= (seen > 1 ? leastScore.several : leastScore.one)
}

/** Share of a text's box and of its time that lies in another's, from which it is a part of that. */
const partOf = 0.7

/** Texts without those that are parts of others: a line that faded in was found by halves before. */
export function withoutParts(texts: readonly FoundText[]): FoundText[] {
  const largestFirst = texts.toSorted((one, other) => sizeOf(other) - sizeOf(one))
  const kept: FoundText[] = []
  for (const text of largestFirst) if (!kept.some((other) => isPart(text, other))) kept.push(text)
  return kept.toSorted((one, other) => one.first - other.first)
}

function sizeOf(text: FoundText): number {
  return areaOf(text.boxAt(text.first)) * (text.last - text.first + 1)
}

function isPart(text: FoundText, whole: FoundText): boolean {
  const first = Math.max(text.first, whole.first)
  const last = Math.min(text.last, whole.last)
  if (last - first + 1 < partOf * (text.last - text.first + 1)) return false
  const middle = Math.floor((first + last) / 2)
  const box = text.boxAt(middle)
  const both = shared(box, whole.boxAt(middle))
  return areaOf(both) >= partOf * areaOf(box)
}
