import type { IndexRange } from '../speech/align.ts'
import type { ComparableUnit } from '../speech/comparable-units.ts'
import { sentenceParts } from '../speech/sentences.ts'

/** Returns the sentences of a script as ranges of its units; sentences without units are omitted. */
export function sentenceRanges(script: string, units: readonly ComparableUnit[]): IndexRange[] {
  const ranges: IndexRange[] = []
  let [offset, from] = [0, 0]
  for (const part of sentenceParts(script)) {
    offset += part.length
    let to = from
    while (to < units.length && (units[to]?.from ?? 0) < offset) to += 1
    if (to > from) ranges.push({ from, to })
    from = to
  }
  return ranges
}
