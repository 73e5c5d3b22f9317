import { lettersPerLine } from '../../src/media/subtitles/line-length.ts'
import { cuesFromSpeech } from '../../src/media/subtitles/split-cues.ts'
import { srtFile } from '../../src/media/subtitles/srt-file.ts'
import { estimateWidth } from '../../src/media/subtitles/text-width.ts'
import type { AssembledSpeech } from '../../src/engines/voice/speech-file.ts'

interface MakeSubtitlesOptions {
  /** Width and height, pixels. */
  readonly canvas: readonly number[]
  readonly strip: boolean
}

/** Lines per entry. */
const maxLines = 2

/** Creates SRT subtitles for assembled speech. SRT has no fonts, so line widths are estimated per kind of letter. */
export function makeSubtitles(
  { placed, seconds }: Pick<AssembledSpeech, 'placed' | 'seconds'>,
  { canvas: [width = 9, height = 16], strip }: MakeSubtitlesOptions,
): string {
  const said = placed.map(({ text, start, end }) => ({
    text,
    start: Math.round(start * 1000),
    end: Math.round(end * 1000),
  }))
  const entries = cuesFromSpeech(said, {
    lines: maxLines,
    strip,
    width: lettersPerLine({ width, height }),
    measure: estimateWidth,
  })
  // Short entries may be extended, but not beyond the sound.
  return srtFile(entries.map((entry) => ({ ...entry, end: Math.min(entry.end, Math.round(seconds * 1000)) })))
}
