import type { IndexRange } from '../speech/align.ts'
import type { ClipCandidate } from './choose-clips.ts'
import { type LengthBounds, unitsLength } from './clip-lengths.ts'
import type { ClipUnit } from './clip-units.ts'

/** Rank that a clip gains by a pause before it, per second up to one: a new thought begins there. */
const openingGain = 0.5

/** Most units of a clip. Longer ones are only in transcripts with wrong times. */
const maxUnits = 1200

/**
 * Returns a clip from each unit: of the allowed lengths the one whose units rank highest on average, weighted by their
 * duration. Scores are 0 to 10 in the order of the averages. `ranks`: from `rankUnits`.
 */
export function extractiveCandidates(
  units: readonly ClipUnit[],
  ranks: readonly number[],
  bounds: LengthBounds,
): ClipCandidate[] {
  const weighted = prefixSums(units.map(({ start, end }, index) => (end - start) * (ranks[index] ?? 0)))
  const spoken = prefixSums(units.map(({ start, end }) => end - start))
  const found = units.flatMap((unit, from) => {
    const pause = unit.start - (units[from - 1]?.end ?? unit.start)
    const opening = openingGain * Math.min(1, Math.max(0, pause))
    let best: { readonly to: number; readonly rank: number } | undefined
    for (let to = from + 1; to <= Math.min(units.length, from + maxUnits); to += 1) {
      const length = unitsLength(units, { from, to })
      if (length > bounds.max) break
      if (length < bounds.min) continue
      const seconds = Math.max(1e-3, (spoken[to] ?? 0) - (spoken[from] ?? 0))
      const rank = ((weighted[to] ?? 0) - (weighted[from] ?? 0)) / seconds + opening
      if (!best || rank > best.rank) best = { to, rank }
    }
    return best ? [{ units: { from, to: best.to }, rank: best.rank }] : []
  })
  const sorted = found.map(({ rank }) => rank).toSorted((one, other) => one - other)
  const places = new Map(sorted.map((rank, place) => [rank, place + 1] as const).toReversed())
  return found.map(({ units: range, rank }) => ({
    units: range,
    score: (10 * (places.get(rank) ?? 0)) / sorted.length,
  }))
}

/** Mean rank of units, weighted by their duration. */
export function meanRank(
  units: readonly ClipUnit[],
  ranks: readonly number[],
  { from, to }: IndexRange,
): number {
  let [sum, seconds] = [0, 1e-3]
  for (let index = from; index < to; index += 1) {
    const length = (units[index]?.end ?? 0) - (units[index]?.start ?? 0)
    sum += length * (ranks[index] ?? 0)
    seconds += length
  }
  return sum / seconds
}

/** Sums of the values before each index. */
function prefixSums(values: readonly number[]): number[] {
  const sums = [0]
  for (const value of values) sums.push((sums.at(-1) ?? 0) + value)
  return sums
}
