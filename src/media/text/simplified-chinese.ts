/** Least share of the Han characters of a simplified text that are in GB 2312; about a third of traditional ones are not. */
const leastShare = 0.85

/** Least share of Han characters among these and the words in other letters: names may be in Latin letters. */
const leastHan = 0.5

let standard: ReadonlySet<string> | undefined

/** The 6763 Han characters of GB 2312, the standard set of simplified Chinese: rows 16 to 87, of 94 characters each. */
function standardCharacters(): ReadonlySet<string> {
  const bytes = Uint8Array.from({ length: 72 * 94 * 2 }, (_, at) =>
    at % 2 === 0 ? 0xb0 + Math.floor(at / 2 / 94) : 0xa1 + (((at - 1) / 2) % 94),
  )
  standard ??= new Set(new TextDecoder('gb18030').decode(bytes))
  return standard
}

/** Words in Katakana or Hangul: a Chinese text has at most one, such as a name. */
const foreignWords = /[\p{Script=Katakana}\p{Script=Hangul}\u30fb\u30fc]+/gu

/** Particles and endings of Japanese. */
const hiragana = /\p{Script=Hiragana}/u

/** Whether a text is Chinese in simplified characters. It may contain names in other letters, but no Hiragana. */
export function isSimplifiedChinese(text: string): boolean {
  if (hiragana.test(text) || (text.match(foreignWords) ?? []).length > 1) return false
  const han = text.match(/\p{Script=Han}/gu) ?? []
  const words = text.match(/[^\p{Script=Han}\P{L}]+/gu) ?? []
  if (han.length === 0 || han.length < leastHan * (han.length + words.length)) return false
  const known = standardCharacters()
  return han.filter((letter) => known.has(letter)).length >= leastShare * han.length
}

/** Whether more than half of several short texts contain Han characters and no Hiragana. */
export function areMostlyChinese(texts: readonly string[]): boolean {
  const chinese = texts.filter((text) => /\p{Script=Han}/u.test(text) && !hiragana.test(text))
  return chinese.length > texts.length / 2
}
