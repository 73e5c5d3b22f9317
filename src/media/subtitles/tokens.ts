import type { Format } from './subtitles.ts'

/**
 * A piece of an entry's text: words; `tags` that say how they look, comments in braces among them; a `drawing`; a
 * `break` of the line; a `space` that no line breaks at.
 */
export interface Token {
  readonly kind: 'text' | 'tags' | 'drawing' | 'break' | 'space'
  /** As it stands in the file. All of them joined are the entry's text. */
  readonly raw: string
}

/** The pieces of an entry's text. */
export function tokensOf(text: string, format: Format): Token[] {
  return format === 'ass' ? assTokens(text) : blockTokens(text, format)
}

/** What is read: no tags, no drawings, lines apart by `\n`. */
export function plainText(text: string, format: Format): string {
  if (format === 'ass') return plainOf(tokensOf(text, format), format)
  // A file may be millions of tags: those of blocks need not be taken apart to be left out.
  return shownBy({ kind: 'text', raw: text.replaceAll(blockTags[format], '') }, format)
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

/** Breaks, spaces, escaped braces, blocks in braces; the rest is text. */
function assTokens(text: string): Token[] {
  const tokens: Token[] = []
  let drawing = false
  let done = 0
  const add = (kind: Token['kind'], from: number, to: number) => {
    if (from > done) tokens.push({ kind: drawing ? 'drawing' : 'text', raw: text.slice(done, from) })
    tokens.push({ kind, raw: text.slice(from, to) })
    done = to
  }
  const lastBrace = text.lastIndexOf('}')
  const sign = /[\\{]/g
  for (let found = sign.exec(text); found; found = sign.exec(text)) {
    const at = found.index
    const next = text[at + 1] ?? ''
    if (found[0] === '\\' && /[Nnh]/.test(next) && !drawing) add(next === 'h' ? 'space' : 'break', at, at + 2)
    // A block that nothing ends is text.
    else if (found[0] === '{' && at < lastBrace) {
      const end = text.indexOf('}', at) + 1
      add('tags', at, end)
      const block = text.slice(at, end)
      const scale = block.includes(String.raw`\p`) ? [...block.matchAll(/\\p(\d+)/g)].at(-1)?.[1] : undefined
      if (scale !== undefined) drawing = Number(scale) > 0
      sign.lastIndex = end
      continue
    }
    sign.lastIndex = at + (/[\\Nnh{}]/.test(next) && found[0] === '\\' && next !== '\\' ? 2 : 1)
  }
  if (done < text.length) tokens.push({ kind: drawing ? 'drawing' : 'text', raw: text.slice(done) })
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

const entities: Readonly<Record<string, string>> = {
  ...{ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&nbsp;': '\u00a0', '&lrm;': '\u200e', '&rlm;': '\u200f' },
}

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const named = (text: string) =>
  text.replaceAll(/&(?:amp|lt|gt|nbsp|lrm|rlm);/g, (name) => entities[name] ?? name)
