import { assStyleFields, assStyleValues } from './ass-file.ts'
import { defaultEventFields, isStyleSection, sectionName } from './read-ass.ts'
import { applyEdits, type TextEdit } from '../text-edits.ts'
import { skippedRemovals } from './edit-subtitles.ts'
import { indexLines, type LineIndex } from './lines.ts'
import type { AssStyle } from './style-presets.ts'
import type { SubtitleEntry, Subtitles } from './subtitles.ts'
import { assTime } from './times.ts'

/** New values for an event. Omitted fields keep their values. */
export interface EventReplacement {
  /** Ms. */
  readonly start?: number
  readonly end?: number
  readonly style?: string
  readonly marginY?: number
  /** Text in the syntax of ASS. */
  readonly text: string
}

interface RewriteAssOptions {
  /** Styles to add. They replace existing styles of the same name. */
  readonly styles: readonly AssStyle[]
  /** Replacements of each entry; an empty list removes it. */
  readonly events: ReadonlyMap<SubtitleEntry, readonly EventReplacement[]>
}

/** Returns the text of an ASS file with other styles and events, without invalid ones. All other lines are unchanged. */
export function rewriteAss(
  { source: { text }, skipped }: Subtitles,
  { styles, events }: RewriteAssOptions,
): string {
  const lines = indexLines(text)
  const ending = /\r\n|\r|\n/.exec(text)?.[0] ?? '\n'
  const found = scanAssLayout(lines, new Set([...events.keys()].map(lineIndex)))
  const edits = [...styleEdits(lines, { found, styles, ending }), ...skippedRemovals(skipped)]
  for (const [entry, replaced] of events) {
    const line = lineIndex(entry)
    const fields = found.eventFields.get(line) ?? defaultEventFields
    const before = lines.at(line)
    const to = replaced.length > 0 ? lines.to(line) : lines.from(line + 1)
    const by = replaced.map((event) => replaceEventFields(before, fields, event)).join(ending)
    edits.push({ from: lines.from(line), to, replacement: by })
  }
  return applyEdits(
    text,
    edits.toSorted((one, other) => one.from - other.from),
  )
}

const lineIndex = ({ line }: SubtitleEntry) => line - 1

interface AssLayout {
  readonly styleFields: readonly string[]
  /** Lines of styles by name, and the line after which styles are added; -1 without a style section. */
  readonly styles: ReadonlyMap<string, number>
  readonly lastStyle: number
  readonly events: number
  /** Field names of the requested events by line. */
  readonly eventFields: ReadonlyMap<number, readonly string[]>
}

function scanAssLayout(lines: LineIndex, asked: ReadonlySet<number>): AssLayout {
  const styles = new Map<string, number>()
  const eventFields = new Map<number, readonly string[]>()
  let ofEvents: readonly string[] = defaultEventFields
  let fields: readonly string[] = assStyleFields
  // Searched once for each format: a file may have millions of fields and of styles.
  let nameField = nameFieldIndex(fields)
  let [lastStyle, events, section] = [-1, -1, '']
  for (let line = 0; line < lines.count; line += 1) {
    const text = lines.at(line)
    const name = sectionName(text, section)
    if (name !== undefined) section = name
    if (name === 'events' && events < 0) events = line
    const [, key = '', value = ''] = /^\s*(format|style)\s*:(.*)$/i.exec(text) ?? []
    const isFormat = key.toLowerCase() === 'format'
    if (section === 'events' && isFormat) ofEvents = splitFields(value.toLowerCase())
    if (asked.has(line)) eventFields.set(line, ofEvents)
    if (!isStyleSection(section)) continue
    if (name !== undefined || key !== '') lastStyle = line
    if (isFormat) {
      fields = splitFields(value)
      nameField = nameFieldIndex(fields)
    } else if (key !== '') styles.set(splitFields(value)[nameField] ?? '', line)
  }
  return { styleFields: fields, styles, lastStyle, events, eventFields }
}

/** Returns the index of the name among the fields of a style. */
const nameFieldIndex = (fields: readonly string[]) =>
  fields.findIndex((field) => field.toLowerCase() === 'name')

const splitFields = (value: string) => value.split(',').map((field) => field.trim())

function styleEdits(
  lines: LineIndex,
  {
    found,
    styles,
    ending,
  }: { readonly found: AssLayout; readonly styles: readonly AssStyle[]; readonly ending: string },
): TextEdit[] {
  const added: string[] = []
  const edits: TextEdit[] = []
  for (const style of styles) {
    const line = found.styles.get(style.name)
    const by = styleLine(style, found.styleFields)
    if (line === undefined) added.push(by)
    else edits.push({ from: lines.from(line), to: lines.to(line), replacement: by })
  }
  if (added.length === 0) return edits
  if (found.lastStyle >= 0) {
    const at = lines.to(found.lastStyle)
    return [...edits, { from: at, to: at, replacement: added.map((one) => ending + one).join('') }]
  }
  const at = lines.from(Math.max(0, found.events))
  const section = ['[V4+ Styles]', `Format: ${assStyleFields.join(', ')}`, ...added, '', '']
  return [...edits, { from: at, to: at, replacement: section.join(ending) }]
}

function styleLine(style: AssStyle, fields: readonly string[]): string {
  const values = new Map(assStyleValues(style).map((value, at) => [assStyleFields[at]?.toLowerCase(), value]))
  return `Style: ${fields.map((field) => values.get(field.toLowerCase()) ?? '0').join(',')}`
}

/** Replaces fields in the line of an event. The last field contains all further commas. */
function replaceEventFields(line: string, fields: readonly string[], event: EventReplacement): string {
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
