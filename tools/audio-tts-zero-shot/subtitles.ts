import { entriesFromSpeech } from '../../src/media/subtitles/from-speech.ts'
import { srtFile } from '../../src/media/subtitles/srt-file.ts'
import { plainWidth } from '../../src/media/subtitles/widths.ts'
import type { Made } from './assemble.ts'

interface Wish {
  /** Width and height, pixels. */
  readonly canvas: readonly number[]
  readonly strip: boolean
}

/** Lines of an entry. */
const lines = 2

/** Letters of a line, as wide as high, in tall pictures of 9:16 and wide ones of 16:9: what reads well on both. */
const room = { tall: 13, wide: 20 } as const

/** Subtitles of what was spoken, in time with it; SRT tells nothing of fonts, so lines are measured by kinds of letters. */
export function makeSubtitles(
  { placed, seconds }: Pick<Made, 'placed' | 'seconds'>,
  { canvas, strip }: Wish,
): string {
  const said = placed.map(({ text, start, end }) => ({
    text,
    start: Math.round(start * 1000),
    end: Math.round(end * 1000),
  }))
  const entries = entriesFromSpeech(said, { lines, strip, width: widthFor(canvas), measure: plainWidth })
  // A short entry may stay a little longer, but not beyond the sound.
  return srtFile(entries.map((entry) => ({ ...entry, end: Math.min(entry.end, Math.round(seconds * 1000)) })))
}

/** Letters of a line for a picture, between the two by its shape. */
function widthFor([width = 9, height = 16]: readonly number[]): number {
  const share = 0.5 + Math.log(width / height) / (2 * Math.log(16 / 9))
  return Math.max(room.tall / 2, Math.min(1.5 * room.wide, room.tall + share * (room.wide - room.tall)))
}
