import { comparableText } from '../speech/comparable-text.ts'
import { endsSentence, hasWords } from '../speech/sentences.ts'
import type { TimedWord } from '../speech/speech-types.ts'
import { longestWord, wordTolerance } from './visual-speech.ts'

/** Words of a recording with others inserted. */
export interface InsertedWords {
  /** All words, in order, without overlaps. */
  readonly words: readonly TimedWord[]
  /** Those that were inserted. */
  readonly inserted: readonly TimedWord[]
}

/** Shortest part of a word that is left beside inserted ones, seconds. */
const minWord = 0.05

/** Pause before the next word from which an end mark counts, seconds: pieces recognised alone end with one anywhere. */
const minSentencePause = 0.35

/**
 * Inserts words that were recognised again, apart from their surroundings, among the known words of a recording. Both are
 * in order, without overlaps. A found word is ignored if its middle is in a known word, or if it repeats a known word
 * that is at most 0.15 s away. A known word of more than 1.5 s yields to the found words in its time: it moves to the one
 * that equals it, otherwise it is shortened, or removed if nothing of it is left.
 */
export function insertWords(known: readonly TimedWord[], found: readonly TimedWord[]): InsertedWords {
  const { kept, rest } = yieldLongWords(known, found)
  const words: TimedWord[] = []
  const inserted = new Set<TimedWord>()
  let next = 0
  for (const word of rest) {
    const middle = middleOf(word)
    for (; (kept[next]?.start ?? Infinity) <= middle; next += 1) words.push(...kept.slice(next, next + 1))
    const [before, after] = [words.at(-1), kept[next]]
    const start = Math.max(word.start, before?.end ?? 0)
    const end = Math.min(word.end, after?.start ?? Infinity)
    const isRepeated =
      (before && word.start < before.end + wordTolerance && !inserted.has(before) && isSame(word, before)) ||
      (after && word.end > after.start - wordTolerance && isSame(word, after))
    if (isRepeated || middle < (before?.end ?? 0) || end <= start) continue
    const added = { text: word.text, start, end }
    words.push(added)
    inserted.add(added)
  }
  words.push(...kept.slice(next))
  const marked = words.map((word, index) => ({
    word: inserted.has(word) ? withoutFalseEnd(word, words[index + 1]) : word,
    isNew: inserted.has(word),
  }))
  return {
    words: marked.map(({ word }) => word),
    inserted: marked.flatMap(({ word, isNew }) => (isNew ? [word] : [])),
  }
}

/** Moves, shortens or removes known words that are too long, where other words were found in their time. */
function yieldLongWords(known: readonly TimedWord[], found: readonly TimedWord[]) {
  const moved = new Set<TimedWord>()
  const spoken = found.filter(({ text }) => hasWords(text))
  const kept = known.flatMap((word): TimedWord[] => {
    if (word.end - word.start <= longestWord) return [word]
    const inside = spoken.filter((other) => middleOf(other) >= word.start && middleOf(other) < word.end)
    const [first, last] = [inside[0], inside.at(-1)]
    if (!first || !last) return [word]
    const same = inside.findLast((other) => isSame(other, word))
    if (same) {
      moved.add(same)
      return [{ ...word, start: Math.max(word.start, same.start), end: Math.min(word.end, same.end) }]
    }
    if (first.start - word.start >= minWord)
      return [{ ...word, end: Math.min(first.start, word.start + longestWord) }]
    return word.end - last.end >= minWord ? [{ ...word, start: last.end }] : []
  })
  return { kept, rest: spoken.filter((word) => !moved.has(word)) }
}

function middleOf({ start, end }: TimedWord): number {
  return (start + end) / 2
}

function isSame(one: TimedWord, other: TimedWord): boolean {
  return lettersOf(one) === lettersOf(other)
}

function lettersOf({ text }: TimedWord): string {
  return comparableText(text).plain.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')
}

/** Removes the marks at the end of a word that another word follows without a pause. */
function withoutFalseEnd(word: TimedWord, next: TimedWord | undefined): TimedWord {
  if (!next || next.start - word.end >= minSentencePause || !endsSentence(word.text)) return word
  return { ...word, text: word.text.replace(/[^\p{L}\p{M}\p{N}]+$/u, '') }
}
