import { MediaError } from '../../src/contract/errors.ts'
import {
  countCharacters,
  hasNoText,
  findMalformed,
  monolingualIssue,
  exceededLimit,
  subtitleLimits,
} from '../../src/media/subtitles/check.ts'
import { readSubtitles } from '../../src/media/subtitles/read.ts'
import type { EntryIssue, Subtitles } from '../../src/media/subtitles/subtitles.ts'

const limitTexts = { bytes: '8 MB', entries: '2000 entries', characters: '80,000 characters' } as const

/** A subtitle file to check. */
export interface SubtitleCheck {
  readonly bytes: Uint8Array
  readonly name: string
  readonly format: 'srt' | 'ass'
  readonly language: string
}

/**
 * Returns the number of characters to translate. Throws 6016 for a file that cannot be translated. Takes up to a
 * microsecond per byte in files that consist of tags.
 */
export function countTranslatable({ bytes, name, format, language }: SubtitleCheck): number {
  const options = { format, language, most: subtitleLimits.entries, dropControls: true }
  const subtitles = readSubtitles(bytes, options)
  checkTranslatable(name, subtitles)
  return countCharacters(subtitles)
}

/** Throws 6016 for a file over a limit, and for one that is malformed, empty, bilingual or of several layers. */
function checkTranslatable(name: string, subtitles: Subtitles): void {
  const refuse = (what: string, hint: string) => new MediaError(6016, `file_id: ${name} ${what}`, { hint })
  const over = exceededLimit(subtitles)
  if (over) throw refuse(`has more than ${limitTexts[over.limit]}`, 'Split it into several files.')
  const hollow = emptyAssReason(subtitles)
  if (hollow) throw refuse(`has no text to translate: ${hollow.what}`, hollow.fix)
  const malformed = findMalformed(subtitles)
  if (malformed) {
    const other = otherFormat(subtitles)
    const why = issueTexts[malformed.issue]
    const nothing = `line ${malformed.line} cannot be read${why ? `: ${why}` : ''}`
    throw refuse(
      `is malformed: ${other ? `it is ${other.is}` : nothing}`,
      other?.fix ?? 'Export it again as .srt or .ass.',
    )
  }
  if (hasNoText(subtitles)) throw refuse('has no text to translate', 'Use a file that has entries with text.')
  const issue = monolingualIssue(subtitles)
  if (issue) throw refuse(issue.what, issue.fix)
}

/** Returns why an ASS file has no events to translate, and the fix; undefined for other files. */
function emptyAssReason({
  format,
  entries,
  skipped,
  source: { text },
}: Subtitles): { what: string; fix: string } | undefined {
  if (format !== 'ass' || skipped.length > 0) return undefined
  const has = (section: string) => new RegExp(String.raw`^[ \t]{0,9}\[${section}\]`, 'im').test(text)
  const fix = 'Export it again with its lines, or use a file that has them.'
  if (entries.length > 0) {
    const isComment = entries.every(({ kind }) => kind === 'comment')
    return isComment ? { what: 'all its events are comments', fix } : undefined
  }
  if (has('events')) return { what: 'its [Events] section has no Dialogue line', fix }
  const isAss = has('script info') || has(String.raw`v4\+{0,2} styles`)
  return isAss ? { what: 'it has no [Events] section', fix } : undefined
}

/** Explanations of issues of entries that can be parsed. */
const issueTexts: Partial<Readonly<Record<EntryIssue, string>>> = {
  negative: 'it has times before zero',
  'too-late': 'it has times of 100 hours and more',
  reversed: 'it ends before it begins',
}

/** Returns the actual format of a file with the wrong extension, and the fix. */
function otherFormat({ format, source: { text } }: Subtitles): { is: string; fix: string } | undefined {
  // The first characters after empty lines show the format.
  const begin = text.trimStart().slice(0, 200)
  if (begin.startsWith('WEBVTT')) return { is: 'WebVTT', fix: 'Convert it: ffmpeg -i old.vtt new.srt' }
  if (format === 'srt' && /^\[script info\]/i.test(begin)) return { is: 'ASS', fix: 'Name it .ass.' }
  const isSrt = format === 'ass' && /^\d+\s+[\d:,]+ --> /.test(begin)
  return isSrt ? { is: 'SRT', fix: 'Name it .srt.' } : undefined
}
