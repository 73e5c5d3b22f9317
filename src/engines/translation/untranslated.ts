import { commonWords } from './common-words.ts'
import { isSameLanguage, isWrittenIn, type TranslationRules, usesOtherScript } from './languages.ts'

/** Letters up to which a text may be the same in two languages that share a script. */
const maxSameInBothLanguages = 12

/** Letters up to which a name is the same in Chinese and Japanese. */
const maxSameName = 8

/**
 * Whether a text is not a translation: it is the source line itself, still in the source language, or in another script
 * than the target language. Lines that need no translation pass: numbers, signs, names, addresses, abbreviations.
 */
export function isUntranslated(source: string, text: string, rules: TranslationRules): boolean {
  const { from, to } = rules
  if (!/\p{L}/u.test(text)) return false
  if (usesOtherScript(to, text)) return true
  if (isSameLanguage(from, to)) return false
  const isUnchanged = lettersAndDigits(text) === lettersAndDigits(source)
  if (!isWrittenIn(to, text)) return !isLatin(text) || !isLatin(source) || !needsNoTranslation(source, rules)
  if (!isLatin(text)) return isUnchanged && lettersAndDigits(text).length > maxSameName
  if (!isUnchanged) return isInSourceLanguage(text, rules)
  return lettersAndDigits(text).length >= maxSameInBothLanguages
    ? !needsNoTranslation(source, rules)
    : foreignWords(text, rules).length > 0
}

/** Returns only the letters and digits of a text: models change other characters when they copy. */
export function lettersAndDigits(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

const isLatin = (text: string) => /\p{Script=Latin}/u.test(text) && !/(?!\p{Script=Latin})\p{L}/u.test(text)

const wordsOf = (text: string) => text.match(/[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu) ?? []

/** Returns the frequent words of the source language in a text, without those that the target language has too. */
function foreignWords(text: string, { from, to }: TranslationRules): string[] {
  const [foreign, own] = [commonWords(from), commonWords(to)]
  return wordsOf(text.toLowerCase()).filter((word) => isListed(word, foreign) && !isListed(word, own))
}

/** Whether a list contains a word, or its parts around an apostrophe: "don't", "l'homme". */
function isListed(word: string, list: ReadonlySet<string>): boolean {
  if (list.has(word)) return true
  const [first = '', last = ''] = word.split(/['’]/)
  return last !== '' && (list.has(first) || list.has(last) || list.has(first.replace(/n$/, '')))
}

/** Share of the words of a text from which it is in the source language. */
const minForeignShare = 0.4

/** Whether a changed text is still in the source language, by its frequent words. */
function isInSourceLanguage(text: string, rules: TranslationRules): boolean {
  const own = commonWords(rules.to)
  const words = wordsOf(text.toLowerCase())
  const foreign = foreignWords(text, rules).length
  const familiar = words.filter((word) => isListed(word, own)).length
  return foreign >= 3 && foreign >= minForeignShare * words.length && familiar < foreign / 2
}

/** Words in lower case between parts of a name: Bank of China, Vincent van Gogh. */
const betweenNames =
  /^(?:of|and|the|de|da|do|del|della|di|du|des|la|le|van|von|der|den|bin|ibn|al|y|e|et|und)$/

/**
 * Words with digits, inner capitals, or signs of handles, paths, addresses, abbreviations and units. No part that may
 * begin anywhere has a repetition without a limit, so that the time of a search grows with the word and not with its
 * square.
 */
const technical =
  /\d|[@#_\\]|\p{Ll}\p{Lu}|:\/\/|[\p{L}\d]{2}\.[a-z]{2,4}$|^(?:\p{L}\.)+\p{L}$|^\p{L}{1,3}\/\p{L}{1,2}$/u

/**
 * Whether a line in Latin letters may stay unchanged: all its words are capitalised and none is frequent in the source
 * language or occurs in lower case elsewhere in the file, or they are addresses, abbreviations or the like.
 */
function needsNoTranslation(source: string, { from, lowerCaseWords }: TranslationRules): boolean {
  const frequent = commonWords(from)
  const parts = source
    .split(/\s+/)
    .map(trimSigns)
    .filter((part) => /\p{L}/u.test(part))
  return parts.every((part, at) => {
    if (technical.test(part)) return true
    const word = part.toLowerCase()
    if (at > 0 && at < parts.length - 1 && betweenNames.test(part)) return true
    if (isListed(word, frequent) || lowerCaseWords?.has(word) === true) return false
    return /^\p{Lu}/u.test(part)
  })
}

/** Removes signs at both ends of a word, except those of handles and tags at its start. */
function trimSigns(part: string): string {
  // From the first sign that is kept to the last letter or digit, in time that grows with the word and not its square.
  return /[\p{L}\p{N}@#](?:.*[\p{L}\p{N}])?/su.exec(part)?.[0] ?? ''
}

/** Returns the words that occur in lower case in some lines, which are no names. */
export function findLowerCaseWords(lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => wordsOf(line).filter((word) => /^\p{Ll}/u.test(word))))
}
