import type { Format } from './subtitles.ts'
import { visitAss, type TokenKind } from './visit-ass.ts'
import { named, signs } from './vtt-signs.ts'

/**
 * A piece of an entry's text: words; `tags` that say how they look, comments in braces among them; a `drawing`; a
 * `break` of the line; a `space` that no line breaks at.
 */
export interface Token {
  readonly kind: TokenKind
  /** As it stands in the file. All of them joined are the entry's text. */
  readonly raw: string
}

/** The pieces of an entry's text. */
export function tokensOf(text: string, format: Format): Token[] {
  return format === 'ass' ? assTokens(text) : blockTokens(text, format)
}

/** What is read: no tags, no drawings, lines apart by `\n`. */
export function plainText(text: string, format: Format): string {
  // A file may be millions of tags, which need not be kept to be left out.
  if (format === 'ass') return plainAss(text)
  return shownBy({ kind: 'text', raw: text.replaceAll(blockTags[format], '') }, format)
}

function plainAss(text: string): string {
  let plain = ''
  visitAss(text, (kind, from, to) => {
    if (kind !== 'tags' && kind !== 'drawing') plain += shownBy({ kind, raw: text.slice(from, to) }, 'ass')
  })
  return plain
}

/** As `plainText`, of pieces. */
export function plainOf(tokens: readonly Token[], format: Format): string {
  return tokens.map((token) => shownBy(token, format)).join('')
}

/** What a piece shows. */
export function shownBy({ kind, raw }: Token, format: Format): string {
  if (kind === 'break') return '\n'
  if (kind === 'space') return '\u00a0'
  if (kind !== 'text') return ''
  return format === 'srt'
    ? raw.replaceAll(/([<{])\u2060/g, '$1')
    : format === 'vtt'
      ? named(raw)
      : raw.replaceAll(/\\([{}])|(\\)\u2060/g, '$1$2')
}

/** What an entry has to read or to translate; nothing where it is blank, drawn, or sung by syllables (`\k`). */
export function readText(text: string, format: Format): string {
  if (format === 'ass' && isSung(text)) return ''
  const plain = plainText(text, format)
  return plain.trim() === '' ? '' : plain
}

const isSung = (text: string) =>
  karaoke.test(text) && assTokens(text).some(({ kind, raw }) => kind === 'tags' && karaoke.test(raw))

const karaoke = /\\(k|K|kf|ko|kt)\d/

/** Words without what looks like tags, which models echo and invent; the format's signs for breaks are breaks. */
export function withoutTags(words: string, format: Format): string {
  const text = words.replaceAll(/\r\n|\r/g, '\n')
  if (format !== 'ass') return plainOf(blockTokens(text, format), 'srt')
  return text
    .replaceAll(/\{\\[^{}]*\}/g, '')
    .replaceAll(/\\[Nn]/g, '\n')
    .replaceAll(String.raw`\h`, '\u00a0')
}

/** Words as a format writes them: nothing of them is taken for a tag, a break or an end of the entry. */
export function written(words: string, format: Format): string {
  if (format === 'srt') return apart(words, /\{\\|<(?=\/?[a-z])/gi)
  if (format === 'vtt') return words.replaceAll(/[&<>]/g, (sign) => signs[sign] ?? sign)
  // As ffmpeg and libass have it: braces with a backslash, a backslash followed by a joiner of no width.
  return words
    .replaceAll('\\', `\\${joiner}`)
    .replaceAll(/[{}]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\N`)
}

/** A character without width or meaning. */
const joiner = '\u2060'

const apart = (words: string, pattern: RegExp) =>
  words.replaceAll(pattern, (sign) => sign.slice(0, 1) + joiner + sign.slice(1))

function assTokens(text: string): Token[] {
  const tokens: Token[] = []
  visitAss(text, (kind, from, to) => tokens.push({ kind, raw: text.slice(from, to) }))
  return tokens
}

/** Ends of lines, tags of HTML as players read them, and blocks of ASS in SRT; tags as VTT has them. */
const blockSigns = {
  srt: /\n|\{\\[^{}\n]{0,999}\}|<\/?(?:b|i|u|s|font)(?: [^<>\n]{0,999})?\/?>/gi,
  vtt: /\n|<\/?(?:b|i|u|c|v|lang|ruby|rt)(?:[ .][^<>\n]{0,999})?>|<\d[\d:.]{1,40}>/g,
}

/** The same without the ends of lines. */
const blockTags = {
  srt: new RegExp(blockSigns.srt.source.replace(String.raw`\n|`, ''), 'gi'),
  vtt: new RegExp(blockSigns.vtt.source.replace(String.raw`\n|`, ''), 'g'),
}

function blockTokens(text: string, format: 'srt' | 'vtt'): Token[] {
  const tokens: Token[] = []
  let at = 0
  for (const { index, 0: raw } of text.matchAll(blockSigns[format])) {
    if (index > at) tokens.push({ kind: 'text', raw: text.slice(at, index) })
    tokens.push({ kind: raw === '\n' ? 'break' : 'tags', raw })
    at = index + raw.length
  }
  if (at < text.length) tokens.push({ kind: 'text', raw: text.slice(at) })
  return tokens
}
