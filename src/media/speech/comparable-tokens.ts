import { characterPattern, comparableText } from './comparable-text.ts'
import { splitKoreanNumeral } from './korean-numerals.ts'

/** A part of a text: a number in digits, a sign of a currency or of percent, a character or a word. */
export interface ComparableToken {
  readonly kind: 'digits' | 'sign' | 'character' | 'word'
  /** Normalised text. */
  readonly text: string
  /** Range in the original text, UTF-16 units. */
  readonly from: number
  readonly to: number
  /** What separates it from the previous token, without letters and digits. */
  readonly gap: string
}

const letter = String.raw`(?:(?!${characterPattern}|\d)[\p{L}\p{M}\p{N}])`
const tokenPattern = new RegExp(
  [
    String.raw`(?<digits>\d+(?:[.,]\d+)*|(?<![\p{L}\p{N}.,])\.\d+)`,
    String.raw`(?<sign>[%$€£¥₩])`,
    String.raw`(?<character>${characterPattern}\p{M}*)`,
    `(?<word>${letter}+(?:['’]+${letter}+)*)`,
  ].join('|'),
  'gu',
)

/** Splits a text into tokens; other signs are dropped. Korean numerals become characters, like Chinese ones. */
export function comparableTokens(text: string): ComparableToken[] {
  const { plain, origin } = comparableText(text)
  const tokens: ComparableToken[] = []
  let end = 0
  for (const { 0: found, index, groups = {} } of plain.matchAll(tokenPattern)) {
    const kind = (['digits', 'sign', 'character', 'word'] as const).find((name) => groups[name] !== undefined)
    const gap = plain.slice(end, index)
    end = index + found.length
    if (!kind) continue
    const numeral = kind === 'word' ? splitKoreanNumeral(found) : undefined
    if (!numeral) {
      tokens.push({ kind, text: found.replaceAll(/['’]/gu, ''), ...origin(index, end), gap })
      continue
    }
    const middle = index + numeral.length
    const isBySyllable = numeral.characters.length === numeral.length
    for (const [at, character] of [...numeral.characters].entries()) {
      const range = isBySyllable ? origin(index + at, index + at + 1) : origin(index, middle)
      tokens.push({ kind: 'character', text: character, ...range, gap: at === 0 ? gap : '' })
    }
    if (middle < end)
      tokens.push({ kind: 'word', text: plain.slice(middle, end), ...origin(middle, end), gap: '' })
  }
  return tokens
}
