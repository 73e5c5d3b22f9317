import type { TimedWord } from '../speech/speech-types.ts'

/** A word or phrase worth attention, with its time on the clip, seconds. */
export interface HighlightedWords {
  readonly text: string
  readonly begin_time: number
  readonly end_time: number
}

/** Returns phrases with the times at which they are first said; those that are not said are omitted. In order of time. */
export function highlightTimes(phrases: readonly string[], words: readonly TimedWord[]): HighlightedWords[] {
  let text = ''
  const starts = words.map((word) => {
    const start = text.length
    text += comparable(word.text)
    return start
  })
  const ends = new Set([...starts.slice(1), text.length])
  const wordAt = (offset: number) => starts.findLastIndex((start) => start <= offset)
  const found = phrases.flatMap((phrase) => {
    const wanted = comparable(phrase)
    if (wanted === '') return []
    const first = starts.findIndex(
      (start) => text.startsWith(wanted, start) && ends.has(start + wanted.length),
    )
    if (first < 0) return []
    const last = wordAt((starts[first] ?? 0) + wanted.length - 1)
    const [from, to] = [words[first], words[last]]
    return from && to
      ? [{ text: phrase, begin_time: milliseconds(from.start), end_time: milliseconds(to.end) }]
      : []
  })
  return found.toSorted((one, other) => one.begin_time - other.begin_time)
}

const milliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000

const comparable = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')
