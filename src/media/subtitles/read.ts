import { readSource } from './encoding.ts'
import { readAss } from './read-ass.ts'
import { readBlocks } from './read-blocks.ts'
import type { StopReading, SubtitleFormat, Subtitles } from './subtitles.ts'
import { translatableText } from './tokens.ts'

interface ReadSubtitlesOptions {
  readonly format: SubtitleFormat
  /** What it is said to be in, which settles an encoding that is in doubt. */
  readonly language?: string
  /** Entries with words after which the rest is not read; left out, all of it is. */
  readonly most?: number
}

/** Reads a subtitle file. */
export function readSubtitles(
  bytes: Uint8Array,
  { format, language, most = Number.POSITIVE_INFINITY }: ReadSubtitlesOptions,
): Subtitles {
  const source = readSource(bytes, language)
  let worded = 0
  const enough: StopReading = ({ kind, text }) => {
    if (most === Number.POSITIVE_INFINITY) return false
    if (kind === 'dialogue' && text.length < maxCheckedLength && translatableText(text, format) !== '')
      worded += 1
    return worded > most
  }
  return format === 'ass' ? readAss(source, enough) : readBlocks(source, format, enough)
}

/** What is longer is not looked into twice, characters: a file has little room for such. */
const maxCheckedLength = 2000
