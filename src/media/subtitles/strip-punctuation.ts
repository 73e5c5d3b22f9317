import type { SubtitleFormat } from './subtitles.ts'
import { visibleText, tokenize } from './tokens.ts'

/*
 * Commas and periods, Chinese and English, become spaces; all other punctuation stays, the
 * Chinese mark between things listed (、) too. They stay where they are part of a word:
 * - between two digits: decimals (3.14 and 3,14), thousands (1,000), versions (1.2.3), times (10.30);
 * - a period between letters or digits of an alphabet: domains (example.com), names of files (talk.mp4), Node.js;
 * - a period that begins a word: .5, .NET;
 * - all periods of letters one by one: U.S., e.g., a.m.;
 * - two periods and more, which are an ellipsis.
 * Then spaces in a row are one, and no line begins or ends with one. What is no text, tags above all, stays.
 */
const commas = ',，﹐'
const periods = '.。．｡﹒'
const marks = new RegExp(`[${commas}${periods}]`, 'gu')

const digit = /\p{Nd}/u
/** Excludes scripts without spaces, in which a period is never part of a word. */
const notUnspaced = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai']
  .map((name) => `(?!\\p{Script=${name}})`)
  .join('')
const lettered = new RegExp(`${notUnspaced}[\\p{L}\\p{N}\\p{M}]`, 'u')

/** Single letters, each followed by a period. */
const initials = new RegExp(`(?<![\\p{L}\\p{N}])(?:${notUnspaced}\\p{L}\\.){2,}`, 'gu')

/** Removes commas and periods from a text whose lines end with `\n`. */
export function stripPunctuation(text: string): string {
  return stripUnits(text).join('')
}

/** Removes commas and periods from the text of an entry with tags and line breaks of its format. */
export function stripEntry(text: string, format: SubtitleFormat): string {
  const tokens = tokenize(text, format)
  const units = stripUnits(tokens.map((token) => visibleText(token, format)).join(''))
  let at = 0
  return tokens
    .map((token) => {
      const from = at
      at += visibleText(token, format).length
      if (token.kind !== 'text') return token.raw
      return rebuildToken(token.raw, units.slice(from, at), format)
    })
    .join('')
}

/** Replaces the visible characters of a token and keeps the escapes of unchanged ones. */
function rebuildToken(raw: string, units: readonly string[], format: SubtitleFormat): string {
  const shown = visibleText({ kind: 'text', raw }, format)
  if (shown === raw) return units.join('')
  const pieces = [...raw.matchAll(/\\[{}]|\\\u2060|[<{]\u2060|&(?:amp|lt|gt|nbsp|lrm|rlm);|[^]/g)].map(
    ([piece]) => piece,
  )
  return pieces.map((piece, at) => (units[at] === shown[at] ? piece : (units[at] ?? ''))).join('')
}

/** Returns for each UTF-16 unit of a text its replacement: itself, a space or nothing. */
function stripUnits(text: string): string[] {
  const units = text.split('')
  const kept = new Set(
    [...text.matchAll(initials)].flatMap(({ index, 0: word }) => offsetsIn(index, word.length)),
  )
  for (const { index } of text.matchAll(marks)) {
    if (!kept.has(index) && !isPartOfWord(text, index)) units[index] = ' '
  }
  collapseSpaces(units)
  return units
}

const offsetsIn = (from: number, count: number) => Array.from({ length: count }, (_, offset) => from + offset)

function isPartOfWord(text: string, at: number): boolean {
  const mark = text[at] ?? ''
  const [before, after] = [lastOf(text, at), firstOf(text, at + 1)]
  if (digit.test(before) && digit.test(after)) return true
  if (!periods.includes(mark)) return false
  if (before === mark || after === mark) return true
  if (mark !== '.' && mark !== '．') return false
  return lettered.test(after) && (before === '' || /\s/u.test(before) || lettered.test(before))
}

const firstOf = (text: string, at: number) => String.fromCodePoint(...codePoint(text, at))
const codePoint = (text: string, at: number) => [text.codePointAt(at)].filter((code) => code !== undefined)

function lastOf(text: string, at: number): string {
  const isPair = at > 1 && /[\udc00-\udfff]/.test(text[at - 1] ?? '')
  return text.slice(isPair ? at - 2 : Math.max(0, at - 1), at)
}

/** Collapses rows of spaces to one, and removes those at the ends of lines. */
function collapseSpaces(units: string[]): void {
  const isSpace = (unit: string | undefined) => unit === ' ' || unit === '\t' || unit === '\u3000'
  for (let at = 0; at < units.length; at += 1) {
    if (!isSpace(units[at])) continue
    let end = at + 1
    while (isSpace(units[end])) end += 1
    const atEdge = at === 0 || units[at - 1] === '\n' || end === units.length || units[end] === '\n'
    units.fill('', atEdge ? at : at + 1, end)
    at = end - 1
  }
}
