import type { Size } from '../geometry.ts'
import type { TextSource } from './encoding.ts'
import { indexLines } from './lines.ts'
import {
  type EntryIssue,
  type SkippedEntry,
  type StopReading,
  type SubtitleEntry,
  type Subtitles,
  timesIssue,
} from './subtitles.ts'
import { type ParsedTime, parseTimeAt } from './times.ts'

/** Fields of an event in a file without a Format line. */
export const defaultEventFields = [
  'layer',
  'start',
  'end',
  'style',
  'name',
  'marginl',
  'marginr',
  'marginv',
  'effect',
  'text',
]

/** Parses ASS and its predecessor SSA. Events become entries; their fields may be in any order. */
export function readAss(source: TextSource, stop: StopReading = () => false): Subtitles {
  const { text } = source
  const lines = indexLines(text)
  const entries: SubtitleEntry[] = []
  const skipped: SkippedEntry[] = []
  const sides: { width?: number; height?: number } = {}
  let section = ''
  let fields = fieldIndexes(defaultEventFields)
  for (let line = 0; line < lines.count; line += 1) {
    if (lines.isBlank(line)) continue
    const start = text.slice(lines.from(line), Math.min(lines.to(line), lines.from(line) + 80))
    const name = sectionName(start, section)
    const key = (section === 'events' && /^\s*(\w+)\s*:/.exec(start)?.[1]) || ''
    if (name !== undefined) section = name
    else if (section === 'script info') Object.assign(sides, parsePlayRes(start))
    else if (/^format$/i.test(key)) fields = fieldIndexes(fieldNames(lines.at(line)))
    else if (/^(dialogue|comment)$/i.test(key)) {
      const found = parseEvent(text, { from: lines.from(line), to: lines.to(line), fields, line: line + 1 })
      if (typeof found === 'string') {
        const at = { from: lines.from(line), to: lines.from(line + 1) }
        // Comments are never shown; those of editors often have no duration.
        if (!/^comment$/i.test(key)) skipped.push({ line: line + 1, issue: found, at })
      } else {
        entries.push(found)
        if (stop(found)) break
      }
    }
  }
  const canvas = completePlayRes(sides)
  return { format: 'ass', source, entries, skipped, ...(canvas && { canvas }) }
}

function fieldNames(line: string): string[] {
  return line
    .slice(line.indexOf(':') + 1)
    .split(',')
    .map((field) => field.trim().toLowerCase())
}

/** Indexes of the fields of an event; -1 for fields that it does not have. */
interface FieldIndexes {
  readonly count: number
  readonly start: number
  readonly end: number
  readonly style: number
  readonly layer: number
  readonly text: number
}

function fieldIndexes(fields: readonly string[]): FieldIndexes {
  const [start, end, style, text] = ['start', 'end', 'style', 'text'].map((name) => fields.indexOf(name))
  const layer = fields.findIndex((field) => field === 'layer' || field === 'marked')
  return {
    count: fields.length,
    start: start ?? -1,
    end: end ?? -1,
    style: style ?? -1,
    layer,
    text: text ?? -1,
  }
}

interface EventLine {
  readonly from: number
  readonly to: number
  readonly fields: FieldIndexes
  readonly line: number
}

/** Parses an event. Returns its issue if it is invalid. */
function parseEvent(text: string, { from, to, fields, line }: EventLine): SubtitleEntry | EntryIssue {
  const [colon, ...starts] = fieldStarts(text, { from, to, count: fields.count })
  if (colon === undefined || starts.length < fields.count) return 'fields'
  const valueAt = (index: number) => {
    return index < 0 ? { from: to, to } : { from: starts[index] ?? to, to: (starts[index + 1] ?? to + 1) - 1 }
  }
  const valueOf = (index: number) => {
    const field = valueAt(index)
    return text.slice(field.from, field.to).trim()
  }
  const time = (index: number): ParsedTime | undefined => {
    const field = valueAt(index)
    const skipped = /^\s*/.exec(text.slice(field.from, Math.min(field.to, field.from + 40)))?.[0].length ?? 0
    const found = parseTimeAt(text, field.from + skipped)
    return found && found.at.to <= field.to ? found : undefined
  }
  const [start, end] = [time(fields.start), time(fields.end)]
  if (!start || !end) return 'times'
  const issue = timesIssue({ start: start.ms, end: end.ms })
  if (issue) return issue
  const textRange = valueAt(fields.text)
  return {
    ...{
      start: start.ms,
      end: end.ms,
      text: text.slice(textRange.from, textRange.to),
      style: valueOf(fields.style),
    },
    kind: /^\s*comment/i.test(text.slice(from, from + 80)) ? 'comment' : 'dialogue',
    layer: Number.parseInt(valueOf(fields.layer), 10) || 0,
    ...{ line, at: { start: start.at, end: end.at, text: textRange } },
  }
}

/** Returns the offset of the colon, then those of the fields. The last field contains all further commas. */
function fieldStarts(
  text: string,
  { from, to, count }: { readonly from: number; readonly to: number; readonly count: number },
): number[] {
  const line = text.slice(from, to)
  const colon = line.indexOf(':')
  const starts = [colon, colon + 1]
  while (starts.length <= count) {
    const comma = line.indexOf(',', starts.at(-1))
    if (comma < 0) break
    starts.push(comma + 1)
  }
  return starts.map((start) => from + start)
}

/** Characters of a line in which a section name is searched. */
const maxSectionNameLength = 80

/**
 * Returns the lower-case name of the ASS section that a line starts; undefined if it starts none. Encoded fonts and
 * images may look like section names, so that only known sections end them.
 */
export function sectionName(line: string, within: string): string | undefined {
  const name = /^\s*\[([^\]]+)\]\s*$/.exec(line.slice(0, maxSectionNameLength))?.[1]?.trim().toLowerCase()
  const encoded = within === 'fonts' || within === 'graphics'
  return encoded && name !== undefined && !isKnownSection(name) ? undefined : name
}

/** Whether a section contains styles. */
export const isStyleSection = (section: string) => /^v4\+{0,2} styles$/.test(section)

const isKnownSection = (name: string) =>
  isStyleSection(name) || ['script info', 'events', 'fonts', 'graphics'].includes(name)

/** Sides that a request may name, in pixels; other values of PlayRes are ignored. */
const [leastSide, mostSide] = [16, 16_384]

/** Parses PlayResX or PlayResY; undefined for other lines. */
function parsePlayRes(line: string): Partial<Size> | undefined {
  const [, axis = '', value = ''] = /^\s*playres([xy])\s*:\s*(\d+)/i.exec(line) ?? []
  const side = Number.parseInt(value, 10)
  if (!(side >= leastSide && side <= mostSide)) return undefined
  return axis.toLowerCase() === 'x' ? { width: side } : { height: side }
}

/** Returns the script resolution. If only one side is set, derives the other one as libass does. */
function completePlayRes({ width, height }: Partial<Size>): Size | undefined {
  if (width !== undefined)
    return { width, height: height ?? (width === 1280 ? 1024 : Math.trunc((width * 3) / 4)) }
  if (height === undefined) return undefined
  return { width: height === 1024 ? 1280 : Math.trunc((height * 4) / 3), height }
}
