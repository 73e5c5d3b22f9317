import type { SubtitleStyleName } from '../../contract/subtitle-styles.ts'
import type { Size } from '../geometry.ts'
import { assFile, bilingualEvents, originalScale } from '../subtitles/ass-file.ts'
import { removeControls } from '../subtitles/control-characters.ts'
import { divideText } from '../subtitles/divide-text.ts'
import { lettersPerLine } from '../subtitles/line-length.ts'
import { closePauses, type Cue, splitIntoCues } from '../subtitles/split-cues.ts'
import { srtFile } from '../subtitles/srt-file.ts'
import { lineLimit, presetStyle } from '../subtitles/style-presets.ts'
import { estimateWidth, type Typeface } from '../subtitles/text-width.ts'
import { type LineLimit, wrapText } from '../subtitles/wrap.ts'

/** A line of a dub where it is heard. Lines are in order and disjoint; times are ms of the output. */
export interface SubtitledLine {
  /** In the language of the dub. */
  readonly text: string
  /** As it was said in the source. */
  readonly source: string
  readonly start: number
  readonly end: number
}

/** What subtitles are shown over. */
export interface DubSubtitleOptions {
  /** Size of the picture, pixels. Default: 16:9. */
  readonly canvas?: Size
  /** Duration of the output, ms. */
  readonly duration: number
}

/** Lines of one language in a cue. */
const maxLines = 2

/** Shape of the subtitles of a sound. */
const wideCanvas: Size = { width: 1920, height: 1080 }

/**
 * Returns the SRT file of a dub in its language. Cues have at most two lines of about 40 letters, or 20 of full width;
 * those of narrow pictures are shorter. A longer line of the dub has several cues, which share its time by their letters.
 */
export function dubSrt(
  lines: readonly SubtitledLine[],
  { canvas = wideCanvas, duration }: DubSubtitleOptions,
): string {
  return srtFile(inTime(monolingualCues(lines, subtitleFileRoom(canvas)), duration))
}

/** Returns the SRT file of a dub in both languages, that of the dub above. */
export function bilingualDubSrt(
  lines: readonly SubtitledLine[],
  { canvas = wideCanvas, duration }: DubSubtitleOptions,
): string {
  const room = subtitleFileRoom(canvas)
  const cues = inTime(bilingualCues(lines, { target: room, source: room }), duration)
  return srtFile(cues.map((cue) => ({ ...cue, lines: [...cue.lines, ...cue.original] })))
}

export interface BurnedDubOptions extends DubSubtitleOptions {
  readonly canvas: Size
  readonly preset: SubtitleStyleName
  readonly typeface: Typeface
  /** Typeface of the source, which is shown below in smaller letters. Default: it is not shown. */
  readonly sourceTypeface?: Typeface | undefined
}

/** Returns an .ass file of the subtitles of a dub, to draw over its picture. Text is never read as tags. */
export function dubAss(lines: readonly SubtitledLine[], options: BurnedDubOptions): string {
  const { canvas, duration, preset, typeface, sourceTypeface } = options
  const styleOf = (face: Typeface, name: string, scale: number) =>
    presetStyle({ preset, colour: '雅黑', canvas, typeface: face, name, scale })
  const translation = styleOf(typeface, 'Dub', 1)
  const original = styleOf(sourceTypeface ?? typeface, 'Source', originalScale)
  const target = lineLimit(translation, canvas, typeface)
  const cues = sourceTypeface
    ? bilingualCues(lines, { target, source: lineLimit(original, canvas, sourceTypeface) })
    : monolingualCues(lines, target).map((cue) => ({ ...cue, original: [] }))
  return assFile({
    canvas,
    styles: sourceTypeface ? [translation, original] : [translation],
    events: inTime(cues, duration).flatMap(({ lines: translated, ...cue }) =>
      bilingualEvents({ ...cue, translation: translated }, { translation, original }),
    ),
  })
}

/** Length of lines in files of subtitles, which players draw in fonts of their own. */
function subtitleFileRoom(canvas: Size): LineLimit {
  return { width: lettersPerLine(canvas), measure: estimateWidth }
}

/** Closes short pauses, keeps short cues longer where nothing follows, and ends all with the output. */
function inTime<Shown extends Cue>(cues: readonly Shown[], duration: number): Shown[] {
  return closePauses(cues.filter(({ start, end }) => end > start))
    .map((cue) => ({ ...cue, end: Math.min(cue.end, duration) }))
    .filter(({ start, end }) => end > start)
}

function monolingualCues(lines: readonly SubtitledLine[], room: LineLimit): Cue[] {
  return lines.flatMap((line) =>
    splitIntoCues({ ...line, text: removeControls(line.text) }, { ...room, lines: maxLines }),
  )
}

/** A cue with its lines of the source. */
interface BilingualCue extends Cue {
  readonly original: readonly string[]
}

/** Line limits of both languages. */
interface Rooms {
  readonly target: LineLimit
  readonly source: LineLimit
}

function bilingualCues(lines: readonly SubtitledLine[], rooms: Rooms): BilingualCue[] {
  return lines.flatMap((line) =>
    pairedCues({ ...line, text: removeControls(line.text), source: removeControls(line.source) }, rooms),
  )
}

/** Most parts that are tried beyond those of the longer text. */
const maxMoreParts = 8

/**
 * Divides both texts of a line into the same number of cues, in which each has at most two lines: those of the text that
 * needs more, or else more of equal length.
 */
function pairedCues(
  { text, source, ...times }: SubtitledLine,
  { target, source: small }: Rooms,
): BilingualCue[] {
  const lettersOf = (cues: readonly Cue[]) => cues.map(({ lines }) => lines.join('').length)
  const [own, other] = [
    splitIntoCues({ ...times, text }, { ...target, lines: maxLines }),
    splitIntoCues({ ...times, text: source }, { ...small, lines: maxLines }),
  ]
  if (own.length === 0) return []
  let lengths = lettersOf(other.length > own.length ? other : own)
  const most = lengths.length + maxMoreParts
  for (;;) {
    const translated = dividedLines(text, lengths, target)
    const original = dividedLines(source, lengths, small)
    const fits = [...translated, ...original].every(({ length }) => length <= maxLines)
    if (fits || lengths.length >= most) return timedCues(times, translated, original)
    lengths = Array.from({ length: lengths.length + 1 }, () => 1)
  }
}

/** Returns the wrapped parts of a text. A part without words shows the one before it. */
function dividedLines(text: string, lengths: readonly number[], room: LineLimit): string[][] {
  let shown: string[] = []
  return divideText(text, lengths).map((part) => {
    if (part !== '') shown = wrapText(part, room)
    return shown
  })
}

/** Cues that share the time of their line by the letters of the dub. */
function timedCues(
  { start, end }: Pick<SubtitledLine, 'start' | 'end'>,
  translated: readonly (readonly string[])[],
  original: readonly (readonly string[])[],
): BilingualCue[] {
  const letters = translated.map((lines) => Math.max(1, lines.join('').length))
  const total = letters.reduce((sum, count) => sum + count, 0)
  let passed = 0
  const at = () => Math.round(start + ((end - start) * passed) / total)
  return translated.map((lines, index) => {
    const from = at()
    passed += letters[index] ?? 0
    return { start: from, end: at(), lines, original: original[index] ?? [] }
  })
}
