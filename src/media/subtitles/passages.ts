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

/** Maximum pause between entries of a sentence, and maximum duration of a passage of several, in milliseconds. */
const sentenceLimits = { pause: 300, length: 7000 }

/** Width of two lines of subtitles in ems, for a canvas that is not known. */
const usualWidth = 44

/**
 * Joins entries that punctuation, pauses and length show to be one sentence: only the last one ends a sentence, and each
 * but the first continues the one before it. The passage lasts at most 7 s and fits an entry, by default two lines of usual
 * width. Entries of longer sentences, and those without end punctuation, stay unchanged.
 */
export function sentencePassages(
  subtitles: Subtitles,
  fits: (text: string) => boolean = (text) => estimateWidth(text) <= usualWidth,
): Passage[] {
  const { format } = subtitles
  const runs: [Passage, ...Passage[]][] = []
  for (const entry of textEntries(subtitles)) {
    const passage = entryPassage(entry, format)
    const next = isJoinable(entry, format) ? { ...passage, isFixed: false } : passage
    const run = runs.at(-1)
    const last = run?.at(-1)
    if (run && last && continuesSentence(last, next, format)) run.push(next)
    else runs.push([next])
  }
  return runs.flatMap((run) => joinSentence(run, fits) ?? run)
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

/** A capital letter at the start of a text, except the English "I". */
const newSentence = /^[\p{P}\s]*\p{Lu}(?<!\bI(?=[\s'’]|$))/u
const clauseEnded = /[,،、，;；:：—–-][”’」』）)》"'»\s]*$/u

/**
 * Whether an entry continues the sentence of the one before it: after a short pause, in the same style, layer and tags,
 * without a dash of another speaker, and without a capital letter after words that end no clause.
 */
function continuesSentence(before: Passage, next: Passage, format: SubtitleFormat): boolean {
  if (before.isFixed || next.isFixed || sentenceEnded.test(before.text) || dash.test(next.text)) return false
  if (newSentence.test(next.text) && !clauseEnded.test(before.text)) return false
  const [last, entry] = [before.entries[0], next.entries[0]]
  return (
    Math.abs(entry.start - last.end) <= sentenceLimits.pause &&
    entry.start >= last.start &&
    entry.style === last.style &&
    entry.layer === last.layer &&
    entryTags(entry, format) === entryTags(last, format)
  )
}

/** Returns the passage of a whole sentence; undefined if the run is not one, or is too long. */
function joinSentence(
  run: readonly [Passage, ...Passage[]],
  fits: (text: string) => boolean,
): Passage | undefined {
  const [first, ...others] = run
  const last = others.at(-1)
  if (!last || !sentenceEnded.test(last.text)) return undefined
  const length = last.entries[0].end - first.entries[0].start
  const text = unwrapText(run.map((passage) => passage.text).join('\n'))
  if (length > sentenceLimits.length || !fits(text)) return undefined
  return { entries: [first.entries[0], ...others.map(({ entries }) => entries[0])], text, isFixed: false }
}

const entryTags = ({ text }: SubtitleEntry, format: SubtitleFormat) =>
  tokenize(text, format)
    .map(({ kind, raw }) => (kind === 'tags' ? raw : ' '))
    .join('')
    .trim()
