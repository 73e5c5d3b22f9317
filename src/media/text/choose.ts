import type { LineBox } from './box.ts'
import type { FoundText } from './text.ts'
import { lineArea, lineIntersectionArea } from './tilt.ts'

/** Least edges a line of letters has in a way as long as it is high. */
const minEdgeDensity = 1.5

/** Least sureness: of texts that several samples show, and of those that one does. */
const minTextScore = { several: 0.7, one: 0.8 }

/** Whether what was followed is text. */
export function isText({ score, edgeDensity: edges, detectionCount: seen }: FoundText): boolean {
  return edges >= minEdgeDensity && score >= (seen > 1 ? minTextScore.several : minTextScore.one)
}

/** Share of a text's line, and of its time, that lies in another's, from which it is a part of that. */
const minContainedShare = 0.7

/**
 * Texts without those that are parts of others for as long as they are: a line that faded in was found by halves before.
 * What is left of their time stays where it holds a sample, which lie `step` frames apart.
 */
export function removeContainedTexts(texts: readonly FoundText[], step: number): FoundText[] {
  const largestFirst = texts.toSorted((one, other) => areaTime(other) - areaTime(one))
  const kept: FoundText[] = []
  for (const text of largestFirst) kept.push(...timeOutside(text, kept, step))
  return kept.toSorted((one, other) => one.first - other.first)
}

/** What of a text's time it is not a part of another in. */
function timeOutside(text: FoundText, others: readonly FoundText[], step: number): FoundText[] {
  const whole = others.find((other) => isContained(text, other))
  if (!whole) return [text]
  const [before, after] = [
    { ...text, last: whole.first - 1 },
    { ...text, first: whole.last + 1 },
  ]
  return [before, after]
    .filter(({ first, last }) => last - first + 1 >= step)
    .flatMap((rest) => timeOutside(rest, others, step))
}

function areaTime(text: FoundText): number {
  return lineArea(lineBoxAt(text, text.first)) * (text.last - text.first + 1)
}

function lineBoxAt({ boxAt, tilt }: FoundText, frame: number): LineBox {
  return { ...boxAt(frame), tilt }
}

function isContained(text: FoundText, whole: FoundText): boolean {
  const first = Math.max(text.first, whole.first)
  const last = Math.min(text.last, whole.last)
  if (last - first + 1 < minContainedShare * (text.last - text.first + 1)) return false
  const middle = Math.floor((first + last) / 2)
  const line = lineBoxAt(text, middle)
  return lineIntersectionArea(line, lineBoxAt(whole, middle)) >= minContainedShare * lineArea(line)
}
