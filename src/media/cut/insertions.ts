import type { IndexRange } from '../speech/align.ts'
import type { TimedWord } from '../speech/speech-types.ts'
import type { HeardUnits } from './heard-units.ts'

/** Hesitations that carry no meaning, by language: English, Chinese, Japanese, Korean, French. */
const fillerWords = new Set(
  'um umm uh uhh uhm er erm hmm mhm 嗯 呃 额 唔 えー えーと えっと あのー うーん 음 어 으음 euh heu'.split(
    ' ',
  ),
)

/** Whether a comparable unit is a hesitation. */
export function isFiller(text: string): boolean {
  return fillerWords.has(text)
}

/** Silence beside words that are said apart, seconds. */
const apartSeconds = 0.25

/** Most unscripted units that stay within a take: small additions of the speaker. */
const maxAddedUnits = 3

/** Silence that counts as a pause after a restart, seconds: short, because times of words are inexact. */
const restartPause = 0.1

/** Returns the least share of equal units for words to be the start of what follows after a pause in seconds. */
export function restartShare(pause: number): number {
  return pause >= restartPause ? 0.5 : 0.6
}

/** Words within a kept take that are not in the script. Word indexes. */
export interface Insertions {
  /** Words to cut. */
  readonly cut: ReadonlySet<number>
  readonly fillers: readonly IndexRange[]
}

/**
 * Decides which unscripted words of a kept take are cut: hesitations, restarts, and passages that are long or said
 * apart. Words that follow a wrong one without a pause may be more of it, and are a restart only if they are equal to what is
 * repeated. `range`: heard units of the take; `scriptOf`: the script unit of those that were aligned; `wrong`: those of
 * them that differ from it.
 */
export function classifyInsertions(
  range: IndexRange,
  scriptOf: ReadonlyMap<number, number>,
  {
    heard,
    spoken,
    wrong,
  }: {
    readonly heard: readonly TimedWord[]
    readonly spoken: HeardUnits
    readonly wrong: ReadonlySet<number>
  },
): Insertions {
  const cut = new Set<number>()
  const fillers: IndexRange[] = []
  for (let from = range.from; from < range.to;) {
    if (scriptOf.has(from)) {
      from += 1
      continue
    }
    let to = from
    while (to < range.to && !scriptOf.has(to)) to += 1
    const words = { from: spoken.words[from]?.from ?? 0, to: spoken.words[to - 1]?.to ?? 0 }
    const followsWrong = wrong.has(from - 1) && pauseBefore(words.from, heard) < apartSeconds
    const isHesitation = spoken.units.slice(from, to).every(({ text }) => isFiller(text))
    if (isHesitation) fillers.push(words)
    if (
      isHesitation ||
      isRestart(spoken, { from, to }, followsWrong ? 1 : restartShare(pauseBefore(words.to, heard))) ||
      isApart(words, heard) ||
      to - from > maxAddedUnits
    ) {
      for (let word = words.from; word < words.to; word += 1) cut.add(word)
    }
    from = to
  }
  return { cut, fillers }
}

/** Silence before a word, seconds; none before the first one. */
function pauseBefore(word: number, heard: readonly TimedWord[]): number {
  return (heard[word]?.start ?? 0) - (heard[word - 1]?.end ?? Infinity)
}

/**
 * Whether heard units are the beginning of what follows them, or repeat what precedes them. `minShare`: least share of
 * equal units.
 */
export function isRestart(
  { units }: HeardUnits,
  { from, to }: IndexRange,
  minShare = restartShare(0),
): boolean {
  const length = to - from
  const equalUnits = (start: number) =>
    units.slice(from, to).filter(({ text }, index) => units[start + index]?.text === text).length
  return (
    equalUnits(to) >= minShare * length ||
    equalUnits(from - length) >= Math.max(minShare, restartShare(0)) * length
  )
}

function isApart({ from, to }: IndexRange, heard: readonly TimedWord[]): boolean {
  const before = (heard[from]?.start ?? 0) - (heard[from - 1]?.end ?? -Infinity)
  const after = (heard[to]?.start ?? Infinity) - (heard[to - 1]?.end ?? 0)
  return before >= apartSeconds && after >= apartSeconds
}
