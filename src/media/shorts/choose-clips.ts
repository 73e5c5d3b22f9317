import { firstIndex } from '../first-index.ts'
import type { IndexRange } from '../speech/align.ts'

/** A possible clip with its score, 0 to 10. */
export interface ClipCandidate {
  readonly units: IndexRange
  readonly score: number
}

export interface ChooseClipsOptions {
  /** Most clips. */
  readonly count: number
  /** Candidates below this score are chosen only if there is no better one. */
  readonly minScore: number
}

/**
 * Chooses clips that do not overlap and whose scores above the least one have the greatest sum (weighted interval
 * scheduling), in the order of the recording. At least one if there is a candidate.
 */
export function chooseClips<Candidate extends ClipCandidate>(
  candidates: readonly Candidate[],
  { count, minScore }: ChooseClipsOptions,
): Candidate[] {
  const good = candidates
    .filter(({ score, units }) => score >= minScore && units.to > units.from)
    .toSorted((one, other) => one.units.to - other.units.to || one.units.from - other.units.from)
  if (good.length === 0) return bestOf(candidates)
  const before = good.map(({ units }) => countEndingUpTo(good, units.from))
  // best[k][i]: greatest sum with at most k of the first i candidates.
  const best = [new Float64Array(good.length + 1)]
  for (let k = 1; k <= count; k += 1) {
    const [row, fewer] = [new Float64Array(good.length + 1), best[k - 1]]
    for (const [index, { score }] of good.entries()) {
      // A small part of the score itself lets candidates of exactly the least score count.
      const weight = score - minScore + score / 100
      row[index + 1] = Math.max(row[index] ?? 0, (fewer?.[before[index] ?? 0] ?? 0) + weight)
    }
    best.push(row)
    if (fewer && row[good.length] === fewer[good.length]) break
  }
  return traceBack(good, best, before)
}

function bestOf<Candidate extends ClipCandidate>(candidates: readonly Candidate[]): Candidate[] {
  const [best] = candidates.toSorted((one, other) => other.score - one.score)
  return best ? [best] : []
}

/** Number of candidates, sorted by their ends, that end at or before a unit. */
function countEndingUpTo(sorted: readonly ClipCandidate[], unit: number): number {
  return firstIndex(sorted, ({ units }) => units.to > unit)
}

function traceBack<Candidate extends ClipCandidate>(
  good: readonly Candidate[],
  best: readonly Float64Array[],
  before: readonly number[],
): Candidate[] {
  const chosen: Candidate[] = []
  let [k, index] = [best.length - 1, good.length]
  while (k > 0 && index > 0) {
    const row = best[k]
    if (row?.[index] === row?.[index - 1]) {
      index -= 1
      continue
    }
    const candidate = good[index - 1]
    if (candidate) chosen.push(candidate)
    index = before[index - 1] ?? 0
    k -= 1
  }
  return chosen.toReversed()
}
