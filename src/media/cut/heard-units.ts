import { comparableUnits, type ComparableUnit } from '../speech/comparable-units.ts'
import type { IndexRange } from '../speech/align.ts'
import { isSpaceless } from '../speech/words.ts'
import type { TimedWord } from '../speech/speech-types.ts'

/** Units of recognised words, with the words of each. */
export interface HeardUnits {
  readonly units: readonly ComparableUnit[]
  /** Words of each unit. A number that was spoken in several words has all of them. */
  readonly words: readonly IndexRange[]
}

/** Returns the comparable units of recognised words, so that a number of several words is one number. */
export function heardUnits(heard: readonly TimedWord[]): HeardUnits {
  const starts: number[] = []
  // The text is not read while it grows: that would copy it for each word.
  let [text, last] = ['', '']
  for (const { text: word } of heard) {
    const joins = text === '' || (isSpaceless(last) && isSpaceless(word.at(0) ?? ''))
    if (!joins) text += ' '
    starts.push(text.length)
    text += word
    last = word.at(-1) ?? (joins ? last : ' ')
  }
  const units = comparableUnits(text)
  let from = 0
  const words = units.map((unit) => {
    while (from + 1 < starts.length && (starts[from + 1] ?? 0) <= unit.from) from += 1
    let to = from + 1
    while (to < starts.length && (starts[to] ?? 0) < unit.to) to += 1
    return { from, to }
  })
  return { units, words }
}

/** Heard units with the silence before each, seconds. */
export interface PausedUnits extends HeardUnits {
  readonly pauses: readonly number[]
}

/** Returns the silence before each heard unit, seconds: infinite before the first one, 0 within a word. */
export function pausesBefore({ words }: HeardUnits, heard: readonly TimedWord[]): number[] {
  return words.map(({ from }, unit) =>
    words[unit - 1]?.from === from ? 0 : (heard[from]?.start ?? 0) - (heard[from - 1]?.end ?? -Infinity),
  )
}

/** Returns the words of a range of heard units. */
export function wordRange({ words }: HeardUnits, units: IndexRange): IndexRange {
  const from = words[units.from]?.from ?? 0
  return { from, to: Math.max(from, words[units.to - 1]?.to ?? from) }
}

/** Returns the indexes of a range. */
export function indexesOf({ from, to }: IndexRange): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)
}

/** Groups ascending indexes into ranges. */
export function consecutiveRanges(indexes: Iterable<number>): IndexRange[] {
  const ranges: { from: number; to: number }[] = []
  for (const index of indexes) {
    const last = ranges.at(-1)
    if (last?.to === index) last.to += 1
    else ranges.push({ from: index, to: index + 1 })
  }
  return ranges
}
