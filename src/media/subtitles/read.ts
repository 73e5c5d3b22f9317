import { readSource } from './encoding.ts'
import { readAss } from './read-ass.ts'
import { readBlocks } from './read-blocks.ts'
import type { StopReading, SubtitleFormat, Subtitles } from './subtitles.ts'
import { translatableText } from './tokens.ts'

interface ReadSubtitlesOptions {
  readonly format: SubtitleFormat
  /** Language of the file, which decides between similar encodings. */
  readonly language?: string
  /** Stops after this many entries with text; unlimited by default. */
  readonly most?: number
}

/** Decodes and parses a subtitle file. */
export function readSubtitles(
  bytes: Uint8Array,
  { format, language, most = Number.POSITIVE_INFINITY }: ReadSubtitlesOptions,
): Subtitles {
  const source = readSource(bytes, language)
  let worded = 0
  const stop: StopReading = ({ kind, text }) => {
    if (most === Number.POSITIVE_INFINITY) return false
    if (kind === 'dialogue' && text.length < maxCheckedLength && translatableText(text, format) !== '')
      worded += 1
    return worded > most
  }
  return format === 'ass' ? readAss(source, stop) : readBlocks(source, format, stop)
}

/** Longer texts, in characters, are not counted, to avoid parsing them twice. A file has room for few of them. */
const maxCheckedLength = 2000
