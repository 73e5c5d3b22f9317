import type { IndexRange } from '../speech/align.ts'
import { comparableUnits, type ComparableUnit } from '../speech/comparable-units.ts'
import { withoutAbbreviationDot } from '../speech/sentences.ts'
import type { TimedWord } from '../speech/speech-types.ts'
import { chooseTakes, type ScriptTake, type TakePiece } from './choose-takes.ts'
import {
  consecutiveRanges,
  heardUnits,
  type HeardUnits,
  indexesOf,
  pausesBefore,
  wordRange,
} from './heard-units.ts'
import { classifyInsertions, isRestart } from './insertions.ts'
import { scriptTakes } from './script-takes.ts'
import { sentenceRanges } from './script-sentences.ts'

/** A recognised word that stays in the cut. */
export interface KeptWord {
  /** Index among the recognised words. */
  readonly word: number
  /** Text of the script from this word to the next kept one: its punctuation and line breaks. */
  readonly textAfter: string
}

/** Recognised words that are cut: said again later, or not as the script has them. */
export interface DroppedWords {
  readonly words: IndexRange
  readonly reason: 'retake' | 'misread'
}

/** A place that a person should check, at a recognised word. */
export interface ReviewWord {
  readonly word: number
  readonly note: string
}

export interface TakeSelection {
  /** In the order of the script. */
  readonly kept: readonly KeptWord[]
  /** In the order of the recording. */
  readonly dropped: readonly DroppedWords[]
  /** Hesitations that are cut. */
  readonly fillers: readonly IndexRange[]
  /** Passages of the script without footage. */
  readonly uncovered: readonly string[]
  readonly review: readonly ReviewWord[]
  /** Units of the script that the kept words contain, 0 to 1. */
  readonly coverage: number
}

/** Least passage without footage that is reported, units. */
const minUncoveredUnits = 2

/**
 * Selects the takes of a script from recognised words: for each sentence the last complete good take, otherwise the
 * best combination of takes. Retakes, restarts, misread and unscripted passages are dropped.
 */
export function selectTakes(script: string, heard: readonly TimedWord[]): TakeSelection {
  const scriptUnits = comparableUnits(script)
  const spoken = heardUnits(heard)
  const sentences = sentenceRanges(script, scriptUnits)
  const pauses = pausesBefore(spoken, heard)
  const takes = scriptTakes({ units: scriptUnits, sentences }, { ...spoken, pauses }, heard)
  const pieces = sentences.flatMap((sentence) => chooseTakes(sentence, takes, { ...spoken, pauses }))
  const assembled = new Assembly(heard, spoken)
  for (const piece of joinPieces(pieces)) assembled.add(piece)
  const { covered } = assembled
  return {
    kept: keptWords(assembled, { script, scriptUnits }),
    dropped: droppedWords(takes, spoken, assembled),
    fillers: assembled.fillers,
    uncovered: uncoveredPassages(script, scriptUnits, covered),
    review: reviewWords(pieces, spoken),
    coverage: scriptUnits.length === 0 ? 0 : covered.size / scriptUnits.length,
  }
}

/** Joins pieces of one take that follow each other without a hole. */
function joinPieces(pieces: readonly TakePiece[]): TakePiece[] {
  const joined: TakePiece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    const follows = last && last.take === piece.take && last.units.to === piece.units.from
    if (follows) joined[joined.length - 1] = { ...last, units: { from: last.units.from, to: piece.units.to } }
    else joined.push(piece)
  }
  return joined
}

/** The kept words, piece by piece. */
class Assembly {
  readonly #heard: readonly TimedWord[]
  readonly #spoken: HeardUnits
  /** Kept words with the script unit of each; -1 for words beside the script. */
  readonly words: { readonly word: number; readonly scriptUnit: number }[] = []
  readonly fillers: IndexRange[] = []
  /** Units of the script that the kept words read. */
  readonly covered = new Set<number>()
  readonly #kept = new Set<number>()

  constructor(heard: readonly TimedWord[], spoken: HeardUnits) {
    this.#heard = heard
    this.#spoken = spoken
  }

  add({ take, units }: TakePiece): void {
    const scriptOf = new Map<number, number>()
    const wrong = new Set<number>()
    for (let position = units.from; position < units.to; position += 1) {
      const found = take.positions.get(position)
      if (!found) continue
      scriptOf.set(found.unit, position)
      if (!found.isMatch) wrong.add(found.unit)
    }
    // A take reads the script in its order, so that its heard units ascend.
    const [first, last] = [[...scriptOf.keys()].at(0), [...scriptOf.keys()].at(-1)]
    if (first === undefined || last === undefined) return
    const range = { from: first, to: last + 1 }
    const { cut, fillers } = classifyInsertions(range, scriptOf, {
      ...{ heard: this.#heard, spoken: this.#spoken, wrong },
    })
    this.fillers.push(...fillers)
    for (let unit = range.from; unit < range.to; unit += 1) {
      const { from, to } = this.#spoken.words[unit] ?? { from: 0, to: 0 }
      for (let word = from; word < to; word += 1) {
        if (this.#kept.has(word) || cut.has(word)) continue
        this.#kept.add(word)
        this.words.push({ word, scriptUnit: scriptOf.get(unit) ?? -1 })
      }
      // One word may read many units: each digit of a number is one.
      const scriptUnit = scriptOf.get(unit)
      if (scriptUnit !== undefined && this.#kept.has(from)) this.covered.add(scriptUnit)
    }
  }

  has(word: number): boolean {
    return this.#kept.has(word)
  }
}

function keptWords(
  { words }: Assembly,
  { script, scriptUnits }: { readonly script: string; readonly scriptUnits: readonly ComparableUnit[] },
): KeptWord[] {
  const kept: KeptWord[] = []
  /** Script unit of the following word: the end of the script after the last one, -1 for a word beside the script. */
  let next = scriptUnits.length
  for (const { word, scriptUnit } of words.toReversed()) {
    const from = scriptUnits[scriptUnit]?.to
    const isKnown = from !== undefined && next >= 0
    const to = Math.max(from ?? 0, scriptUnits[next]?.from ?? script.length)
    kept.push({ word, textAfter: isKnown ? textBetween(script, { from, to }) : '' })
    next = scriptUnit
  }
  return kept.toReversed()
}

/** Most letters of an abbreviation and before it that decide whether a dot is its own. */
const abbreviationReach = 8

/** The text between two words of the script, without the dot of an abbreviation. */
function textBetween(script: string, { from, to }: IndexRange): string {
  const after = script.slice(Math.max(0, from - abbreviationReach), from)
  return withoutAbbreviationDot(script.slice(from, to), { after, next: script.slice(to, to + 1) })
}

/** Least share of words as in the script of a take that is called a retake; otherwise it is misread. */
const retakeShare = 0.75

/** Words that are neither kept nor fillers, take by take; neighbours with one reason are one entry. */
function droppedWords(takes: readonly ScriptTake[], spoken: HeardUnits, assembled: Assembly): DroppedWords[] {
  const isFiller = new Set(assembled.fillers.flatMap(indexesOf))
  const dropped: DroppedWords[] = []
  for (const take of takes) {
    const matched = new Set(
      [...take.positions.values()].filter(({ isMatch }) => isMatch).map(({ unit }) => unit),
    )
    const units = indexesOf(take.heard).filter((unit) => {
      const word = spoken.words[unit]?.from ?? 0
      return !assembled.has(word) && !isFiller.has(word)
    })
    for (const range of consecutiveRanges(units)) {
      const words = wordRange(spoken, range)
      const reason = dropReason(range, matched, spoken)
      const last = dropped.at(-1)
      if (last?.reason === reason && last.words.to === words.from)
        dropped[dropped.length - 1] = { reason, words: { from: last.words.from, to: words.to } }
      else dropped.push({ words, reason })
    }
  }
  return dropped
}

/** Why units of a take were dropped. `matched`: the units of the take that are as in the script. */
function dropReason(units: IndexRange, matched: ReadonlySet<number>, spoken: HeardUnits) {
  const share = indexesOf(units).filter((unit) => matched.has(unit)).length / (units.to - units.from)
  return share >= retakeShare || isRestart(spoken, units) ? 'retake' : 'misread'
}

function uncoveredPassages(
  script: string,
  units: readonly ComparableUnit[],
  covered: ReadonlySet<number>,
): string[] {
  const passages: string[] = []
  let from = 0
  for (let at = 0; at <= units.length; at += 1) {
    if (at < units.length && !covered.has(at)) continue
    if (at - from >= minUncoveredUnits) passages.push(script.slice(units[from]?.from, units[at - 1]?.to))
    from = at + 1
  }
  return passages
}

function reviewWords(pieces: readonly TakePiece[], { words }: HeardUnits): ReviewWord[] {
  return pieces.flatMap(({ take, units, note }) => {
    const first = take.positions.get(units.from)
    return note === undefined || !first ? [] : [{ word: words[first.unit]?.from ?? 0, note }]
  })
}
