import type { TimedWord } from './speech-types.ts'

/** Gain of a place after a clause, in seconds of pause. */
const clauseGain = 1

const clauseEnd = /[,，、;；:：—.。!！?？…،؛؟][”’」』）)"']*$/u

export interface NextPartEndOptions {
  readonly maxSeconds: number
  /** Whether a part may end with a word. Default: with any. */
  mayEnd?(index: number): boolean
}

/**
 * Returns the end of a part that begins with the word `from`, exclusive: all words if they are short enough, else the best
 * place of the second half of the allowed length, after a clause or at a pause.
 */
export function nextPartEnd(
  words: readonly TimedWord[],
  from: number,
  { maxSeconds, mayEnd = () => true }: NextPartEndOptions,
): number {
  const start = words[from]?.start ?? 0
  if ((words.at(-1)?.end ?? 0) - start <= maxSeconds) return words.length
  let [best, most] = [-1, -Infinity]
  for (let index = from; index < words.length; index += 1) {
    const { end = 0, text = '' } = words[index] ?? {}
    const isWithin = end - start <= maxSeconds
    if (!isWithin && best >= 0) break
    if (!mayEnd(index)) continue
    // Without a place in the allowed length, the first one after it.
    if (!isWithin) return index + 1
    const pause = (words[index + 1]?.start ?? Infinity) - end
    const isLate = end - start >= maxSeconds / 2
    const gain = (isLate ? 10 : 0) + pause + (clauseEnd.test(text) ? clauseGain : 0)
    if (gain >= most) [best, most] = [index, gain]
  }
  return best >= 0 ? best + 1 : words.length
}
