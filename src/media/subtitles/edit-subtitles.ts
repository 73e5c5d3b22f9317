import { applyEdits, type TextEdit, type TextRange } from '../text-edits.ts'
import { byteOrderMark, encodeText, type TextSource, unitBytes } from './encoding.ts'
import type { Encoding } from './encoding-tables.ts'
import { cueArrow } from './srt-file.ts'
import type { SkippedEntry, SubtitleEntry, SubtitleFormat, Subtitles } from './subtitles.ts'
import { assTime, srtTime, vttTime } from './times.ts'

/** New values for parts of an entry. */
interface EntryChange {
  /** Ms. */
  readonly start?: number
  readonly end?: number
  /** Text in the syntax of the format, with tags. */
  readonly text?: string
}

interface ChangeSubtitlesOptions {
  /** Keeps the encoding of the file if it can represent the new text. */
  readonly keepEncoding?: boolean
  /** Removes the parts of the file that are not entries. */
  readonly dropSkipped?: boolean
}

/**
 * Returns the bytes of a file with changed entries. All other bytes are unchanged. The result is UTF-8 and has a byte
 * order mark if the file had one.
 */
export function changeSubtitles(
  { format, source, skipped }: Subtitles,
  changes: ReadonlyMap<SubtitleEntry, EntryChange>,
  { keepEncoding = false, dropSkipped = false }: ChangeSubtitlesOptions = {},
): Uint8Array {
  const edits = [...changes]
    .flatMap(([entry, change]) => entryEdits(entry, change, { format, text: source.text }))
    .concat(dropSkipped ? skippedRemovals(skipped) : [])
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

/** Removes what SRT and VTT text cannot contain: empty lines, which end an entry, and arrows, which start one. */
function blockText(text: string, all: string): string {
  return text
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '')
    .join(lineEnding(all))
    .replaceAll(cueArrow, '→')
}

/** Adds the line ends that text needs in an entry that had none. */
function onOwnLines(by: string, { from, to }: TextRange, all: string): string {
  if (by === '' || from < to) return by
  return /[\r\n]/.test(all.charAt(from - 1)) ? by + lineEnding(all) : lineEnding(all) + by
}

/** Returns the first line ending of a file; LF if it has none. */
function lineEnding(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'
}

/** Returns the edits that remove the parts of a file that are not entries. */
export function skippedRemovals(skipped: readonly SkippedEntry[]): TextEdit[] {
  return skipped.map(({ at }) => ({ ...at, replacement: '' }))
}

/**
 * Returns the bytes of a file with only the edited lines encoded again, so that broken or ambiguous bytes of other lines
 * stay. Undefined if the encoding cannot represent the new text.
 */
function encodeEditedLines(source: TextSource, edits: readonly TextEdit[]): Uint8Array | undefined {
  const { bytes, encoding, text } = source
  const mark = source.bom ? byteOrderMark(encoding).length : 0
  const ends = { text: textLineEnds(text), bytes: byteLineEnds(bytes, mark, encoding) }
  if (ends.text.length !== ends.bytes.length) return undefined
  const unit = unitBytes(encoding)
  const pieces: Uint8Array[] = []
  let written = 0
  let line = 0
  for (let next = 0; next < edits.length;) {
    const first = edits[next]
    if (!first) break
    while (line < ends.text.length && lineEndAt(ends.text, line) < first.from) line += 1
    const from = line === 0 ? 0 : lineEndAt(ends.text, line - 1) + 1
    const start = line === 0 ? mark : lineEndAt(ends.bytes, line - 1) + unit
    const inLine: TextEdit[] = []
    let last = line
    for (
      let edit = edits[next];
      edit && edit.from <= lineEndAt(ends.text, last, text.length);
      edit = edits[next]
    ) {
      inLine.push(edit)
      while (last < ends.text.length && lineEndAt(ends.text, last) < edit.to) last += 1
      next += 1
    }
    const to = lineEndAt(ends.text, last, text.length)
    const shifted = inLine.map((edit) => ({ ...edit, from: edit.from - from, to: edit.to - from }))
    const encoded = encodeText(applyEdits(text.slice(from, to), shifted), encoding)
    if (!encoded) return undefined
    pieces.push(bytes.subarray(written, start), encoded)
    written = lineEndAt(ends.bytes, last, bytes.length)
    line = last
  }
  return Buffer.concat([...pieces, bytes.subarray(written)])
}

/** Returns the offset of the end of a line; `all` after the last line. */
const lineEndAt = (ends: readonly number[], line: number, all = 0) => ends[line] ?? all

/** Returns the offsets of LF and CR in a text. */
function textLineEnds(text: string): number[] {
  const ends: number[] = []
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x0a || code === 0x0d) ends.push(at)
  }
  return ends
}

/** Returns the offsets of LF and CR in bytes. */
function byteLineEnds(bytes: Uint8Array, from: number, encoding: Encoding): number[] {
  const ends: number[] = []
  const unit = unitBytes(encoding)
  const low = encoding.endsWith('be') ? unit - 1 : 0
  for (let at = from; at + unit <= bytes.length; at += unit) {
    const byte = bytes[at + low]
    if (byte !== 0x0a && byte !== 0x0d) continue
    let isAscii = true
    for (let other = 0; other < unit; other += 1)
      if (other !== low && bytes[at + other] !== 0) isAscii = false
    if (isAscii) ends.push(at)
  }
  return ends
}
