import type { SubtitleFormat } from './subtitles.ts'
import { visibleText, tokenize, escapeText, breakAssLines } from './tokens.ts'

/**
 * Converts the text of an entry to another format. Keeps bold, italics, underlining, colour and position. Line breaks of
 * ASS become line ends in SRT.
 */
export function convertTags(text: string, from: SubtitleFormat, to: SubtitleFormat): string {
  if (from === to) return to === 'srt' ? breakAssLines(text) : text
  const open: string[] = []
  const pieces = tokenize(text, from).map((token) => {
    if (token.kind === 'drawing') return to === 'ass' ? token.raw : ''
    if (token.kind !== 'tags') return escapeText(visibleText(token, from), to)
    if (to === 'ass') return srtTagToAss(token.raw)
    return from === 'ass' ? assTagsToSrt(token.raw, open) : token.raw
  })
  return [...pieces, ...open.toReversed().map((name) => `</${name}>`)].join('')
}

/** Converts a tag of SRT to ASS. Blocks in braces are ASS already. */
function srtTagToAss(raw: string): string {
  if (raw.startsWith('{')) return raw
  const [, closing, name = '', more = ''] = /^<(\/?)(\w+)([^>]*)>$/.exec(raw) ?? []
  const tag = name.toLowerCase()
  if (/^[bius]$/.test(tag)) return `{\\${tag}${closing ? 0 : 1}}`
  if (tag !== 'font') return ''
  const [, red = '', green = '', blue = ''] = /color\s*=\s*["']?#?(\w\w)(\w\w)(\w\w)\b/i.exec(more) ?? []
  if (closing) return String.raw`{\c}`
  return /^[\da-f]{6}$/i.test(red + green + blue)
    ? `{\\c&H${blue}${green}${red}&}`.toUpperCase().replace('C', 'c')
    : ''
}

/** An override of ASS that SRT can express. */
const assOverride = /\\(?:([bius])(\d+)|(an)(\d)|1?c(?:&H(\w{1,8})&?)?)(?=\\|\}|$)/g

/** Converts a block of ASS overrides to SRT and updates the list of open tags. */
function assTagsToSrt(raw: string, open: string[]): string {
  const pieces: string[] = []
  for (const [, tag, value, place, corner, colour] of raw.matchAll(assOverride)) {
    if (place !== undefined) pieces.push(`{\\an${corner}}`)
    else if (tag !== undefined) pieces.push(switchTag(tag, { on: Number(value) > 0, open }))
    else pieces.push(switchTag('font', { on: colour !== undefined, open, colour }))
  }
  return pieces.join('')
}

function switchTag(
  name: string,
  {
    on,
    open,
    colour,
  }: { readonly on: boolean; readonly open: string[]; readonly colour?: string | undefined },
): string {
  const at = open.lastIndexOf(name)
  // Tags of SRT are nested: tags opened later are closed as well.
  const closed = at < 0 ? [] : open.splice(at).toReversed()
  const ends = closed.map((one) => `</${one}>`).join('')
  if (!on) return ends
  open.push(name)
  const [, blue = '', green = '', red = ''] =
    /(\w\w)(\w\w)(\w\w)$/.exec((colour ?? '').padStart(6, '0')) ?? []
  return `${ends}${name === 'font' ? `<font color="#${red}${green}${blue}">` : `<${name}>`}`
}
