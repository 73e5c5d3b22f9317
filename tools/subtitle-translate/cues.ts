import { splitIntoCues } from '../../src/media/subtitles/split-cues.ts'
import { hasTwoSpeakers, type Passage } from '../../src/media/subtitles/passages.ts'
import type { SubtitleFormat } from '../../src/media/subtitles/subtitles.ts'
import { type LineLimit, splitPieces, wrapText } from '../../src/media/subtitles/wrap.ts'
import { stripPunctuation } from '../../src/media/subtitles/strip-punctuation.ts'
import type { SubtitleLayout } from './layout.ts'

/** What is shown at once of a passage. */
export interface TranslatedCue {
  readonly passage: Passage
  /** Undefined where the times are those of the passage's entry. */
  readonly times: { readonly start: number; readonly end: number } | undefined
  /** Undefined where nothing usable came of the model: the entry's own text stays. */
  readonly lines: readonly string[] | undefined
  /** Empty in one language. */
  readonly original: readonly string[]
}

/** Most lines of one language at once, where it is cut anew. */
const maxCueLines = 2

interface CreateCuesOptions {
  readonly strip: boolean
  /** The format of the file, and that of the result. */
  readonly from: SubtitleFormat
  readonly to: SubtitleFormat
}

/** Breaks translations within the page, each passage in one cue or several; how many had no time or no words left. */
export function createCues(
  translated: readonly { readonly passage: Passage; readonly text: string | undefined }[],
  page: SubtitleLayout,
  { strip, from, to }: CreateCuesOptions,
): { readonly cues: readonly TranslatedCue[]; readonly dropped: number } {
  const strips = (lines: readonly string[]) =>
    strip ? lines.map((line) => stripPunctuation(line) || line) : lines
  const all = translated
    .flatMap(({ passage, text }) =>
      passage.isFixed ? [fixedCue(passage, text, page)] : splitPassage(passage, text, page),
    )
    .map((cue) => ({ ...cue, lines: cue.lines && strips(cue.lines), original: strips(cue.original) }))
  const cues = all.filter(
    ({ passage: { entries }, times, lines }) =>
      lines?.length !== 0 && ((!times && from === to) || hasDuration(times ?? entries[0], to)),
  )
  return { cues, dropped: all.length - cues.length }
}

/** The shortest time that a format can tell, ms. */
const timeStepMs: Readonly<Record<SubtitleFormat, number>> = { srt: 1, vtt: 1, ass: 10 }

/** Whether any time is left between two as a format writes them. */
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

/** Lines of several speakers begin anew; all else flows. */
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
  const originals = original && text !== undefined ? splitByLengths(passage.text, lengths) : []
  return parts.map(({ lines, ...times }, at) => ({
    ...{ passage, times, lines },
    original: original ? wrapText(originals[at] ?? '', original.room) : [],
  }))
}

/** A text in as many parts as there are lengths, each about as long beside the others. */
function splitByLengths(text: string, lengths: readonly number[]): string[] {
  const pieces = splitPieces(text)
  const all = lengths.reduce((sum, length) => sum + length, 0)
  const letters = pieces.reduce((sum, piece) => sum + piece.text.length, 0)
  const ends = lengths.map((_, at) => lengths.slice(0, at + 1).reduce((sum, length) => sum + length, 0) / all)
  const parts = lengths.map(() => '')
  let passed = 0
  for (const piece of pieces) {
    const middle = (passed + piece.text.length / 2) / letters
    const at = Math.max(
      0,
      ends.findIndex((end) => middle <= end),
    )
    parts[at] = (parts[at] ?? '') + piece.text + piece.space
    passed += piece.text.length
  }
  return parts.map((part) => part.trim())
}
