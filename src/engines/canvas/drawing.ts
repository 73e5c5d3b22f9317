import type * as drawing from '@napi-rs/canvas'
import type { Canvas, SKRSContext2D } from '@napi-rs/canvas'
import { MediaError } from '../../contract/errors.ts'
import { graphemes } from '../../media/subtitles/text-width.ts'

/** The drawing library. Its native binary is loaded on first use. */
export type Drawing = typeof drawing

export type { Canvas }

/** The 2D context of a canvas. */
export type Pen = SKRSContext2D

/** Loads the drawing library. Throws 6401 (not retryable) if it has no build for this machine. */
export async function loadDrawing(): Promise<Drawing> {
  try {
    return await import('@napi-rs/canvas')
  } catch (error) {
    throw new MediaError(6401, 'the drawing library @napi-rs/canvas does not load on this machine', {
      cause: error,
      retryable: false,
      hint: 'Install again with optional packages for this platform: npm install --include=optional',
    })
  }
}

/**
 * Font families in the order they are tried: those of each system and common installations, then those with
 * Chinese, Japanese, Korean and emoji. Characters missing from all of them use any installed font.
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

/** Font size in pixels and weight. */
export interface TextStyle {
  readonly size: number
  readonly weight: 400 | 500 | 600 | 700
}

/** Sets the font of subsequent text. Digits have equal widths, so that a running time does not shift. */
export function applyTextStyle(pen: Pen, { size, weight }: TextStyle): void {
  pen.font = `${weight} ${Math.max(1, size).toFixed(2)}px ${familyList}`
  pen.fontVariantNumeric = 'tabular-nums'
}

/** Control characters and marks that change the text direction. */
const controlCharacters = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu

/** Maximum number of characters processed per line. Longer lines never fit. */
const maxLineLength = 600

/** Returns a text as one displayable line, without marks that would disturb adjacent text. */
export function cleanLine(text: string): string {
  const line = text
    .slice(0, 4 * maxLineLength)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(controlCharacters, '')
    .trim()
  return [...line].slice(0, maxLineLength).join('')
}

/** Returns whether a line is written right to left, judged by its first letter. */
export function isRightToLeft(line: string): boolean {
  const first = /\p{L}/u.exec(line)?.[0] ?? ''
  return /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(first)
}

/** Returns the language whose glyph variants to use. Chinese, Japanese and Korean share code points. */
export function textLanguage(line: string): string {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(line)) return 'ja'
  if (/\p{Script=Hangul}/u.test(line)) return 'ko'
  return /\p{Script=Han}/u.test(line) ? 'zh-Hans' : 'en'
}

const ellipsis = '…'

/** Returns the line, or its longest start that fits a width, with an ellipsis. Never splits a grapheme. */
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
