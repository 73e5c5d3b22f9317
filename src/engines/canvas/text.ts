import type { Pen } from './load.ts'

/**
 * Families in the order they are tried: what each system and common installs have, then those that hold Chinese,
 * Japanese, Korean and emoji. A character that none of them has comes from any font of the machine.
 */
const families = [
  ...['Inter', 'SF Pro Display', 'Helvetica Neue', 'Segoe UI', 'Roboto', 'Noto Sans', 'Nimbus Sans'],
  ...['Liberation Sans', 'DejaVu Sans'],
  ...['PingFang SC', 'Hiragino Sans', 'Apple SD Gothic Neo', 'Microsoft YaHei', 'Yu Gothic', 'Malgun Gothic'],
  ...[
    'Noto Sans CJK SC',
    'Noto Sans CJK JP',
    'Noto Sans CJK KR',
    'Source Han Sans SC',
    'WenQuanYi Micro Hei',
  ],
  ...['Droid Sans Fallback', 'Noto Sans Arabic', 'Noto Sans Hebrew'],
  ...['Apple Color Emoji', 'Segoe UI Emoji', 'Noto Color Emoji'],
]

const familyList = [...families.map((name) => `"${name}"`), 'sans-serif'].join(', ')

/** A typeface's size in pixels and how bold it is. */
export interface TextStyle {
  readonly size: number
  readonly weight: 400 | 500 | 600 | 700
}

/** Makes what is drawn next look so; digits are all of one width, so that a running time stands still. */
export function applyTextStyle(pen: Pen, { size, weight }: TextStyle): void {
  pen.font = `${weight} ${Math.max(1, size).toFixed(2)}px ${familyList}`
  pen.fontVariantNumeric = 'tabular-nums'
}

/** Controls, and marks that turn the direction of what follows. */
const controlCharacters = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** Most characters of a line that are looked at; more never fit. */
const maxLineLength = 600

/** A line of text as it can be shown: one line, without marks that would disturb what stands beside it. */
export function cleanLine(text: string): string {
  const line = text
    .slice(0, 4 * maxLineLength)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(controlCharacters, '')
    .trim()
  return [...line].slice(0, maxLineLength).join('')
}

/** Whether a line runs from right to left: by its first letter that has a direction. */
export function isRightToLeft(line: string): boolean {
  const first = /\p{L}/u.exec(line)?.[0] ?? ''
  return /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(first)
}

/** The language by whose forms its characters are drawn: Chinese, Japanese and Korean share their code points. */
export function textLanguage(line: string): string {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(line)) return 'ja'
  if (/\p{Script=Hangul}/u.test(line)) return 'ko'
  return /\p{Script=Han}/u.test(line) ? 'zh-Hans' : 'en'
}

const ellipsis = '…'
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** The line, or as much of its beginning as fits a width with an ellipsis; letters are never cut apart. */
export function fitLine(line: string, width: number, measure: (text: string) => number): string {
  if (measure(line) <= width) return line
  const letters = [...graphemes.segment(line)].map(({ segment }) => segment)
  const shortened = (count: number) => letters.slice(0, count).join('').trimEnd() + ellipsis
  let [fits, tooMany] = [0, letters.length]
  while (tooMany - fits > 1) {
    const middle = (fits + tooMany) >>> 1
    if (measure(shortened(middle)) <= width) fits = middle
    else tooMany = middle
  }
  return shortened(fits)
}
