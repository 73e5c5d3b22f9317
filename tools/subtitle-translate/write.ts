import { arrow } from '../../src/media/subtitles/arrow.ts'
import { assFile, type AssEvent } from '../../src/media/subtitles/ass-file.ts'
import { bothEvents } from '../../src/media/subtitles/bilingual.ts'
import { changeSubtitles } from '../../src/media/subtitles/change.ts'
import { textEntries } from '../../src/media/subtitles/check.ts'
import { convertTags } from '../../src/media/subtitles/convert-tags.ts'
import { markOf } from '../../src/media/subtitles/encoding.ts'
import { relayTags } from '../../src/media/subtitles/relay.ts'
import { rewriteAss, type NewEvent } from '../../src/media/subtitles/rewrite-ass.ts'
import { stripEntry } from '../../src/media/subtitles/strip-punctuation.ts'
import type { Entry, Format, Subtitles } from '../../src/media/subtitles/subtitles.ts'
import { srtTime } from '../../src/media/subtitles/times.ts'
import { plainText, written } from '../../src/media/subtitles/tokens.ts'
import type { Cue } from './cues.ts'
import type { Page } from './page.ts'
import { listed, silentCanvas, styleOf, stylesFor, type Styles } from './styles.ts'

/** What is written, and as what. */
export interface Writing {
  readonly subtitles: Subtitles
  readonly cues: readonly Cue[]
  readonly page: Page
  readonly strip: boolean
}

/** A result, and how many entries went into it or were left out for want of words. */
interface Written {
  readonly entries: number
  readonly dropped: number
}

/** The bytes of the result in a format: UTF-8, marked where the file was. */
export function writeAs(format: 'srt' | 'ass', writing: Writing): Written & { readonly bytes: Uint8Array } {
  const { subtitles, cues } = writing
  if (format === 'srt' && subtitles.format === 'srt' && cues.every(({ passage }) => passage.isFixed)) {
    const changes = cues.map(
      (cue) => [cue.passage.entries[0], { text: textOf(cue, 'srt', writing) }] as const,
    )
    return { bytes: changeSubtitles(subtitles, new Map(changes)), entries: cues.length, dropped: 0 }
  }
  const { text, ...counts } =
    format === 'srt' ? srtOf(writing) : subtitles.format === 'ass' ? assOfAss(writing) : assOf(writing)
  const { bom, text: source } = subtitles.source
  const ending = /\r\n|\r|\n/.exec(source)?.[0] ?? '\n'
  const ended = text.includes('\r') ? text : text.replaceAll('\n', ending)
  const bytes = Buffer.concat([bom ? markOf('utf-8') : new Uint8Array(), Buffer.from(ended)])
  return { bytes, ...counts }
}

function textOf({ passage, lines }: Cue, to: Format, { subtitles: { format }, strip }: Writing): string {
  const [{ text }] = passage.entries
  if (!lines) return convertTags(strip ? stripEntry(text, format) : text, format, to)
  return relayTags(convertTags(text, format, to), lines.join('\n'), to)
}

const timesOf = ({ times, passage }: Cue) =>
  times ?? { start: passage.entries[0].start, end: passage.entries[0].end }

/** What is shown and not translated: blank, drawn, or sung by syllables. */
function othersOf({ subtitles }: Writing): readonly Entry[] {
  const worded = new Set(textEntries(subtitles))
  return subtitles.entries.filter((entry) => !worded.has(entry) && entry.kind === 'dialogue')
}

/** All that is read, in the order of its times; what is sung by syllables too, as it is. */
function srtOf(writing: Writing): Written & { readonly text: string } {
  const { subtitles, cues } = writing
  const others = othersOf(writing).map(({ start, end, text }) => ({
    start,
    end,
    text: plainText(text, subtitles.format).trim(),
  }))
  const entries = cues.map((cue) => ({ ...timesOf(cue), text: textOf(cue, 'srt', writing) }))
  const worded = [...entries, ...others]
    .map((entry) => ({ ...entry, text: entry.text.replaceAll(arrow, '→').replaceAll(/\n\s*\n/g, '\n') }))
    .filter(({ text }) => text !== '')
    .toSorted((one, other) => one.start - other.start)
  const blocks = worded.map(
    ({ start, end, text }, at) => `${at + 1}\n${srtTime(start)} --> ${srtTime(end)}\n${text}\n`,
  )
  const dropped = entries.length + others.length - worded.length
  return { text: blocks.join('\n'), entries: worded.length, dropped }
}

function assOf(writing: Writing): Written & { readonly text: string } {
  const { page, cues } = writing
  const styles = stylesFor(page, page.canvas)
  const events = cues.flatMap((cue) =>
    eventsOf(cue, styles, writing).map((event): AssEvent => ({
      style: styles.main.name,
      ...timesOf(cue),
      ...event,
    })),
  )
  const text = assFile({ canvas: page.canvas, styles: listed(styles), events })
  return { text, entries: cues.length, dropped: othersOf(writing).length }
}

/** Lines that are not translated stay in it. */
function assOfAss(writing: Writing): Written & { readonly text: string } {
  const { subtitles, page, cues } = writing
  const styles = stylesFor(page, subtitles.canvas ?? silentCanvas)
  const events = new Map<Entry, NewEvent[]>()
  for (const { passage } of cues) for (const entry of passage.entries) events.set(entry, [])
  for (const cue of cues) events.get(cue.passage.entries[0])?.push(...eventsOf(cue, styles, writing))
  const text = rewriteAss(subtitles, { styles: listed(styles), events })
  return { text, entries: cues.length, dropped: 0 }
}

const placed = /\\(an?\d|pos|move|org)/i

/** A cue as events; in two languages one above the other, in one event where it has a place or a look of its own. */
function eventsOf(cue: Cue, { main, original }: Styles, writing: Writing): NewEvent[] {
  const text = textOf(cue, 'ass', writing)
  const [entry] = cue.passage.entries
  if (!original || cue.original.length === 0 || !cue.lines) return [{ ...cue.times, text }]
  const isOwn = writing.subtitles.format === 'ass' && styleOf(entry) !== main.name
  if (isOwn || placed.test(entry.text)) {
    const below = written(cue.original.join('\n'), 'ass')
    return [{ ...cue.times, text: String.raw`${text}\N{\r${original.name}}${below}` }]
  }
  const both = { ...timesOf(cue), translation: cue.lines, original: cue.original }
  return bothEvents(both, { translation: main, original }).map((event) => ({
    ...cue.times,
    ...{ style: event.style, marginY: event.marginY },
    text: event.style === main.name ? text : textOf({ ...cue, lines: cue.original }, 'ass', writing),
  }))
}
