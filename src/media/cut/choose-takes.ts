import type { IndexRange } from '../speech/align.ts'
import { isSpaceless } from '../speech/words.ts'
import type { PausedUnits } from './heard-units.ts'

/** What was read of a script without a return to an earlier passage. */
export interface ScriptTake {
  /** Units of the script from the first to the last one that was read. */
  readonly script: IndexRange
  /** Heard units. */
  readonly heard: IndexRange
  /** Heard unit of each unit of the script that was read, and whether it is the same. */
  readonly positions: ReadonlyMap<number, { readonly unit: number; readonly isMatch: boolean }>
}

/** A part of a sentence and the take that it comes from. */
export interface TakePiece {
  readonly take: ScriptTake
  /** Units of the script. */
  readonly units: IndexRange
  /** Why a person should check it. */
  readonly note?: string
}

/**
 * Largest share of units that a good take says differently or omits, and that share of the last take: the speaker
 * continues after it, so that some of its errors are rather those of the recogniser.
 */
const [maxErrorShare, maxLastErrorShare] = [0.25, 0.34]

const differsNote = 'the best take of this sentence differs from the script'

/** Least share of a sentence that was read for any of it to be kept. */
const minReadShare = 0.5

/**
 * Chooses the takes of one sentence: the last complete good one, otherwise the cheapest combination. Returns pieces in
 * the order of the script; none if less than half of the sentence was read. Takes are in the order of the recording;
 * `heard` has all of its units.
 */
export function chooseTakes(
  sentence: IndexRange,
  takes: readonly ScriptTake[],
  heard: PausedUnits,
): TakePiece[] {
  const candidates = takes.filter(({ script }) => script.from < sentence.to && script.to > sentence.from)
  const last = candidates.at(-1)
  const good = candidates.findLast((take) => isComplete(sentence, take, maxErrorShare))
  if (last && last !== good && isComplete(sentence, last, maxLastErrorShare))
    return [{ take: last, units: sentence, note: differsNote }]
  if (good) return [{ take: good, units: sentence }]
  const pieces = combineTakes(sentence, candidates, heard)
  const read = pieces.reduce((sum, { take, units }) => sum + countRead(units, take), 0)
  if (read < minReadShare * (sentence.to - sentence.from)) return []
  const note =
    pieces.length > 1 ? 'no take of this sentence is complete: it is joined from several' : differsNote
  return pieces.map((piece, index) => (index === 0 ? { ...piece, note } : piece))
}

/** Whether a take reads a sentence from its first to its last unit with at most a share of errors. */
function isComplete(sentence: IndexRange, take: ScriptTake, maxErrors: number): boolean {
  const { positions } = take
  if (!positions.has(sentence.from) || !positions.has(sentence.to - 1)) return false
  let errors = 0
  for (let at = sentence.from; at < sentence.to; at += 1) errors += positions.get(at)?.isMatch ? 0 : 1
  return errors <= maxErrors * (sentence.to - sentence.from)
}

function countRead({ from, to }: IndexRange, { positions }: ScriptTake): number {
  let count = 0
  for (let at = from; at < to; at += 1) count += positions.has(at) ? 1 : 0
  return count
}

/** Costs of a combination, in units that are omitted; `earlier`: for each of at most two takes that follow. */
const costs = { substitution: 0.7, omission: 1, unread: 1.1, change: 1.5, earlier: 0.2 }

/**
 * Returns the cheapest combination of takes: few errors, few changes, changes in pauses, later takes. A change is at the
 * end of a unit of the take that is left, and at the start of a unit of the one that is entered.
 */
function combineTakes(
  sentence: IndexRange,
  candidates: readonly ScriptTake[],
  heard: PausedUnits,
): TakePiece[] {
  const length = sentence.to - sentence.from
  const states = candidates.length + 1
  const unread = candidates.length
  const unitCost = (at: number, state: number) => {
    const take = candidates[state]
    if (!take) return costs.unread
    if (at < take.script.from || at >= take.script.to) return Infinity
    const found = take.positions.get(at)
    const error = found ? (found.isMatch ? 0 : costs.substitution) : costs.omission
    return error + costs.earlier * Math.min(2, candidates.length - 1 - state)
  }
  const previous: number[][] = []
  let row = Array.from({ length: states }, (_, state) => unitCost(sentence.from, state))
  for (let at = sentence.from + 1; at < sentence.to; at += 1) {
    const left = row.map(
      (cost, state) => cost + leaveCost({ from: sentence.from, to: at }, candidates[state], heard),
    )
    const cheapest = indexOfLeast(left)
    const from: number[] = []
    row = row.map((cost, state) => {
      const changed = (left[cheapest] ?? 0) + costs.change + enterCost(at, candidates[state], heard)
      from.push(cost <= changed ? state : cheapest)
      return Math.min(cost, changed) + unitCost(at, state)
    })
    previous.push(from)
  }
  const path: number[] = [indexOfLeast(row)]
  for (let at = length - 2; at >= 0; at -= 1) path.unshift(previous[at]?.[path[0] ?? 0] ?? unread)
  return piecesOf(path, sentence, candidates)
}

/** Silence beside a word in which a take can be left or entered, seconds: short, because times of words are inexact. */
const cutPause = 0.15

/** Cost of a cut within speech, which clips the words beside it, in units that are omitted. */
const speechCutCost = { characters: 3, words: 1 }

/** Cost of a cut before a heard unit. */
function cutCost(unit: number, { pauses, units }: PausedUnits): number {
  if ((pauses[unit] ?? Infinity) >= cutPause) return 0
  return speechCutCost[isSpaceless(units[unit]?.text ?? '') ? 'characters' : 'words']
}

/** Cost of leaving a take after the last one of units of the script that it reads; leaving nothing is free. */
function leaveCost({ from, to }: IndexRange, take: ScriptTake | undefined, heard: PausedUnits): number {
  for (let at = to - 1; take && at >= from; at -= 1) {
    const found = take.positions.get(at)
    if (found) return cutCost(found.unit + 1, heard)
  }
  return 0
}

function enterCost(at: number, take: ScriptTake | undefined, heard: PausedUnits): number {
  const first = take?.positions.get(at)
  return first ? cutCost(first.unit, heard) : 0
}

function piecesOf(
  path: readonly number[],
  sentence: IndexRange,
  candidates: readonly ScriptTake[],
): TakePiece[] {
  const pieces: TakePiece[] = []
  let from = 0
  for (let at = 1; at <= path.length; at += 1) {
    if (path[at] === path[from]) continue
    const take = candidates[path[from] ?? candidates.length]
    if (take) pieces.push({ take, units: { from: sentence.from + from, to: sentence.from + at } })
    from = at
  }
  return pieces
}

function indexOfLeast(row: readonly number[]): number {
  let best = 0
  for (const [index, cost] of row.entries()) if (cost < (row[best] ?? Infinity)) best = index
  return best
}
