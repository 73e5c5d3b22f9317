import { divideText } from '../../src/media/subtitles/divide-text.ts'
import { splitIntoCues } from '../../src/media/subtitles/split-cues.ts'
import { hasTwoSpeakers, type Passage } from '../../src/media/subtitles/passages.ts'
import type { SubtitleFormat } from '../../src/media/subtitles/subtitles.ts'
import { type LineLimit, wrapText } from '../../src/media/subtitles/wrap.ts'
import { stripPunctuation } from '../../src/media/subtitles/strip-punctuation.ts'
import type { SubtitleLayout } from './layout.ts'

/** Lines of a passage that are shown together. */
export interface TranslatedCue {
  readonly passage: Passage
  /** Undefined if the cue has the times of the passage's entry. */
  readonly times: { readonly start: number; readonly end: number } | undefined
  /** Undefined without a usable translation: the entry keeps its text. */
  readonly lines: readonly string[] | undefined
  /** Lines of the original; empty in monolingual results. */
  readonly original: readonly string[]
}

/** Maximum lines of one language in a cue that is split again. */
const maxCueLines = 2

/** Whether a text fits one cue of a layout. */
export function fitsCue(text: string, { translation }: SubtitleLayout): boolean {
  return wrapText(text, translation.room).length <= maxCueLines
}

/** Returns a note of how many entries were joined and split into how many cues; none if none were. */
export function resegmentNotes(passages: readonly Passage[], cues: readonly TranslatedCue[]): string[] {
  const cueCounts = new Map<Passage, number>()
  for (const { passage } of cues) cueCounts.set(passage, (cueCounts.get(passage) ?? 0) + 1)
  const entryCount = (some: readonly Passage[]) => some.reduce((sum, { entries }) => sum + entries.length, 0)
  const cueCount = (some: readonly Passage[]) => some.reduce((sum, one) => sum + (cueCounts.get(one) ?? 0), 0)
  const joined = passages.filter(({ entries }) => entries.length > 1)
  const split = passages.filter((one) => one.entries.length === 1 && (cueCounts.get(one) ?? 0) > 1)
  const parts = [
    ...(joined.length > 0 ? [`${entryCount(joined)} of one sentence joined into ${cueCount(joined)}`] : []),
    ...(split.length > 0 ? [`${split.length} long ones split into ${cueCount(split)}`] : []),
  ]
  if (parts.length === 0) return []
  return [`line_mode resegment: ${entryCount(passages)} entries became ${cues.length} (${parts.join(', ')})`]
}

interface CreateCuesOptions {
  readonly strip: boolean
  /** Format of the file and of the result. */
  readonly from: SubtitleFormat
  readonly to: SubtitleFormat
}

/** Splits each passage into wrapped cues. Returns the number of cues dropped because they had no duration or text. */
export function createCues(
  translated: readonly { readonly passage: Passage; readonly text: string | undefined }[],
  layout: SubtitleLayout,
  { strip, from, to }: CreateCuesOptions,
): { readonly cues: readonly TranslatedCue[]; readonly dropped: number } {
  const strips = (lines: readonly string[]) =>
    strip ? lines.map((line) => stripPunctuation(line) || line) : lines
  const all = translated
    .flatMap(({ passage, text }) =>
      passage.isFixed ? [fixedCue(passage, text, layout)] : splitPassage(passage, text, layout),
    )
    .map((cue) => ({ ...cue, lines: cue.lines && strips(cue.lines), original: strips(cue.original) }))
  const cues = all.filter(
    ({ passage: { entries }, times, lines }) =>
      lines?.length !== 0 && ((!times && from === to) || hasDuration(times ?? entries[0], to)),
  )
  return { cues, dropped: all.length - cues.length }
}

/** Resolution of times in each format, in milliseconds. */
const timeStepMs: Readonly<Record<SubtitleFormat, number>> = { srt: 1, vtt: 1, ass: 10 }

/** Whether two times differ after rounding to the resolution of a format. */
function hasDuration({ start, end }: NonNullable<TranslatedCue['times']>, format: SubtitleFormat): boolean {
  const written = (ms: number) => Math.round(ms / timeStepMs[format])
  return written(end) > written(start)
}

function fixedCue(
  passage: Passage,
  text: string | undefined,
  { translation, original }: SubtitleLayout,
): TranslatedCue {
  if (text === undefined) return { passage, times: undefined, lines: undefined, original: [] }
  return {
    ...{ passage, times: undefined, lines: wrapSpeakers(text, translation.room) },
    original: original ? wrapSpeakers(passage.text, original.room) : [],
  }
}

/** Wraps each speaker's line separately, and other text as a whole. */
function wrapSpeakers(text: string, room: LineLimit): string[] {
  return hasTwoSpeakers(text)
    ? text.split('\n').flatMap((line) => wrapText(line, room))
    : wrapText(text, room)
}

function splitPassage(
  passage: Passage,
  text: string | undefined,
  { translation, original }: SubtitleLayout,
): TranslatedCue[] {
  const [first] = passage.entries
  const { start } = first
  const { end } = passage.entries.at(-1) ?? first
  const parts = splitIntoCues(
    { start, end, text: text ?? passage.text },
    { ...translation.room, lines: maxCueLines },
  )
  const lengths = parts.map(({ lines }) => lines.join('').length)
  const originals = original && text !== undefined ? divideText(passage.text, lengths) : []
  return parts.map(({ lines, ...times }, at) => ({
    ...{ passage, times, lines },
    original: original ? wrapText(originals[at] ?? '', original.room) : [],
  }))
}
