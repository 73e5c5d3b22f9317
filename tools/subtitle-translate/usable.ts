import { MediaError } from '../../src/contract/errors.ts'
import { bilingualAt, isEmpty, layersAt, malformedAt, overLimit } from '../../src/media/subtitles/check.ts'
import type { Subtitles } from '../../src/media/subtitles/subtitles.ts'

const limits = { bytes: '8 MB', entries: '2000 entries', characters: '80,000 characters' } as const

/** Throws 6016 for a file over a limit, and for one that is malformed, empty, bilingual or of several layers. */
export function checkUsable(name: string, subtitles: Subtitles): void {
  const refuse = (what: string, hint: string) => new MediaError(6016, `file_id: ${name} ${what}`, { hint })
  const over = overLimit(subtitles)
  if (over) throw refuse(`has more than ${limits[over.limit]}`, 'Split it into several files.')
  const { entries, skipped, source } = subtitles
  const isHollow = entries.length + skipped.length === 0 && /^[ \t]{0,9}\[events\]/im.test(source.text)
  const malformed = isHollow ? undefined : malformedAt(subtitles)
  if (malformed) {
    const other = otherFormat(subtitles)
    throw refuse(
      `is malformed: ${other ? `it is ${other.is}` : `nothing can be made of line ${malformed.line}`}`,
      other?.fix ?? 'Export it again as .srt or .ass.',
    )
  }
  if (isEmpty(subtitles)) throw refuse('has no text to translate', 'Give a file with entries that are read.')
  const bilingual = bilingualAt(subtitles)
  if (bilingual) {
    const lines = bilingual.kind === 'stacked' ? [bilingual.entry] : bilingual.entries
    const where = lines.map(({ line }) => `line ${line}`).join(' and ')
    throw refuse(
      `is bilingual: ${where} ${lines.length > 1 ? 'are of one time' : 'has two languages'}`,
      oneLanguage,
    )
  }
  const layers = layersAt(subtitles)
  if (!layers) return
  const [one, other] = layers
  throw refuse(
    `has several layers: lines ${one.line} and ${other.line} are shown at once`,
    'Keep the lines of one layer and style, and translate the others as a file of their own.',
  )
}

/** What to do about a file whose name says another format than it is. */
function otherFormat({ format, source: { text } }: Subtitles): { is: string; fix: string } | undefined {
  if (/^\s*WEBVTT/.test(text)) return { is: 'WebVTT', fix: 'Convert it: ffmpeg -i old.vtt new.srt' }
  if (format === 'srt' && /^\s*\[script info\]/i.test(text)) return { is: 'ASS', fix: 'Name it .ass.' }
  const isSrt = format === 'ass' && /^\s*\d+\s*\n\s*[\d:,]+ --> /.test(text)
  return isSrt ? { is: 'SRT', fix: 'Name it .srt.' } : undefined
}

const oneLanguage = 'Keep the lines of one language.'
