import type { SubtitleFormat } from './subtitles.ts'

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
export function tokenize(text: string, format: SubtitleFormat): Token[] {
  return format === 'ass' ? tokenizeAss(text) : tokenizeBlock(text, format)
}

/** What is read: no tags, no drawings, lines apart by `\n`. */
export function plainText(text: string, format: SubtitleFormat): string {
  // A file may be millions of tags, which need not be kept to be left out.
  if (format === 'ass') return plainAss(text)
  return visibleText({ kind: 'text', raw: text.replaceAll(blockTagPattern[format], '') }, format)
}

function plainAss(text: string): string {
  let plain = ''
  visitAssTokens(text, (kind, from, to) => {
    if (kind !== 'tags' && kind !== 'drawing')
      plain += visibleText({ kind, raw: text.slice(from, to) }, 'ass')
  })
  return plain
}

/** As `plainText`, of pieces. */
function tokensText(tokens: readonly Token[], format: SubtitleFormat): string {
  return tokens.map((token) => visibleText(token, format)).join('')
}

/** What a piece shows. */
export function visibleText({ kind, raw }: Token, format: SubtitleFormat): string {
  if (kind === 'break') return '\n'
  if (kind === 'space') return '\u00a0'
  if (kind !== 'text') return ''
  return format === 'srt'
    ? raw.replaceAll(/([<{])\u2060/g, '$1')
    : format === 'vtt'
      ? unescapeVtt(raw)
      : raw.replaceAll(/\\([{}])|(\\)\u2060/g, '$1$2')
}

/** What an entry has to read or to translate; nothing where it is blank, drawn, or sung by syllables (`\k`). */
export function translatableText(text: string, format: SubtitleFormat): string {
  if (format === 'ass' && isKaraoke(text)) return ''
  const plain = plainText(text, format)
  return plain.trim() === '' ? '' : plain
}

const isKaraoke = (text: string) =>
  karaokeTag.test(text) && tokenizeAss(text).some(({ kind, raw }) => kind === 'tags' && karaokeTag.test(raw))

const karaokeTag = /\\(k|K|kf|ko|kt)\d/

/** Words without what looks like tags, which models echo and invent; the format's signs for breaks are breaks. */
export function stripTags(words: string, format: SubtitleFormat): string {
  const text = words.replaceAll(/\r\n|\r/g, '\n')
  if (format !== 'ass') return tokensText(tokenizeBlock(text, format), 'srt')
  return text
    .replaceAll(/\{\\[^{}]*\}/g, '')
    .replaceAll(/\\[Nn]/g, '\n')
    .replaceAll(String.raw`\h`, '\u00a0')
}

/** Words as a format writes them: nothing of them is taken for a tag, a break or an end of the entry. */
export function escapeText(words: string, format: SubtitleFormat): string {
  if (format === 'srt') return insertJoiner(words, /\{\\|<(?=\/?[a-z])/gi)
  if (format === 'vtt') return words.replaceAll(/[&<>]/g, (sign) => vttEscapes[sign] ?? sign)
  // As ffmpeg and libass have it: braces with a backslash, a backslash followed by a joiner of no width.
  return words
    .replaceAll('\\', `\\${wordJoiner}`)
    .replaceAll(/[{}]/g, String.raw`\$&`)
    .replaceAll('\n', String.raw`\N`)
}

/** A character without width or meaning. */
const wordJoiner = '\u2060'

const insertJoiner = (words: string, pattern: RegExp) =>
  words.replaceAll(pattern, (sign) => sign.slice(0, 1) + wordJoiner + sign.slice(1))

function tokenizeAss(text: string): Token[] {
  const tokens: Token[] = []
  visitAssTokens(text, (kind, from, to) => tokens.push({ kind, raw: text.slice(from, to) }))
  return tokens
}

/** Ends of lines, tags of HTML as players read them, and blocks of ASS in SRT; tags as VTT has them. */
const blockTokenPattern = {
  srt: /\n|\{\\[^{}\n]{0,999}\}|<\/?(?:b|i|u|s|font)(?: [^<>\n]{0,999})?\/?>/gi,
  vtt: /\n|<\/?(?:b|i|u|c|v|lang|ruby|rt)(?:[ .][^<>\n]{0,999})?>|<\d[\d:.]{1,40}>/g,
}

/** The same without the ends of lines. */
const blockTagPattern = {
  srt: new RegExp(blockTokenPattern.srt.source.replace(String.raw`\n|`, ''), 'gi'),
  vtt: new RegExp(blockTokenPattern.vtt.source.replace(String.raw`\n|`, ''), 'g'),
}

function tokenizeBlock(text: string, format: 'srt' | 'vtt'): Token[] {
  const tokens: Token[] = []
  let at = 0
  for (const { index, 0: raw } of text.matchAll(blockTokenPattern[format])) {
    if (index > at) tokens.push({ kind: 'text', raw: text.slice(at, index) })
    tokens.push({ kind: raw === '\n' ? 'break' : 'tags', raw })
    at = index + raw.length
  }
  if (at < text.length) tokens.push({ kind: 'text', raw: text.slice(at) })
  return tokens
}

/** What a piece of an entry's text is. */
type TokenKind = 'text' | 'tags' | 'drawing' | 'break' | 'space'

/** Visits the pieces of a text of ASS in their order: breaks, spaces, blocks in braces; the rest is text, escaped braces too. */
function visitAssTokens(text: string, visit: (kind: TokenKind, from: number, to: number) => void): void {
  let drawing = false
  let done = 0
  const add = (kind: TokenKind, from: number, to: number) => {
    if (from > done) visit(drawing ? 'drawing' : 'text', done, from)
    visit(kind, from, to)
    done = to
  }
  const lastBrace = text.lastIndexOf('}')
  // The next `\p`, which begins and ends drawings: most blocks have none.
  let scaleAt = -1
  const sign = /[\\{]/g
  for (let found = sign.exec(text); found; found = sign.exec(text)) {
    const at = found.index
    const next = text[at + 1] ?? ''
    if (found[0] === '\\' && /[Nnh]/.test(next) && !drawing) add(next === 'h' ? 'space' : 'break', at, at + 2)
    // A block that nothing ends is text.
    else if (found[0] === '{' && at < lastBrace) {
      const end = text.indexOf('}', at) + 1
      add('tags', at, end)
      if (scaleAt < at) scaleAt = indexFrom(text, String.raw`\p`, at)
      const scale = scaleAt < end ? [...text.slice(at, end).matchAll(/\\p(\d+)/g)].at(-1)?.[1] : undefined
      if (scale !== undefined) drawing = Number(scale) > 0
      sign.lastIndex = end
      continue
    }
    sign.lastIndex = at + (/[\\Nnh{}]/.test(next) && found[0] === '\\' && next !== '\\' ? 2 : 1)
  }
  if (done < text.length) visit(drawing ? 'drawing' : 'text', done, text.length)
}

/** Where a text has something from an offset on; beyond its end where nowhere. */
function indexFrom(text: string, part: string, from: number): number {
  const found = text.indexOf(part, from)
  return found < 0 ? text.length : found
}

const entities: Readonly<Record<string, string>> = {
  ...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&nbsp;': '\u00a0', '&lrm;': '\u200e', '&rlm;': '\u200f' },
}

/** How VTT writes the signs that its tags are made of. */
const vttEscapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Text of VTT with the signs that it names. */
const unescapeVtt = (text: string) =>
  text.replaceAll(/&(?:amp|lt|gt|nbsp|lrm|rlm);/g, (name) => entities[name] ?? name)
