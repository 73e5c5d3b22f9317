import { withoutControls } from './control-characters.ts'
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
  /** Removes control and bidirectional characters; the source then contains the remaining text. Default: false. */
  readonly dropControls?: boolean
}

/** Decodes and parses a subtitle file. */
export function readSubtitles(
  bytes: Uint8Array,
  { format, language, most = Number.POSITIVE_INFINITY, dropControls = false }: ReadSubtitlesOptions,
): Subtitles {
  const decoded = readSource(bytes, language)
  const source = dropControls ? withoutControls(decoded) : decoded
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
