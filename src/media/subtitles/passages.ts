import { textEntries } from './check.ts'
import type { SubtitleEntry, SubtitleFormat, Subtitles } from './subtitles.ts'
import { plainText, tokenize } from './tokens.ts'
import { estimateWidth } from './text-width.ts'
import { unwrapText } from './wrap.ts'

/** A unit of translation: one entry, or several that form a sentence. */
export interface Passage {
  /** In order; tags of the first entry apply to all. */
  readonly entries: readonly [SubtitleEntry, ...SubtitleEntry[]]
  /** Plain text on one line, except for lines of several speakers. */
  readonly text: string
  /** Whether it stays one entry with the same times at any length. */
  readonly isFixed: boolean
}

/** Returns each entry with text as a passage that keeps its times. */
export function entryPassages(subtitles: Subtitles): Passage[] {
  return textEntries(subtitles).map((entry) => entryPassage(entry, subtitles.format))
}

/** Maximum pause within a sentence and maximum length of a passage, in milliseconds; maximum width in ems. */
const sentenceLimits = { pause: 800, length: 14_000, width: 80 }

/**
 * Joins entries to sentences. An entry that does not end a sentence continues in the next one if the pause is short and
 * style, layer and tags are equal. A line that starts with a dash belongs to another speaker. Entries with tags between
 * words or a position of their own are not joined.
 */
export function sentencePassages(subtitles: Subtitles): Passage[] {
  const { format } = subtitles
  const passages: Passage[] = []
  for (const entry of textEntries(subtitles)) {
    const last = passages.at(-1)
    const next = isJoinable(entry, format)
      ? { ...entryPassage(entry, format), isFixed: false }
      : entryPassage(entry, format)
    const joined = last && !last.isFixed && !next.isFixed ? joinPassages(last, next, format) : undefined
    if (joined) passages[passages.length - 1] = joined
    else passages.push(next)
  }
  return passages
}

function entryPassage(entry: SubtitleEntry, format: SubtitleFormat): Passage {
  const text = plainText(entry.text, format)
  return { entries: [entry], text: hasTwoSpeakers(text) ? text : unwrapText(text), isFixed: true }
}

const dash = /^\s*[-–—‐]\s*(?=\S)/

/** Whether an entry has lines of two speakers, which start with dashes. */
export function hasTwoSpeakers(text: string): boolean {
  return text.split('\n').filter((line) => dash.test(line)).length > 1
}

/** Whether all tags of an entry are before or after its words, and none sets its position. */
function isJoinable({ text }: SubtitleEntry, format: SubtitleFormat): boolean {
  if (hasTwoSpeakers(plainText(text, format))) return false
  const tokens = tokenize(text, format)
  const isTag = ({ kind }: { kind: string }) => kind === 'tags' || kind === 'drawing'
  const words = tokens.map((token, at) => (isTag(token) ? -1 : at)).filter((at) => at >= 0)
  const [first = 0, last = 0] = [words[0], words.at(-1)]
  return tokens.every(
    (token, at) =>
      !isTag(token) || ((at < first || at > last) && !placingTag.test(token.raw) && token.kind === 'tags'),
  )
}

const placingTag = /\\(an?\d|pos|move|org|t\(|k)/i

const sentenceEnded = /[.!?。！？…｡．][”’」』）)》"'»♪\s]*$/u

function joinPassages(before: Passage, next: Passage, format: SubtitleFormat): Passage | undefined {
  const [first] = before.entries
  const [entry] = next.entries
  const last = before.entries.at(-1) ?? first
  const pause = entry.start - last.end
  const continues =
    pause <= sentenceLimits.pause &&
    pause > -sentenceLimits.pause &&
    entry.start >= last.start &&
    !sentenceEnded.test(before.text)
  const isAlike =
    entry.style === first.style &&
    entry.layer === first.layer &&
    entryTags(entry, format) === entryTags(first, format) &&
    !dash.test(next.text)
  if (!continues || !isAlike || entry.end - first.start > sentenceLimits.length) return undefined
  const text = unwrapText(`${before.text}\n${next.text}`)
  if (estimateWidth(text) > sentenceLimits.width) return undefined
  return { entries: [...before.entries, entry], text, isFixed: false }
}

const entryTags = ({ text }: SubtitleEntry, format: SubtitleFormat) =>
  tokenize(text, format)
    .map(({ kind, raw }) => (kind === 'tags' ? raw : ' '))
    .join('')
    .trim()
