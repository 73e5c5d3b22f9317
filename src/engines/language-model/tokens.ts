/** Characters of scripts that models write with about a token each. */
const denseScripts = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** Letters of other scripts than the Latin: words of theirs fall into small pieces. */
const otherScripts =
  /[^\p{ASCII}\p{Script=Latin}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** Digits and signs, which seldom share a token. */
const digitsAndSigns = /[\d{}[\]":,\n]/g

/** Tokens of a picture: vision models take 256 to 1,600 of one of a megapixel. */
export const imageTokens = 1600

/** Estimates the tokens of a text, rather too many: tokenizers differ by a quarter, and what does not fit is cut. */
export function estimateTokens(text: string): number {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0
  const [heavy, middling, alone] = [count(denseScripts), count(otherScripts), count(digitsAndSigns)]
  const plain = text.length - heavy - middling - alone
  return Math.ceil(heavy * 1.1 + middling * 0.75 + alone * 0.6 + plain / 3.5)
}
