import { cueArrow } from './arrow.ts'
import { byteOrderMark } from './encoding.ts'
import { applyEdits, encodeEditedLines, type TextEdit } from './join-lines.ts'
import type { SubtitleEntry, SubtitleFormat, TextRange, Subtitles } from './subtitles.ts'
import { assTime, srtTime, vttTime } from './times.ts'

/** What is to be written instead of what an entry says. */
export interface EntryChange {
  /** Ms. */
  readonly start?: number
  readonly end?: number
  /** As the format writes it, tags and all. */
  readonly text?: string
}

/**
 * The bytes of a file with some entries changed. All else stays byte for byte, the whole file if nothing changes.
 * A changed file is UTF-8, marked where it was; with `keepEncoding` it stays what it was where that can hold it.
 */
export function changeSubtitles(
  { format, source }: Subtitles,
  changes: ReadonlyMap<SubtitleEntry, EntryChange>,
  { keepEncoding = false }: { readonly keepEncoding?: boolean } = {},
): Uint8Array {
  const edits = [...changes]
    .flatMap(([entry, change]) => entryEdits(entry, change, { format, text: source.text }))
    .filter(({ from, to, replacement: by }) => source.text.slice(from, to) !== by)
    .toSorted((one, other) => one.from - other.from)
  if (edits.length === 0) return source.bytes
  const kept = keepEncoding || source.encoding === 'utf-8' ? encodeEditedLines(source, edits) : undefined
  if (kept) return kept
  return Buffer.concat([
    source.bom ? byteOrderMark('utf-8') : Buffer.alloc(0),
    Buffer.from(applyEdits(source.text, edits)),
  ])
}

const formatTime: Readonly<Record<SubtitleFormat, (ms: number) => string>> = {
  srt: srtTime,
  vtt: vttTime,
  ass: assTime,
}

function entryEdits(
  { at, text: before }: SubtitleEntry,
  { start, end, text }: EntryChange,
  { format, text: all }: { readonly format: SubtitleFormat; readonly text: string },
): TextEdit[] {
  const edits: TextEdit[] = []
  if (start !== undefined) edits.push({ ...at.start, replacement: formatTime[format](start) })
  if (end !== undefined) edits.push({ ...at.end, replacement: formatTime[format](end) })
  if (text !== undefined && text !== before) {
    const by = format === 'ass' ? text.replaceAll(/\r\n|\r|\n/g, String.raw`\N`) : blockText(text, all)
    edits.push({ ...at.text, replacement: format === 'ass' ? by : onOwnLines(by, at.text, all) })
  }
  return edits
}

/** Text as SRT and VTT can hold it: an empty line would end it, an arrow would begin another entry. */
function blockText(text: string, all: string): string {
  return text
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '')
    .join(lineEnding(all))
    .replaceAll(cueArrow, '→')
}

/** Text where the entry had none: it needs lines of its own, before the line that comes next or after the times. */
function onOwnLines(by: string, { from, to }: TextRange, all: string): string {
  if (by === '' || from < to) return by
  return /[\r\n]/.test(all.charAt(from - 1)) ? by + lineEnding(all) : lineEnding(all) + by
}

/** How a file ends its lines. */
function lineEnding(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
}
