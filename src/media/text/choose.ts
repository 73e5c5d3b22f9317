import type { Placed } from './box.ts'
import type { FoundText } from './text.ts'
import { lineArea, sharedArea } from './tilt.ts'

/** Least edges a line of letters has in a way as long as it is high. */
const leastEdges = 1.5

/** Least sureness: of texts that several samples show, and of those that one does. */
const leastScore = { several: 0.7, one: 0.8 }

/** Whether what was followed is text. */
export function isText({ score, edges, seen }: FoundText): boolean {
  return edges >= leastEdges && score >= (seen > 1 ? leastScore.several : leastScore.one)
}

/** Share of a text's line, and of its time, that lies in another's, from which it is a part of that. */
const partOf = 0.7

/**
 * Texts without those that are parts of others for as long as they are: a line that faded in was found by halves before.
 * What is left of their time stays where it holds a sample, which lie `step` frames apart.
 */
export function withoutParts(texts: readonly FoundText[], step: number): FoundText[] {
  const largestFirst = texts.toSorted((one, other) => sizeOf(other) - sizeOf(one))
  const kept: FoundText[] = []
  for (const text of largestFirst) kept.push(...outside(text, kept, step))
  return kept.toSorted((one, other) => one.first - other.first)
}

/** What of a text's time it is not a part of another in. */
function outside(text: FoundText, others: readonly FoundText[], step: number): FoundText[] {
  const whole = others.find((other) => isPart(text, other))
  if (!whole) return [text]
  const [before, after] = [
    { ...text, last: whole.first - 1 },
    { ...text, first: whole.last + 1 },
  ]
  return [before, after]
    .filter(({ first, last }) => last - first + 1 >= step)
    .flatMap((rest) => outside(rest, others, step))
}

function sizeOf(text: FoundText): number {
  return lineArea(placedAt(text, text.first)) * (text.last - text.first + 1)
}

function placedAt({ boxAt, tilt }: FoundText, frame: number): Placed {
  return { ...boxAt(frame), tilt }
}

function isPart(text: FoundText, whole: FoundText): boolean {
  const first = Math.max(text.first, whole.first)
  const last = Math.min(text.last, whole.last)
  if (last - first + 1 < partOf * (text.last - text.first + 1)) return false
  const middle = Math.floor((first + last) / 2)
  const line = placedAt(text, middle)
  return sharedArea(line, placedAt(whole, middle)) >= partOf * lineArea(line)
}
