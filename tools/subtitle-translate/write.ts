import { cueArrow } from '../../src/media/subtitles/srt-file.ts'
import { type AssEvent, assFile, bilingualEvents } from '../../src/media/subtitles/ass-file.ts'
import { changeSubtitles } from '../../src/media/subtitles/edit-subtitles.ts'
import { textEntries } from '../../src/media/subtitles/check.ts'
import { convertTags } from '../../src/media/subtitles/convert-tags.ts'
import { byteOrderMark } from '../../src/media/subtitles/encoding.ts'
import { restoreTags } from '../../src/media/subtitles/restore-tags.ts'
import { rewriteAss, type EventReplacement } from '../../src/media/subtitles/rewrite-ass.ts'
import { stripEntry } from '../../src/media/subtitles/strip-punctuation.ts'
import type { SubtitleEntry, SubtitleFormat, Subtitles } from '../../src/media/subtitles/subtitles.ts'
import { srtTime } from '../../src/media/subtitles/times.ts'
import { plainText, escapeText } from '../../src/media/subtitles/tokens.ts'
import type { TranslatedCue } from './cues.ts'
import {
  defaultPlayRes,
  entryStyleName,
  listStyles,
  type ResultStyles,
  scaleStyles,
  type SubtitleLayout,
} from './layout.ts'

/** The translated cues and their layout. */
export interface WriteOptions {
  readonly subtitles: Subtitles
  readonly cues: readonly TranslatedCue[]
  readonly layout: SubtitleLayout
  readonly strip: boolean
}

/** Number of entries written, and of entries omitted because they have no text. */
interface WriteResult {
  readonly entries: number
  readonly dropped: number
}

/** Returns the result in a format, as UTF-8, with a byte order mark if the file had one. */
export function writeSubtitles(
  format: 'srt' | 'ass',
  writing: WriteOptions,
): WriteResult & { readonly bytes: Uint8Array } {
  const { subtitles, cues } = writing
  if (format === 'srt' && subtitles.format === 'srt' && cues.every(({ passage }) => passage.isFixed)) {
    const changes = cues.map(
      (cue) => [cue.passage.entries[0], { text: cueText(cue, 'srt', writing) }] as const,
    )
    const bytes = changeSubtitles(subtitles, new Map(changes), { dropSkipped: true })
    return { bytes, entries: cues.length, dropped: 0 }
  }
  const { text, ...counts } =
    format === 'srt'
      ? writeSrt(writing)
      : subtitles.format === 'ass'
        ? rewriteSourceAss(writing)
        : createAss(writing)
  const { bom, text: source } = subtitles.source
  const ending = /\r\n|\r|\n/.exec(source)?.[0] ?? '\n'
  const ended = text.includes('\r') ? text : text.replaceAll('\n', ending)
  const bytes = Buffer.concat([bom ? byteOrderMark('utf-8') : new Uint8Array(), Buffer.from(ended)])
  return { bytes, ...counts }
}

function cueText(
  { passage, lines }: TranslatedCue,
  to: SubtitleFormat,
  { subtitles: { format }, strip }: WriteOptions,
): string {
  const [{ text }] = passage.entries
  if (!lines) return convertTags(strip ? stripEntry(text, format) : text, format, to)
  return restoreTags(convertTags(text, format, to), lines.join('\n'), to)
}

const cueTimes = ({ times, passage }: TranslatedCue) =>
  times ?? { start: passage.entries[0].start, end: passage.entries[0].end }

/** Returns the dialogue that is not translated: blank, drawings or karaoke. */
function untranslatedEntries({ subtitles }: WriteOptions): readonly SubtitleEntry[] {
  const worded = new Set(textEntries(subtitles))
  return subtitles.entries.filter((entry) => !worded.has(entry) && entry.kind === 'dialogue')
}

/** Writes all text in the order of its times. Karaoke is included untranslated. */
function writeSrt(writing: WriteOptions): WriteResult & { readonly text: string } {
  const { subtitles, cues } = writing
  const others = untranslatedEntries(writing).map(({ start, end, text }) => ({
    start,
    end,
    text: plainText(text, subtitles.format).trim(),
  }))
  const entries = cues.map((cue) => ({ ...cueTimes(cue), text: cueText(cue, 'srt', writing) }))
  const worded = [...entries, ...others]
    .map((entry) => ({ ...entry, text: entry.text.replaceAll(cueArrow, '→').replaceAll(/\n\s*\n/g, '\n') }))
    .filter(({ text }) => text !== '')
    .toSorted((one, other) => one.start - other.start)
  const blocks = worded.map(
    ({ start, end, text }, at) => `${at + 1}\n${srtTime(start)} --> ${srtTime(end)}\n${text}\n`,
  )
  const dropped = entries.length + others.length - worded.length
  return { text: blocks.join('\n'), entries: worded.length, dropped }
}

function createAss(writing: WriteOptions): WriteResult & { readonly text: string } {
  const { layout, cues } = writing
  const styles = scaleStyles(layout, layout.canvas)
  const events = cues.flatMap((cue) =>
    cueEvents(cue, styles, writing).map((event): AssEvent => ({
      style: styles.main.name,
      ...cueTimes(cue),
      ...event,
    })),
  )
  const text = assFile({ canvas: layout.canvas, styles: listStyles(styles), events })
  return { text, entries: cues.length, dropped: untranslatedEntries(writing).length }
}

/** Replaces the translated events of an ASS file. All other lines stay. */
function rewriteSourceAss(writing: WriteOptions): WriteResult & { readonly text: string } {
  const { subtitles, layout, cues } = writing
  const styles = scaleStyles(layout, subtitles.canvas ?? defaultPlayRes)
  const events = new Map<SubtitleEntry, EventReplacement[]>()
  for (const { passage } of cues) for (const entry of passage.entries) events.set(entry, [])
  for (const cue of cues) events.get(cue.passage.entries[0])?.push(...cueEvents(cue, styles, writing))
  const text = rewriteAss(subtitles, { styles: listStyles(styles), events })
  return { text, entries: cues.length, dropped: 0 }
}

const placingOverride = /\\(an?\d|pos|move|org)/i

/** Returns the events of a cue. Bilingual cues have two, or one if the entry has a position or a style of its own. */
function cueEvents(
  cue: TranslatedCue,
  { main, original }: ResultStyles,
  writing: WriteOptions,
): EventReplacement[] {
  const text = cueText(cue, 'ass', writing)
  const [entry] = cue.passage.entries
  if (!original || cue.original.length === 0 || !cue.lines) return [{ ...cue.times, text }]
  const isOwn = writing.subtitles.format === 'ass' && entryStyleName(entry) !== main.name
  if (isOwn || placingOverride.test(entry.text)) {
    const below = escapeText(cue.original.join('\n'), 'ass')
    return [{ ...cue.times, text: String.raw`${text}\N{\r${original.name}}${below}` }]
  }
  const both = { ...cueTimes(cue), translation: cue.lines, original: cue.original }
  return bilingualEvents(both, { translation: main, original }).map((event) => ({
    ...cue.times,
    ...{ style: event.style, marginY: event.marginY },
    text: event.style === main.name ? text : cueText({ ...cue, lines: cue.original }, 'ass', writing),
  }))
}
