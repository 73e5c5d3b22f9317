import type { Source } from './encoding.ts'
import { linesOf } from './lines.ts'
import { faultOf, type Entry, type Fault, type Skipped, type Subtitles } from './subtitles.ts'
import { timeAt, type Time } from './times.ts'

/** Fields of an event where the file names none. */
export const usualFields = [
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

/** Sides of a picture that a file may be made for, as a request may name them, px; others say nothing. */
const [leastSide, mostSide] = [16, 16_384]

/** Reads ASS and its older form SSA: events are entries, in whatever order their fields are. */
export function readAss(source: Source): Subtitles {
  const { text } = source
  const lines = linesOf(text)
  const entries: Entry[] = []
  const skipped: Skipped[] = []
  const size = new Map<string, number>()
  let section = ''
  let fields = usualFields
  for (let line = 0; line < lines.count; line += 1) {
    const start = text.slice(lines.from(line), Math.min(lines.to(line), lines.from(line) + 80))
    const name = sectionName(start, section)
    const [, key = ''] = /^\s*(\w+)\s*:/.exec(start) ?? []
    if (name !== undefined) section = name
    else if (section === 'script info' && /^playres[xy]$/i.test(key)) {
      const side = Number.parseInt(start.slice(start.indexOf(':') + 1), 10)
      if (side >= leastSide && side <= mostSide) size.set(key.toLowerCase(), side)
    } else if (section === 'events' && /^format$/i.test(key)) fields = fieldNames(lines.at(line))
    else if (section === 'events' && /^(dialogue|comment)$/i.test(key)) {
      const found = eventOf(text, { from: lines.from(line), to: lines.to(line), fields, line: line + 1 })
      if (typeof found === 'string') skipped.push({ line: line + 1, fault: found })
      else entries.push(found)
    }
  }
  const [width = 0, height = 0] = [size.get('playresx'), size.get('playresy')]
  return {
    format: 'ass',
    source,
    entries,
    skipped,
    ...(width > 0 && height > 0 && { canvas: { width, height } }),
  }
}

/** Encoded fonts and pictures may look like the name of a section; they end at a section that is known. */
function sectionName(line: string, within: string): string | undefined {
  const name = /^\s*\[([^\]]+)\]\s*$/.exec(line)?.[1]?.trim().toLowerCase()
  const encoded = within === 'fonts' || within === 'graphics'
  return encoded && name !== undefined && !/^(script info|v4\+{0,2} styles|events|fonts|graphics)$/.test(name)
    ? undefined
    : name
}

function fieldNames(line: string): string[] {
  return line
    .slice(line.indexOf(':') + 1)
    .split(',')
    .map((field) => field.trim().toLowerCase())
}

interface EventLine {
  readonly from: number
  readonly to: number
  readonly fields: readonly string[]
  readonly line: number
}

/** An event, or what is wrong with it. */
function eventOf(text: string, { from, to, fields, line }: EventLine): Entry | Fault {
  const [colon, ...starts] = fieldStarts(text, { from, to, count: fields.length })
  if (colon === undefined || starts.length < fields.length) return 'fields'
  const valueAt = (index: number) => {
    const [start = to, next = to + 1] = starts.slice(index, index + 2)
    return index < 0 ? { from: to, to } : { from: start, to: next - 1 }
  }
  const valueOf = (...names: string[]) => {
    const place = valueAt(fields.findIndex((field) => names.includes(field)))
    return { place, value: text.slice(place.from, place.to).trim() }
  }
  const time = (name: string): Time | undefined => {
    const { place } = valueOf(name)
    const skipped = /^\s*/.exec(text.slice(place.from, Math.min(place.to, place.from + 40)))?.[0].length ?? 0
    const found = timeAt(text, place.from + skipped)
    return found && found.at.to <= place.to ? found : undefined
  }
  const [start, end] = [time('start'), time('end')]
  if (!start || !end) return 'times'
  const fault = faultOf({ start: start.ms, end: end.ms })
  if (fault) return fault
  const said = valueOf('text').place
  return {
    ...{ start: start.ms, end: end.ms, text: text.slice(said.from, said.to), style: valueOf('style').value },
    kind: /^\s*comment/i.test(text.slice(from, from + 80)) ? 'comment' : 'dialogue',
    layer: Number.parseInt(valueOf('layer', 'marked').value, 10) || 0,
    ...{ line, at: { start: start.at, end: end.at, text: said } },
  }
}

/** The offset of the colon, then of each field's first character; the last field holds all commas that follow. */
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
