import type { TimeSpan, TimedWord } from './spoken.ts'

/** Scripts that are written without spaces, a character at a time. */
const spacelessScript = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々〆]/u

/** A character of those with the marks on and after it, or what lies between spaces and those. */
const wordPattern = new RegExp(
  String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々〆]\p{M}*|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々〆])\S)+`,
  'gu',
)

/** Tells whether a text is of a script that is written without spaces. */
export function isSpaceless(text: string): boolean {
  return spacelessScript.test(text)
}

/** The words of a text; of Chinese and Japanese the characters. Marks that stand alone belong to the word before. */
export function splitWords(text: string): string[] {
  const words: string[] = []
  for (const [part] of text.matchAll(wordPattern)) {
    const last = words.at(-1)
    if (last !== undefined && !/[\p{L}\p{N}\p{S}]/u.test(part)) words[words.length - 1] = last + part
    else words.push(part)
  }
  return words
}

/** The words of a text, each with its share of the time by length. */
export function distributeTime(text: string, { start, end }: TimeSpan): TimedWord[] {
  const words = splitWords(text)
  // A space is about as long as a letter; a Chinese character as two letters.
  const weights = words.map((part) => (isSpaceless(part) ? 2 : [...part].length + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let before = 0
  return words.map((part, index) => {
    const from = start + ((end - start) * before) / total
    before += weights[index] ?? 0
    return { text: part, start: from, end: start + ((end - start) * before) / total }
  })
}
