import { readSource } from './encoding.ts'
import { readAss } from './read-ass.ts'
import { readBlocks } from './read-blocks.ts'
import type { Enough, Format, Subtitles } from './subtitles.ts'
import { readText } from './tokens.ts'

interface Reading {
  readonly format: Format
  /** What it is said to be in, which settles an encoding that is in doubt. */
  readonly language?: string
  /** Entries with words after which the rest is not read; left out, all of it is. */
  readonly most?: number
}

/** Reads a subtitle file. */
export function readSubtitles(
  bytes: Uint8Array,
  { format, language, most = Number.POSITIVE_INFINITY }: Reading,
): Subtitles {
  const source = readSource(bytes, language)
  let worded = 0
  const enough: Enough = ({ kind, text }) => {
    if (most === Number.POSITIVE_INFINITY) return false
    if (kind === 'dialogue' && text.length < longest && readText(text, format) !== '') worded += 1
    return worded > most
  }
  return format === 'ass' ? readAss(source, enough) : readBlocks(source, format, enough)
}

/** What is longer is not looked into twice, characters: a file has little room for such. */
const longest = 2000
