import { cuesFromSpeech } from '../../src/media/subtitles/split-cues.ts'
import { srtFile } from '../../src/media/subtitles/srt-file.ts'
import { estimateWidth } from '../../src/media/subtitles/text-width.ts'
import type { AssembledSpeech } from './speech-file.ts'

interface MakeSubtitlesOptions {
  /** Width and height, pixels. */
  readonly canvas: readonly number[]
  readonly strip: boolean
}

/** Lines of an entry. */
const maxLines = 2

/** Letters of a line, as wide as high, in tall pictures of 9:16 and wide ones of 16:9: what reads well on both. */
const lineWidth = { tall: 13, wide: 20 } as const

/** Subtitles of what was spoken, in time with it; SRT tells nothing of fonts, so lines are measured by kinds of letters. */
export function makeSubtitles(
  { placed, seconds }: Pick<AssembledSpeech, 'placed' | 'seconds'>,
  { canvas, strip }: MakeSubtitlesOptions,
): string {
  const said = placed.map(({ text, start, end }) => ({
    text,
    start: Math.round(start * 1000),
    end: Math.round(end * 1000),
  }))
  const entries = cuesFromSpeech(said, {
    lines: maxLines,
    strip,
    width: lettersPerLine(canvas),
    measure: estimateWidth,
  })
  // A short entry may stay a little longer, but not beyond the sound.
  return srtFile(entries.map((entry) => ({ ...entry, end: Math.min(entry.end, Math.round(seconds * 1000)) })))
}

/** Letters of a line for a picture, between the two by its shape. */
function lettersPerLine([width = 9, height = 16]: readonly number[]): number {
  const share = 0.5 + Math.log(width / height) / (2 * Math.log(16 / 9))
  return Math.max(
    lineWidth.tall / 2,
    Math.min(1.5 * lineWidth.wide, lineWidth.tall + share * (lineWidth.wide - lineWidth.tall)),
  )
}
