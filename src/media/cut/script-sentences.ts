import type { IndexRange } from '../speech/align.ts'
import type { ComparableUnit } from '../speech/comparable-units.ts'
import { sentenceParts } from '../speech/sentences.ts'
import { breakClass } from './pauses.ts'
import { indexesOf } from './heard-units.ts'

/**
 * Longest sentence, units. A script without punctuation would be one sentence, of which nothing is kept unless half of the
 * whole script was read.
 */
const maxSentenceUnits = 80

/**
 * Returns the sentences of a script as ranges of its units; sentences without units are omitted. Sentences of more than
 * 80 units are divided evenly, after punctuation where possible, and not within a number.
 */
export function sentenceRanges(script: string, units: readonly ComparableUnit[]): IndexRange[] {
  const ranges: IndexRange[] = []
  let [offset, from] = [0, 0]
  for (const part of sentenceParts(script)) {
    offset += part.length
    let to = from
    while (to < units.length && (units[to]?.from ?? 0) < offset) to += 1
    if (to > from) ranges.push(...divideSentence({ from, to }, script, units))
    from = to
  }
  return ranges
}

function divideSentence(
  sentence: IndexRange,
  script: string,
  units: readonly ComparableUnit[],
): IndexRange[] {
  const textBefore = (unit: number) => script.slice(units[unit - 1]?.to, units[unit]?.from)
  const isInNumber = (unit: number) => (units[unit]?.from ?? 0) < (units[unit - 1]?.to ?? 0)
  const parts: IndexRange[] = []
  let { from } = sentence
  while (sentence.to - from > maxSentenceUnits) {
    const left = sentence.to - from
    const latest = from + Math.ceil(left / Math.ceil(left / maxSentenceUnits))
    const ends = indexesOf({ from: Math.ceil((from + latest) / 2), to: latest + 1 })
    const to =
      ends.findLast((unit) => breakClass(textBefore(unit)) !== null) ??
      ends.findLast((unit) => !isInNumber(unit)) ??
      latest
    parts.push({ from, to })
    from = to
  }
  return [...parts, { from, to: sentence.to }]
}
