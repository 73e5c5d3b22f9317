import type { SubtitleFormat } from './subtitles.ts'

/**
 * A token of an entry's text: visible `text`; `tags`, including comments in braces; a vector `drawing`; a line `break`; a
 * non-breaking `space`.
 */
export interface Token {
  readonly kind: TokenKind
  /** Source text. All tokens joined are the text of the entry. */
  readonly raw: string
}

/** Splits the text of an entry into tokens. */
export function tokenize(text: string, format: SubtitleFormat): Token[] {
  return format === 'ass' ? tokenizeAss(text) : tokenizeBlock(text, format)
}

/** Returns the visible text without tags and drawings, with `\n` between lines. */
export function plainText(text: string, format: SubtitleFormat): string {
  // A file may contain millions of tags, so that no tokens are created for them.
  if (format === 'ass') return plainAss(text)
  const untagged = text.replaceAll(tokenPattern(text, format), (raw) =>
    visibleText({ kind: blockTokenKind(raw), raw }, format),
  )
  return visibleText({ kind: 'text', raw: untagged }, format)
}

function plainAss(text: string): string {
  let plain = ''
  visitAssTokens(text, (kind, from, to) => {
    if (kind !== 'tags' && kind !== 'drawing')
      plain += visibleText({ kind, raw: text.slice(from, to) }, 'ass')
  })
  return plain
}

/** Returns the visible text of tokens. */
function tokensText(tokens: readonly Token[], format: SubtitleFormat): string {
  return tokens.map((token) => visibleText(token, format)).join('')
}

/** Returns the visible text of a token, unescaped. */
export function visibleText({ kind, raw }: Token, format: SubtitleFormat): string {
  if (kind === 'break') return '\n'
  if (kind === 'space') return '\u00a0'
  if (kind !== 'text') return ''
  return format === 'srt'
    ? raw.replaceAll(/([<{\\])\u2060/g, '$1')
    : format === 'vtt'
      ? unescapeVtt(raw)
      : raw.replaceAll(/\\([{}])|(\\)\u2060/g, '$1$2')
}

/** Returns the text of an entry to translate; empty if it is blank, a drawing, or karaoke (`\k`). */
export function translatableText(text: string, format: SubtitleFormat): string {
  if (format === 'ass' && isKaraoke(text)) return ''
  const plain = plainText(text, format)
  return plain.trim() === '' ? '' : plain
}

const isKaraoke = (text: string) =>
  karaokeTag.test(text) && tokenizeAss(text).some(({ kind, raw }) => kind === 'tags' && karaokeTag.test(raw))

const karaokeTag = /\\(k|K|kf|ko|kt)\d/

/** Removes tags from a model's text, which models copy and invent, and converts line breaks of the format to `\n`. */
export function stripTags(words: string, format: SubtitleFormat): string {
  const text = words.replaceAll(/\r\n|\r/g, '\n')
  if (format !== 'ass') return tokensText(tokenizeBlock(text, format), 'srt')
  return text
    .replaceAll(/\{\\[^{}]*\}/g, '')
    .replaceAll(/\\[Nn]/g, '\n')
    .replaceAll(String.raw`\h`, '\u00a0')
}

/** Escapes plain text for a format, so that no part of it is read as a tag, a line break or the end of the entry. */
export function escapeText(words: string, format: SubtitleFormat): string {
  if (format === 'srt') return insertJoiner(words, /\{(?=\\)|<(?=\/?[a-z])|\\(?=[nh])/gi)
  if (format === 'vtt') return words.replaceAll(/[&<>]/g, (sign) => vttEscapes[sign] ?? sign)
  // As in ffmpeg and libass: a backslash before braces, a zero-width joiner after a backslash.
  return words
    .replaceAll('\\', `\\${wordJoiner}`)
    .replaceAll(/[{}]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\N`)
}

/** Word joiner, an invisible character. */
const wordJoiner = '\u2060'

const insertJoiner = (words: string, pattern: RegExp) =>
  words.replaceAll(pattern, (sign) => sign.slice(0, 1) + wordJoiner + sign.slice(1))

function tokenizeAss(text: string): Token[] {
  const tokens: Token[] = []
  visitAssTokens(text, (kind, from, to) => tokens.push({ kind, raw: text.slice(from, to) }))
  return tokens
}

/** A line break or hard space of ASS in SRT, which converters leave there. */
const assBreakPattern = /\\[nh]/gi

/** The path of a file, whose backslashes are text. */
const filePath = /[a-z]:\\|\\\\\w/i

/** Replaces the line breaks of ASS in the text of SRT by `\n`, and its hard spaces by non-breaking ones. */
export function breakAssLines(text: string): string {
  if (!text.includes('\\') || filePath.test(text)) return text
  return text.replaceAll(assBreakPattern, (raw) => visibleText({ kind: blockTokenKind(raw), raw }, 'srt'))
}

/** Line ends and tags: in SRT HTML tags as in players, and blocks of ASS; in VTT its own tags. */
const blockTokenPattern = {
  srt: /\n|\{\\[^{}\n]{0,999}\}|<\/?(?:b|i|u|s|font)(?: [^<>\n]{0,999})?\/?>/gi,
  vtt: /\n|<\/?(?:b|i|u|c|v|lang|ruby|rt)(?:[ .][^<>\n]{0,999})?>|<\d[\d:.]{1,40}>/g,
}

/** The same with line breaks of ASS. */
const srtTokenPattern = new RegExp(`${assBreakPattern.source}|${blockTokenPattern.srt.source}`, 'gi')

function tokenPattern(text: string, format: 'srt' | 'vtt'): RegExp {
  const hasAssBreaks = format === 'srt' && text.includes('\\') && !filePath.test(text)
  return hasAssBreaks ? srtTokenPattern : blockTokenPattern[format]
}

function blockTokenKind(raw: string): TokenKind {
  if (/^(?:\n|\\n)$/i.test(raw)) return 'break'
  return /^\\h$/i.test(raw) ? 'space' : 'tags'
}

function tokenizeBlock(text: string, format: 'srt' | 'vtt'): Token[] {
  const tokens: Token[] = []
  let at = 0
  for (const { index, 0: raw } of text.matchAll(tokenPattern(text, format))) {
    if (index > at) tokens.push({ kind: 'text', raw: text.slice(at, index) })
    tokens.push({ kind: blockTokenKind(raw), raw })
    at = index + raw.length
  }
  if (at < text.length) tokens.push({ kind: 'text', raw: text.slice(at) })
  return tokens
}

/** Kind of a token. */
type TokenKind = 'text' | 'tags' | 'drawing' | 'break' | 'space'

/** Visits the tokens of an ASS text in order. Escaped braces and braces without an end are text. */
function visitAssTokens(text: string, visit: (kind: TokenKind, from: number, to: number) => void): void {
  let drawing = false
  let done = 0
  const add = (kind: TokenKind, from: number, to: number) => {
    if (from > done) visit(drawing ? 'drawing' : 'text', done, from)
    visit(kind, from, to)
    done = to
  }
  const lastBrace = text.lastIndexOf('}')
  // Offset of the next `\p`, which starts and ends drawings; most blocks contain none.
  let scaleAt = -1
  // Without regular expressions, because a file may contain millions of signs.
  for (let at = 0; at < text.length;) {
    const sign = text[at]
    // A block without an end is text.
    if (sign === '{' && at < lastBrace) {
      const end = text.indexOf('}', at) + 1
      add('tags', at, end)
      if (scaleAt < at) scaleAt = indexFrom(text, String.raw`\p`, at)
      if (scaleAt < end) drawing = drawsAfter(text.slice(at, end)) ?? drawing
      at = end
    } else if (sign === '\\') {
      const next = text[at + 1]
      const isSpace = next === 'h' || next === 'N' || next === 'n'
      if (isSpace && !drawing) add(next === 'h' ? 'space' : 'break', at, at + 2)
      at += isSpace || next === '{' || next === '}' ? 2 : 1
    } else at += 1
  }
  if (done < text.length) visit(drawing ? 'drawing' : 'text', done, text.length)
}

/** Returns whether the last `\p` of a block starts a drawing, by its number; undefined if the block has none. */
function drawsAfter(block: string): boolean | undefined {
  for (let at = block.length; at > 0;) {
    at = block.lastIndexOf(String.raw`\p`, at - 1)
    if (at < 0) return undefined
    let digit = at + 2
    while (block[digit] === '0') digit += 1
    if (isDigit(block.charCodeAt(digit))) return true
    if (digit > at + 2) return false
  }
  return undefined
}

const isDigit = (code: number) => code >= 48 && code <= 57

/** Returns the first occurrence from an offset; the length of the text if there is none. */
function indexFrom(text: string, part: string, from: number): number {
  const found = text.indexOf(part, from)
  return found < 0 ? text.length : found
}

const vttEntities: Readonly<Record<string, string>> = {
  ...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&nbsp;': '\u00a0', '&lrm;': '\u200e', '&rlm;': '\u200f' },
}

/** Escapes of VTT for the characters of its tags. */
const vttEscapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Replaces the named characters of VTT text. */
const unescapeVtt = (text: string) =>
  text.replaceAll(/&(?:amp|lt|gt|nbsp|lrm|rlm);/g, (name) => vttEntities[name] ?? name)
