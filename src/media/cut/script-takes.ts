import { alignReading, type IndexRange } from '../speech/align.ts'
import type { ComparableUnit } from '../speech/comparable-units.ts'
import type { TimedWord } from '../speech/speech-types.ts'
import { isSpaceless } from '../speech/words.ts'
import type { ScriptTake } from './choose-takes.ts'
import { joinFalseReturns } from './false-returns.ts'
import { indexesOf, type PausedUnits } from './heard-units.ts'
import { correctReading, replacedUnits, separatingPause } from './restarts.ts'

/** Silence after which a return to earlier words is likely, and very likely, seconds. */
const [shortPause, longPause] = [0.25, 0.6]
/** Costs of a return to an earlier passage: without, after a short, and after a long pause. */
const returnCosts = { within: 4, short: 2.5, long: 1.5 }

/** Window in which a reading is recognised, in words and in characters, and the least share of equal units in it. */
const readingWindow = { words: 6, characters: 12 } as const
const minMatchShare = 0.5

/** Aligns the words with the script and returns what was read between returns to earlier passages. */
export function scriptTakes(
  {
    units: script,
    sentences,
  }: { readonly units: readonly ComparableUnit[]; readonly sentences: readonly IndexRange[] },
  { units, words, pauses }: PausedUnits,
  heard: readonly TimedWord[],
): ScriptTake[] {
  const jumpCosts = pauses.map((pause) =>
    pause >= longPause ? returnCosts.long : pause >= shortPause ? returnCosts.short : returnCosts.within,
  )
  const seconds = words.map(({ from, to }) => (heard[to - 1]?.end ?? 0) - (heard[from]?.start ?? 0))
  const texts = { script: script.map(({ text }) => text), heard: units.map(({ text }) => text) }
  const alignment = alignReading(texts.script, texts.heard, { jumpCosts })
  const scriptText = {
    texts: texts.script,
    sentences: sentences.flatMap(({ from, to }, index) => indexesOf({ from, to }).map(() => index)),
  }
  return joinFalseReturns(alignment, { texts: texts.heard, pauses }, scriptText).map(
    ({ heard: range, read: aligned }) => {
      const read = correctReading(
        {
          read: aligned,
          texts: texts.heard.slice(range.from, range.to),
          pauses: pauses.slice(range.from, range.to),
        },
        scriptText,
      )
      const take = takeOf(range, read, { ...texts, pauses, sentences: scriptText.sentences })
      const timed = { read, seconds: seconds.slice(range.from, range.to) }
      for (const step of [-1, 1] as const) {
        const edge = step < 0 ? take.script.from : take.script.to - 1
        const found = take.positions.get(edge)
        for (let more = found ? replacedUnits(timed, scriptText, step) : 0; found && more > 0; more -= 1)
          take.positions.set(edge + step * more, { unit: found.unit, isMatch: false })
      }
      return take
    },
  )
}

/** Returns a take of the heard units of a range; `read` are the units of the script, -1 beside it. */
function takeOf(
  heard: IndexRange,
  read: readonly number[],
  {
    script,
    heard: texts,
    pauses,
    sentences,
  }: {
    readonly script: readonly string[]
    readonly heard: readonly string[]
    readonly pauses: readonly number[]
    /** Sentence of each unit of the script. */
    readonly sentences: readonly number[]
  },
): ScriptTake & { readonly positions: Map<number, { readonly unit: number; readonly isMatch: boolean }> } {
  const matches = read.map((unit, index) => unit >= 0 && script[unit] === texts[heard.from + index])
  const followsSpeech = indexesOf(heard).map(
    (unit, index) =>
      sentences[read[index] ?? -1] === sentences[read[index - 1] ?? -1] &&
      (pauses[unit] ?? 0) < separatingPause,
  )
  const isReading = wholePhrases(readingUnits(matches, texts.slice(heard.from, heard.to)), followsSpeech)
  const positions = new Map<number, { readonly unit: number; readonly isMatch: boolean }>()
  for (const [index, unit] of read.entries()) {
    if (unit < 0 || !isReading[index]) continue
    positions.set(unit, { unit: heard.from + index, isMatch: matches[index] ?? false })
  }
  const known = read.filter((unit) => unit >= 0)
  const from = known[0] ?? 0
  return { script: { from, to: (known.at(-1) ?? from - 1) + 1 }, heard, positions }
}

/**
 * Returns which units of a run belong to a reading: those with enough equal units in the window before or after them.
 * Other speech, aligned with the script by chance, has few.
 */
function readingUnits(matches: readonly boolean[], texts: readonly string[]): boolean[] {
  const characters = texts.filter(isSpaceless).length
  const size = readingWindow[2 * characters > texts.length ? 'characters' : 'words']
  const share = (from: number, to: number) => {
    const window = matches.slice(Math.max(0, from), to)
    return window.filter(Boolean).length / window.length
  }
  return matches.map((_, at) => Math.max(share(at - size + 1, at + 1), share(at, at + size)) >= minMatchShare)
}

/**
 * Adds the units that pass without a pause into, or follow without one, a unit of a reading. `followsSpeech`: whether a
 * unit follows the one before without a pause in the same sentence.
 */
function wholePhrases(isReading: readonly boolean[], followsSpeech: readonly boolean[]): boolean[] {
  const whole = [...isReading]
  for (let at = 1; at < whole.length; at += 1)
    whole[at] ||= followsSpeech[at] === true && whole[at - 1] === true
  for (let at = whole.length - 1; at > 0; at -= 1)
    whole[at - 1] ||= followsSpeech[at] === true && whole[at] === true
  return whole
}
