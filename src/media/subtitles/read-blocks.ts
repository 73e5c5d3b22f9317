import type { TextRange } from '../text-edits.ts'
import type { TextSource } from './encoding.ts'
import { indexLines, type LineIndex } from './lines.ts'
import {
  timesIssue,
  type StopReading,
  type SubtitleEntry,
  type EntryIssue,
  type SkippedEntry,
  type Subtitles,
} from './subtitles.ts'
import { parseTimeAt, type ParsedTime } from './times.ts'

/**
 * Parses SRT and VTT. Entries are found by their time lines. In SRT, text after an empty line belongs to the entry before
 * it, as in players, unless it starts with a line of digits: then it is an entry without times.
 */
export function readBlocks(
  source: TextSource,
  format: 'srt' | 'vtt',
  stop: StopReading = () => false,
): Subtitles {
  const lines = indexLines(source.text)
  const heads = findHeads(source.text, lines, format)
  const entries: SubtitleEntry[] = []
  const skipped: SkippedEntry[] = []
  const skip = (block: LineRange, issue: EntryIssue) =>
    skipped.push({ line: block.from + 1, issue, at: blockRange(lines, block) })

  const strays = (from: number, to: number) => {
    for (const block of splitBlocks(lines, from, to)) {
      if (format === 'srt' || !vttBlock.test(lines.at(block.from))) skip(block, strayIssue(lines, block.from))
    }
  }
  let head = heads.next().value
  strays(0, head?.first ?? lines.count)
  while (head) {
    const { first, times, range } = head
    head = heads.next().value
    const next = head?.first ?? lines.count
    const last = textEnd(lines, { from: times + 1, to: next, format })
    const issue = range ? timesIssue({ start: range.start.ms, end: range.end.ms }) : 'times'
    if (issue ?? !range) skip({ from: first, to: last }, issue ?? 'times')
    else {
      const entry = createEntry(source.text, { first, times, range, last, lines })
      entries.push(entry)
      if (stop(entry)) break
    }
    strays(last, next)
  }
  return { format, source, entries, skipped }
}

/** Lines from one up to another one, which is excluded. */
interface LineRange {
  readonly from: number
  readonly to: number
}

/** Returns the range of lines in the text, with the empty lines after them. */
function blockRange(lines: LineIndex, { from, to }: LineRange): TextRange {
  let end = to
  while (end < lines.count && lines.isBlank(end)) end += 1
  return { from: lines.from(from), to: lines.from(end) }
}

/** Blocks of VTT that are not entries, including its first line. */
const vttBlock = /^(WEBVTT|NOTE|STYLE|REGION|X-TIMESTAMP-MAP)/

/** A line of digits is the number of an entry without times. */
const strayIssue = (lines: LineIndex, line: number): EntryIssue => (isIndex(lines, line) ? 'times' : 'stray')

interface ParsedTimeRange {
  readonly start: ParsedTime
  readonly end: ParsedTime
}

/** The first line of an entry, which is its number or its time line. */
interface EntryHead {
  readonly first: number
  readonly times: number
  /** Undefined if the times are invalid. */
  readonly range: ParsedTimeRange | undefined
}

/** Finds all time lines and the number before each. Lines of text may contain an arrow as well. */
function* findHeads(text: string, lines: LineIndex, format: 'srt' | 'vtt'): Generator<EntryHead, undefined> {
  let taken = -1
  let arrow = text.indexOf('-->')
  for (let line = 0; line < lines.count && arrow >= 0; line += 1) {
    if (arrow >= lines.to(line)) continue
    const range = timeRangeAt(text, lines.from(line))
    const numbered = line - 1 > taken && isEntryName(lines, line - 1, format)
    if (range ?? (numbered || line === 0 || lines.isBlank(line - 1))) {
      yield { first: numbered ? line - 1 : line, times: line, range }
      taken = line
    }
    arrow = text.indexOf('-->', lines.to(line))
  }
  return undefined
}

const blanks = /[ \t\u00a0]*/y
const arrowAndBlanks = /[ \t]{0,99}-{1,2}>[ \t]{0,99}/y

function timeRangeAt(text: string, line: number): ParsedTimeRange | undefined {
  const start = parseTimeAt(text, matchEnd(blanks, text, line) ?? line)
  const between = start && matchEnd(arrowAndBlanks, text, start.at.to)
  const end = between === undefined ? undefined : parseTimeAt(text, between)
  return start && end && { start, end }
}

/** Returns the end of a match at an offset; undefined without a match. */
function matchEnd(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** Whether the line before a time line names the entry: a number in SRT, any text after an empty line in VTT. */
function isEntryName(lines: LineIndex, line: number, format: 'srt' | 'vtt'): boolean {
  if (format === 'srt' || isIndex(lines, line)) return isIndex(lines, line)
  return !lines.isBlank(line) && (line === 0 || lines.isBlank(line - 1)) && !vttBlock.test(lines.at(line))
}

function isIndex(lines: LineIndex, line: number): boolean {
  return lines.to(line) - lines.from(line) < 40 && /^\s*\d+\s*$/.test(lines.at(line))
}

/** Returns the line after the last text line of an entry. */
function textEnd(
  lines: LineIndex,
  { from, to, format }: { readonly from: number; readonly to: number; readonly format: 'srt' | 'vtt' },
): number {
  let end = from
  for (const block of splitBlocks(lines, from, to)) {
    if (block.from > from && (format === 'vtt' || isIndex(lines, block.from))) break
    end = block.to
  }
  return end
}

/** Yields blocks of lines between empty lines. */
function* splitBlocks(lines: LineIndex, from: number, to: number): Generator<LineRange> {
  let first = -1
  for (let line = from; line < to; line += 1) {
    const blank = lines.isBlank(line)
    if (!blank && first < 0) first = line
    if (blank && first >= 0) {
      yield { from: first, to: line }
      first = -1
    }
  }
  if (first >= 0) yield { from: first, to }
}

function createEntry(
  text: string,
  {
    first,
    times,
    range,
    last,
    lines,
  }: EntryHead & { range: ParsedTimeRange; last: number; lines: LineIndex },
): SubtitleEntry {
  const from = lines.from(times + 1)
  const textRange = { from, to: last > times + 1 ? lines.to(last - 1) : from }
  return {
    ...{ start: range.start.ms, end: range.end.ms },
    text: normalizeLineEnds(text.slice(textRange.from, textRange.to)),
    ...{ kind: 'dialogue', layer: 0, style: '', line: first + 1 },
    at: { start: range.start.at, end: range.end.at, text: textRange },
  }
}

const normalizeLineEnds = (text: string) => (text.includes('\r') ? text.replaceAll(/\r\n|\r/g, '\n') : text)
