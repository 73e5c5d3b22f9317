/** Smallest difference of costs, a sixteenth of an insertion, in the integers of the alignment. */
export const costQuantum = 2 ** 18

const wholeCost = 16 * costQuantum

/**
 * Costs of steps. Of equally cheap paths the one with the most matches wins, then the one with the fewest substitutions:
 * each heard unit without a match costs one or two integers more.
 */
export const stepCosts = {
  deletion: wholeCost,
  insertion: wholeCost + 1,
  substitution: wholeCost + 2,
  similar: wholeCost / 2 + 2,
} as const

/** Lengths of words that can be similar: shorter ones differ too much by one letter, longer ones are no words. */
const similarLength = { from: 4, to: 32 }

/** Costs of substitutions between the units of a script and of a reading. */
export interface UnitCosts {
  /** Number of each unit of the script among its different units. */
  readonly script: Int32Array
  /** Number of each unit of the reading; units that are not in the script have numbers from `scriptCount`. */
  readonly heard: Int32Array
  /** Different units of the script. */
  readonly scriptCount: number
  /** Different units of both. */
  readonly count: number
  /** Sets the costs of a heard unit by number of the unit of the script. Valid until the next call. */
  row(unit: number): Float64Array
}

/**
 * Numbers the units of both texts and returns the costs between them: 0 for equal ones, half for words of 4 letters and
 * more that differ by one letter, the whole cost for others.
 */
export function unitCosts(script: readonly string[], heard: readonly string[]): UnitCosts {
  const numbers = new Map<string, number>()
  const numberUnits = (units: readonly string[]) =>
    Int32Array.from(units, (unit) => {
      const known = numbers.get(unit) ?? numbers.size
      numbers.set(unit, known)
      return known
    })
  const scriptNumbers = numberUnits(script)
  const scriptCount = numbers.size
  const heardNumbers = numberUnits(heard)
  const texts = [...numbers.keys()]
  const similar = similarWords(texts.slice(0, scriptCount))
  const known = new Map<number, readonly number[]>()
  const row = new Float64Array(scriptCount).fill(stepCosts.substitution)
  let changed: readonly number[] = []
  return {
    ...{ script: scriptNumbers, heard: heardNumbers, scriptCount, count: numbers.size },
    row(unit) {
      for (const one of changed) row[one] = stepCosts.substitution
      const others = known.get(unit) ?? similar(texts[unit] ?? '')
      known.set(unit, others)
      for (const one of others) row[one] = stepCosts.similar
      if (unit < scriptCount) row[unit] = 0
      changed = unit < scriptCount ? [...others, unit] : others
      return row
    },
  }
}

/** Finds words that differ from a given one by one letter, by the texts that remain without one of their letters. */
function similarWords(words: readonly string[]): (word: string) => number[] {
  const byRest = new Map<string, number[]>()
  for (const [index, word] of words.entries()) {
    for (const rest of lettersOmitted(word)) {
      const others = byRest.get(rest)
      if (others) others.push(index)
      else byRest.set(rest, [index])
    }
  }
  return (word) => {
    const found = new Set(lettersOmitted(word).flatMap((rest) => byRest.get(rest) ?? []))
    return [...found].filter((index) => differByOneLetter(word, words[index] ?? ''))
  }
}

/** A word and the texts that remain without one of its letters; none of words that are similar to no other. */
function lettersOmitted(word: string): string[] {
  const { length } = word
  if (length < similarLength.from || length > similarLength.to || /\p{N}/u.test(word)) return []
  return [word, ...Array.from({ length }, (_, at) => word.slice(0, at) + word.slice(at + 1))]
}

function differByOneLetter(one: string, other: string): boolean {
  if (one === other || Math.abs(one.length - other.length) > 1) return false
  let same = 0
  while (same < one.length && one[same] === other[same]) same += 1
  const isLonger = one.length >= other.length
  const isShorter = one.length <= other.length
  return one.slice(same + (isLonger ? 1 : 0)) === other.slice(same + (isShorter ? 1 : 0))
}
