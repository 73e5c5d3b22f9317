import type { UnitCosts } from './unit-costs.ts'

/** Rows of the alignment that share a band: one row per heard unit. */
export const blockRows = 64

/** Rows before and after a block whose anchors count for it. */
const anchorReach = 64

/** Positions kept on both sides of an anchor. */
const margin = 96

/** Most positions of a band. */
const maxBandWidth = 4096

/** Earlier blocks whose best positions stay in the band: the reader returns to them after words beside the script. */
const keptPositions = 8

/** Most occurrences in the script of three units in a row that are an anchor; of two, only unique ones are. */
const maxOccurrences = 4

/** Votes of an anchor that is unique, and of all anchors near one another that widen the band. */
const uniqueVotes = 4
const minVotes = 2

/** Spans of script positions, inclusive, ascending and apart: the first and last position of each. */
export type Band = readonly (readonly [lo: number, hi: number])[]

/** Returns the band of a block of rows, given the best position of the row before it. */
export type ChooseBand = (block: number, best: number) => Band

/** The band of all positions. */
export function wholeBand(positions: number): ChooseBand {
  const band: Band = [[0, positions - 1]]
  return () => band
}

/**
 * Bands around the positions that rare sequences of units suggest, and around the best positions so far. Sequences count
 * that are heard in the block or near it, the most frequent positions first, up to a bounded width.
 */
export function anchoredBand(costs: UnitCosts): ChooseBand {
  const positions = costs.script.length + 1
  const anchors = [findAnchors(costs, 3), findAnchors(costs, 2)]
  const recent: number[] = []
  return (block, best) => {
    recent.unshift(best)
    recent.length = Math.min(recent.length, keptPositions)
    const start = block * blockRows
    const around = (first: number, last: number): [number, number] => [
      Math.max(0, first - margin),
      Math.min(positions - 1, last + blockRows + margin),
    ]
    const spans = recent.map((position) => around(position, position))
    let width = spans.reduce((sum, [lo, hi]) => sum + hi - lo + 1, 0)
    for (const diagonal of votedDiagonals(anchors, start)) {
      const [lo, hi] = around(start + diagonal, start + diagonal + blockRows)
      if (hi < lo) continue
      width += hi - lo + 1
      if (width > maxBandWidth) break
      spans.push([lo, hi])
    }
    return mergeSpans(spans)
  }
}

/** Script positions of the anchor that starts at a heard unit. */
type Anchors = (heard: number) => readonly number[]

/** Finds sequences of `length` heard units that are rare in the script. */
function findAnchors({ script, heard, count }: UnitCosts, length: 2 | 3): Anchors {
  const most = length === 3 ? maxOccurrences : 1
  const keyAt = (units: Int32Array, at: number) => {
    let key = 0
    for (let index = at; index < at + length; index += 1) key = key * count + (units[index] ?? 0)
    return key
  }
  const found = new Map<number, number[]>()
  for (let at = 0; at + length <= script.length; at += 1) {
    const key = keyAt(script, at)
    const known = found.get(key)
    if (!known) found.set(key, [at])
    else if (known.length <= most) known.push(at)
  }
  return (at) => {
    if (at < 0 || at + length > heard.length) return []
    const known = found.get(keyAt(heard, at)) ?? []
    return known.length > most ? [] : known
  }
}

/** Differences of script and heard position that anchors near a block suggest, rounded down, most votes first. */
function votedDiagonals(anchors: readonly Anchors[], start: number): number[] {
  const votes = new Map<number, number>()
  for (let heard = start - anchorReach; heard < start + blockRows + anchorReach; heard += 1) {
    for (const [index, find] of anchors.entries()) {
      const known = find(heard)
      for (const script of known) {
        const diagonal = Math.floor((script - heard) / blockRows) * blockRows
        const weight = index === 0 ? uniqueVotes / known.length : 1
        votes.set(diagonal, (votes.get(diagonal) ?? 0) + weight)
      }
    }
  }
  return [...votes]
    .filter(([, count]) => count >= minVotes)
    .toSorted(([, one], [, other]) => other - one)
    .map(([diagonal]) => diagonal)
}

function mergeSpans(spans: readonly (readonly [number, number])[]): Band {
  const merged: [number, number][] = []
  for (const [lo, hi] of spans.toSorted(([one], [other]) => one - other)) {
    const last = merged.at(-1)
    if (last && lo <= last[1] + 1) last[1] = Math.max(last[1], hi)
    else merged.push([lo, hi])
  }
  return merged
}
