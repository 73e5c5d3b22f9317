import type { SubtitleFormat } from './subtitles.ts'
import { graphemes } from './text-width.ts'
import { visibleText, tokenize, stripTags, escapeText, type Token } from './tokens.ts'

const words = new Intl.Segmenter(undefined, { granularity: 'word' })

/**
 * Replaces the words of an entry and keeps its tags and drawings in order. Tags before the first and after the last word
 * stay there. Others are placed after the same share of the new text, at a word boundary if one is near. Lines break at
 * `\n` of the replacement. Text without words is returned unchanged.
 */
export function restoreTags(text: string, replacement: string, format: SubtitleFormat): string {
  const tokens = tokenize(text, format)
  const shown = tokens.map((token) => (token.kind === 'text' ? graphemeCount(visibleText(token, format)) : 0))
  const all = shown.reduce((sum, length) => sum + length, 0)
  if (all === 0) return text
  const clean = stripTags(replacement, format)
  const bounds = textBoundaries(clean)
  const placed: { readonly at: number; readonly raw: string }[] = []
  let before = 0
  let last = ''
  for (const [index, token] of tokens.entries()) {
    const offset = tagOffset(before / Math.max(1, all), bounds)
    // A tag directly after a word stays at the end of a word; one after a space precedes the next word.
    const at = before > 0 && before < all && /\S$/.test(last) ? wordEnd(clean, offset) : offset
    if (isKept(token)) placed.push({ at: Math.max(at, placed.at(-1)?.at ?? 0), raw: token.raw })
    else last = visibleText(token, format)
    before += shown[index] ?? 0
  }
  const pieces: string[] = []
  let at = 0
  for (const tag of placed) {
    pieces.push(escapeText(clean.slice(at, tag.at), format), tag.raw)
    at = tag.at
  }
  return [...pieces, escapeText(clean.slice(at), format)].join('')
}

/** Returns the end of the word before an offset. */
function wordEnd(text: string, at: number): number {
  let end = at
  while (end > 0 && /\s/.test(text[end - 1] ?? '')) end -= 1
  return end
}

const isKept = ({ kind }: Token) => kind === 'tags' || kind === 'drawing'

function graphemeCount(text: string): number {
  let length = 0
  for (const _ of graphemes.segment(text)) length += 1
  return length
}

interface TextBoundaries {
  /** Offsets of graphemes, and the end of the text. */
  readonly letters: readonly number[]
  /** Those of them at which a word starts or ends. */
  readonly words: ReadonlySet<number>
}

function textBoundaries(text: string): TextBoundaries {
  const letters = [...graphemes.segment(text)].map(({ index }) => index)
  const ofWords = [...words.segment(text)].map(({ index }) => index)
  return { letters: [...letters, text.length], words: new Set([...ofWords, text.length]) }
}

/** Graphemes that a tag may be moved to reach a word boundary. */
const maxTagShift = 8

/** Returns the offset after a share of the graphemes, 0 to 1. Shares 0 and 1 are the ends of the text. */
function tagOffset(share: number, { letters, words: ends }: TextBoundaries): number {
  const count = letters.length - 1
  const exact = Math.round(share * count)
  if (share <= 0 || share >= 1) return letters[exact] ?? 0
  for (let away = 0; away <= maxTagShift; away += 1) {
    for (const near of [exact - away, exact + away]) {
      const offset = letters[near]
      if (offset !== undefined && near > 0 && near < count && ends.has(offset)) return offset
    }
  }
  return letters[exact] ?? 0
}
