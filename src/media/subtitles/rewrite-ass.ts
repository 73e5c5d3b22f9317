import { styleFields, styleValues } from './ass-file.ts'
import { isOfStyles, sectionName } from './ass-sections.ts'
import { apply, type Edit } from './join-lines.ts'
import { linesOf, type Lines } from './lines.ts'
import type { AssStyle } from './styles.ts'
import type { Entry, Subtitles } from './subtitles.ts'
import { assTime } from './times.ts'
import { usualFields } from './read-ass.ts'

/** An event made of another one: what is left out stays as it was. */
export interface NewEvent {
  /** Ms. */
  readonly start?: number
  readonly end?: number
  readonly style?: string
  readonly marginY?: number
  /** As ASS writes it. */
  readonly text: string
}

interface Rewriting {
  /** Styles that replace those of the same name, or come to them. */
  readonly styles: readonly AssStyle[]
  /** For an entry the events that take its place; none, and it goes. */
  readonly events: ReadonlyMap<Entry, readonly NewEvent[]>
}

/** The text of an ASS file with other styles and events; every line that is not named stays as it is. */
export function rewriteAss({ source: { text } }: Subtitles, { styles, events }: Rewriting): string {
  const lines = linesOf(text)
  const ending = /\r\n|\r|\n/.exec(text)?.[0] ?? '\n'
  const found = findLines(lines, new Set([...events.keys()].map(lineOf)))
  const edits: Edit[] = styleEdits(lines, { found, styles, ending })
  for (const [entry, replaced] of events) {
    const line = lineOf(entry)
    const fields = found.eventFields.get(line) ?? usualFields
    const before = lines.at(line)
    const to = replaced.length > 0 ? lines.to(line) : lines.from(line + 1)
    const by = replaced.map((event) => eventLine(before, fields, event)).join(ending)
    edits.push({ from: lines.from(line), to, by })
  }
  return apply(
    text,
    edits.toSorted((one, other) => one.from - other.from),
  )
}

const lineOf = ({ line }: Entry) => line - 1

interface Found {
  readonly styleFields: readonly string[]
  /** The lines of the styles by their names, and the one after which a new one stands; -1 without a section. */
  readonly styles: ReadonlyMap<string, number>
  readonly lastStyle: number
  readonly events: number
  /** The fields of the events that are asked for, by their lines. */
  readonly eventFields: ReadonlyMap<number, readonly string[]>
}

function findLines(lines: Lines, asked: ReadonlySet<number>): Found {
  const styles = new Map<string, number>()
  const eventFields = new Map<number, readonly string[]>()
  let ofEvents: readonly string[] = usualFields
  let fields: readonly string[] = styleFields
  let [lastStyle, events, section] = [-1, -1, '']
  for (let line = 0; line < lines.count; line += 1) {
    const text = lines.at(line)
    const name = sectionName(text, section)
    if (name !== undefined) section = name
    if (name === 'events' && events < 0) events = line
    const [, key = '', value = ''] = /^\s*(format|style)\s*:(.*)$/i.exec(text) ?? []
    const isFormat = key.toLowerCase() === 'format'
    if (section === 'events' && isFormat) ofEvents = namesIn(value.toLowerCase())
    if (asked.has(line)) eventFields.set(line, ofEvents)
    if (!isOfStyles(section)) continue
    if (name !== undefined || key !== '') lastStyle = line
    if (isFormat) fields = namesIn(value)
    else if (key !== '') styles.set(namesIn(value)[nameAt(fields)] ?? '', line)
  }
  return { styleFields: fields, styles, lastStyle, events, eventFields }
}

/** Where a line of a style has its name. */
const nameAt = (fields: readonly string[]) => fields.findIndex((field) => field.toLowerCase() === 'name')

const namesIn = (value: string) => value.split(',').map((field) => field.trim())

function styleEdits(
  lines: Lines,
  {
    found,
    styles,
    ending,
  }: { readonly found: Found; readonly styles: readonly AssStyle[]; readonly ending: string },
): Edit[] {
  const added: string[] = []
  const edits: Edit[] = []
  for (const style of styles) {
    const line = found.styles.get(style.name)
    const by = styleLine(style, found.styleFields)
    if (line === undefined) added.push(by)
    else edits.push({ from: lines.from(line), to: lines.to(line), by })
  }
  if (added.length === 0) return edits
  if (found.lastStyle >= 0) {
    const at = lines.to(found.lastStyle)
    return [...edits, { from: at, to: at, by: added.map((one) => ending + one).join('') }]
  }
  const at = lines.from(Math.max(0, found.events))
  const section = ['[V4+ Styles]', `Format: ${styleFields.join(', ')}`, ...added, '', '']
  return [...edits, { from: at, to: at, by: section.join(ending) }]
}

function styleLine(style: AssStyle, fields: readonly string[]): string {
  const values = new Map(styleValues(style).map((value, at) => [styleFields[at]?.toLowerCase(), value]))
  return `Style: ${fields.map((field) => values.get(field.toLowerCase()) ?? '0').join(',')}`
}

/** An event's line with some of its fields replaced; the last field holds all commas that follow. */
function eventLine(line: string, fields: readonly string[], event: NewEvent): string {
  const colon = line.indexOf(':') + 1
  const values = line.slice(colon).split(',')
  const last = fields.length - 1
  const given = [...values.slice(0, last), values.slice(last).join(',')]
  const { start, end, style, marginY, text } = event
  const changed: Readonly<Record<string, string | undefined>> = {
    start: start === undefined ? undefined : assTime(start),
    end: end === undefined ? undefined : assTime(end),
    style,
    marginv: marginY === undefined ? undefined : String(Math.round(marginY)),
    text: text.replaceAll(/\r\n|\r|\n/g, String.raw`\N`),
  }
  return line.slice(0, colon) + given.map((value, at) => changed[fields[at] ?? ''] ?? value).join(',')
}
