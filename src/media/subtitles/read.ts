import { readSource } from './encoding.ts'
import { readAss } from './read-ass.ts'
import { readBlocks } from './read-blocks.ts'
import type { Format, Subtitles } from './subtitles.ts'

/** Reads a subtitle file. The language it is said to be in settles an encoding that is in doubt. */
export function readSubtitles(
  bytes: Uint8Array,
  { format, language }: { readonly format: Format; readonly language?: string },
): Subtitles {
  const source = readSource(bytes, language)
  return format === 'ass' ? readAss(source) : readBlocks(source, format)
}
