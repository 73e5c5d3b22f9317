import type { IndexRange } from '../speech/align.ts'
import { withoutAbbreviationDot } from '../speech/sentences.ts'
import type { TimedWord } from '../speech/speech-types.ts'
import { isFiller } from './insertions.ts'
import { breakClass } from './pauses.ts'
import type { TakeSelection } from './takes.ts'
import type { Transcript } from '../speech/transcript.ts'
import { joinWords } from '../speech/words.ts'
import { consecutiveRanges, heardUnits, type HeardUnits, indexesOf, wordRange } from './heard-units.ts'

/** The reconstructed script and what of the recording it keeps. */
export interface RebuiltScript extends TakeSelection {
  readonly script: string
}

/**
 * Reconstructs a script from a recording: everything that is said, without earlier takes, restarts and hesitations. The
 * punctuation is that of the recogniser; a sentence without an end mark ends like one with a full stop.
 */
export function rebuildScript({ words, sentences }: Transcript): RebuiltScript {
  const retakes = findRetakes(words)
  const isDropped = new Set(retakes.flatMap(indexesOf))
  const { units, words: wordsOfUnits } = heardUnits(words)
  const fillers = consecutiveRanges(
    units.flatMap(({ text }, unit) => {
      const word = wordsOfUnits[unit]?.from ?? 0
      return isFiller(text) && !isDropped.has(word) ? [word] : []
    }),
  )
  const isCut = new Set([...isDropped, ...fillers.flatMap(indexesOf)])
  const sentenceEnds = new Set(sentences.map(({ last }) => last))
  const kept = words.flatMap(({ text }, word) => {
    if (isCut.has(word)) return []
    const [marks = ''] = /[^\p{L}\p{M}\p{N}]*$/u.exec(text) ?? []
    const isEnd = sentenceEnds.has(word) && breakClass(`${marks} `) === null
    const between = `${marks}${isEnd ? '. ' : ' '}`
    const after = text.slice(0, text.length - marks.length)
    const next = words[word + 1]?.text ?? ''
    return [{ word, textAfter: withoutAbbreviationDot(between, { after, next }) }]
  })
  return {
    script: joinWords(kept.map(({ word }) => words[word]?.text ?? '')),
    kept,
    dropped: retakes.map((range) => ({ words: range, reason: 'retake' })),
    fillers,
    ...{ uncovered: [], review: [], coverage: 1 },
  }
}

/** Silence that separates utterances, seconds. */
const utterancePause = 0.35

/** Speech after an utterance in which a repetition counts as another take, seconds. */
const retakeWindow = 90

/** Least likeness of a repetition, 0 to 1 (edit distance against the length). */
const minLikeness = 0.7

/** Least units of an utterance that is compared at any distance. Shorter ones must be the start of the next utterance. */
const minFarUnits = 5

/** Longest restart within an utterance that is found, units. */
const maxRestartUnits = 8

/**
 * Returns the words that are said again, as ranges of words, ascending: earlier takes of an utterance, beginnings that
 * are broken off, and immediate repetitions of at least two units. Without a script this is all that shows a retake.
 */
export function findRetakes(heard: readonly TimedWord[]): IndexRange[] {
  const spoken = heardUnits(heard)
  const utterances = splitUtterances(spoken, heard)
  const dropped = utterances.flatMap((utterance, index) =>
    isSaidAgain(utterance, utterances[index + 1], { spoken, heard })
      ? [utterance]
      : findRestarts(spoken, utterance),
  )
  return consecutiveRanges(dropped.flatMap((units) => indexesOf(wordRange(spoken, units))))
}

/** Ranges of heard units between silences. */
function splitUtterances({ units, words }: HeardUnits, heard: readonly TimedWord[]): IndexRange[] {
  const starts = units.flatMap((_, unit) => {
    const word = words[unit]?.from ?? 0
    const pause = (heard[word]?.start ?? 0) - (heard[word - 1]?.end ?? -Infinity)
    return unit === 0 || (words[unit - 1]?.to === word && pause >= utterancePause) ? [unit] : []
  })
  return starts.map((from, index) => ({ from, to: starts[index + 1] ?? units.length }))
}

/** Whether an utterance is contained in the speech after it, or broken off and begun again by the next one. */
function isSaidAgain(
  { from, to }: IndexRange,
  next: IndexRange | undefined,
  { spoken, heard }: { readonly spoken: HeardUnits; readonly heard: readonly TimedWord[] },
): boolean {
  if (!next) return false
  const texts = ({ from: first, to: end }: IndexRange) =>
    spoken.units.slice(first, end).map(({ text }) => text)
  const own = texts({ from, to })
  const length = own.length
  const maxErrors = (1 - minLikeness) * length
  const isStart = length >= 2 || next.to - next.from > length
  if (
    isStart &&
    prefixDistance(own, texts({ from: next.from, to: Math.min(next.to, next.from + 2 * length) })) <=
      maxErrors
  )
    return true
  if (length < minFarUnits) return false
  const limit = (heard[spoken.words[to - 1]?.from ?? 0]?.end ?? 0) + retakeWindow
  let end = to
  while (end < spoken.units.length && (heard[spoken.words[end]?.from ?? 0]?.start ?? Infinity) < limit)
    end += 1
  return containedDistance(own, texts({ from: to, to: end })) <= maxErrors
}

/** Least edit distance of a text from any part of another one, in units (Sellers 1980). */
function containedDistance(part: readonly string[], text: readonly string[]): number {
  return Math.min(...distances(part, text, 0))
}

/** Least edit distance of a text from any beginning of another one, in units. */
function prefixDistance(part: readonly string[], text: readonly string[]): number {
  return Math.min(...distances(part, text, 1))
}

/** Edit distances of `part` from the parts of `text` that end at each position. `skipCost`: of a unit before them. */
function distances(part: readonly string[], text: readonly string[], skipCost: number): number[] {
  let row = Array.from({ length: text.length + 1 }, (_, index) => index * skipCost)
  for (const unit of part) {
    const next = [(row[0] ?? 0) + 1]
    for (const [index, other] of text.entries()) {
      const replaced = (row[index] ?? 0) + (unit === other ? 0 : 1)
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row
}

/** Finds sequences of two or more units in an utterance that are repeated at once; the last one stays. */
function findRestarts({ units }: HeardUnits, { from, to }: IndexRange): IndexRange[] {
  const restarts: IndexRange[] = []
  for (let at = from; at < to;) {
    const longest = Math.min(maxRestartUnits, Math.floor((to - at) / 2))
    let length = longest
    const repeats = () =>
      units.slice(at, at + length).every(({ text }, index) => units[at + length + index]?.text === text)
    while (length >= 2 && !repeats()) length -= 1
    if (length >= 2) restarts.push({ from: at, to: at + length })
    at += Math.max(1, length >= 2 ? length : 1)
  }
  return restarts
}
