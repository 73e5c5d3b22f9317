import { MediaError } from '../../contract/errors.ts'
import type { Stt } from '../../contract/stt.ts'
import { monolingualIssue } from '../subtitles/check.ts'
import { entryPassages } from '../subtitles/passages.ts'
import type { Subtitles } from '../subtitles/subtitles.ts'
import { endsSentence, hasWords } from './sentences.ts'
import type { RecognitionResult, TimedWord, TimeSpan } from './speech-types.ts'
import { distributeTime, isSpaceless } from './words.ts'

/** A sentence of a transcript. */
export interface TranscriptSentence extends TimeSpan {
  readonly text: string
  readonly speaker?: string
  /** Indexes of its first and last word. */
  readonly first: number
  readonly last: number
}

/** What is said in a recording. */
export interface Transcript {
  /** In order, without overlaps; Chinese and Japanese characters are words. */
  readonly words: readonly TimedWord[]
  /** Whether all word times are measured; otherwise some are distributed by the lengths of words. */
  readonly timed: boolean
  /** Their ranges of words partition the words, unless a given transcript has no sentences at all. */
  readonly sentences: readonly TranscriptSentence[]
  /** Indexes of the words with which a line of the subtitles ends, ascending; absent for other transcripts. */
  readonly lineEnds?: readonly number[]
}

/** Pause that ends a sentence without punctuation, and longest sentence, seconds. */
const sentenceLimits = { pause: 0.6, length: 30 }

/** Share of subtitle entries that end sentences from which a file counts as punctuated. */
const punctuatedShare = 0.2

/** Builds a transcript from recognised pieces of a recording, in order, whose times are relative to the recording. */
export function transcriptFromRecognition(pieces: readonly RecognitionResult[]): Transcript {
  const words = pieces.flatMap(({ words: spoken, text }) => punctuateWords(spoken, text))
  const timed = pieces.every((piece) => piece.timed || piece.words.length === 0)
  return transcriptFromWords(words, timed)
}

/** Builds a transcript from words in order. `timed`: whether all their times are measured. */
export function transcriptFromWords(spoken: readonly TimedWord[], timed: boolean): Transcript {
  const words = withoutOverlaps(spoken)
  return { words, timed, sentences: joinSentences(words, { ends: words.map((_, index) => index) }) }
}

/**
 * Builds a transcript from the transcript of a request. `seconds`: duration of the recording. Throws 6016 for a sentence
 * without words, and for an entry that starts after the recording.
 */
export function transcriptFromStt(
  { word_tc_list: entries, sentence_tc_list: lines }: Stt,
  seconds: number,
): Transcript {
  for (const [name, list] of Object.entries({ word_tc_list: entries, sentence_tc_list: lines })) {
    const late = list.findIndex(({ start_time }) => start_time > seconds)
    if (late < 0) continue
    throw new MediaError(
      6016,
      `stt.${name}[${late}] starts at ${list[late]?.start_time} s, after the end of the file (${seconds} s)`,
      { hint: 'Use the transcript of this file, with times in seconds.' },
    )
  }
  const spoken = entries.filter(({ text }) => hasWords(text))
  const words = withoutOverlaps(
    spoken.map(({ text, start_time: start, end_time }) => ({
      text,
      start,
      end: Math.min(end_time, seconds),
    })),
  )
  const named = lines.flatMap((line, index) => (hasWords(line.text) ? [{ ...line, index }] : []))
  const counts = countByText(words, named) ?? countByTime(words, named)
  let next = 0
  const sentences = named.map(({ text, speaker, index }, at) => {
    const first = next
    next += counts[at] ?? 0
    if (next > first)
      return { ...sentenceSpan(words, first, next - 1), text, ...(speaker !== undefined && { speaker }) }
    throw new MediaError(6016, `stt.sentence_tc_list[${index}] contains no word of word_tc_list`, {
      hint: 'Add its words, or remove the sentence.',
    })
  })
  return { words, timed: true, sentences }
}

/**
 * Builds a transcript from subtitles; sentences end where an entry ends. Throws 6016 for subtitles without text, in two
 * languages or in several layers.
 */
export function transcriptFromSubtitles(subtitles: Subtitles, field: string): Transcript {
  const refuse = (what: string, hint: string) => new MediaError(6016, `${field}: ${what}`, { hint })
  const issue = monolingualIssue(subtitles)
  if (issue) throw refuse(issue.what, issue.fix)
  const cues = entryPassages(subtitles)
    .map(({ text, entries: [{ start, end }] }) => ({ text, start: start / 1000, end: end / 1000 }))
    .filter(({ text }) => hasWords(text))
    .toSorted((one, other) => one.start - other.start)
  if (cues.length === 0) throw refuse('the file has no text', 'Use a file that has entries with text.')
  const spoken = cues.map((cue) => distributeTime(cue.text, cue))
  const words = withoutOverlaps(spoken.flat())
  const ends: number[] = []
  for (const { length } of spoken) ends.push((ends.at(-1) ?? -1) + length)
  const marked = cues.filter(({ text }) => endsSentence(text)).length
  const isPunctuated = marked >= punctuatedShare * cues.length
  const sentences = isPunctuated
    ? joinSentences(words, { ends })
    : ends.map((last, index) => sentenceOf(words, (ends[index - 1] ?? -1) + 1, last))
  return { words, timed: false, sentences, lineEnds: ends }
}

/** Words in order, each at most until the next one starts. */
function withoutOverlaps(words: readonly TimedWord[]): TimedWord[] {
  let latest = 0
  return words.map(({ text, start, end }, index) => {
    const from = Math.max(start, latest)
    const next = Math.max(words[index + 1]?.start ?? Infinity, from)
    latest = Math.max(from, Math.min(end, next))
    return { text, start: from, end: latest }
  })
}

const letters = (text: string) => text.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '')

/** Takes over the punctuation of a text for its words, which some recognisers report without any. */
export function punctuateWords(words: readonly TimedWord[], text: string): readonly TimedWord[] {
  if (words.some((word) => endsSentence(word.text))) return words
  let at = 0
  const punctuated: TimedWord[] = []
  for (const word of words) {
    const found = text.indexOf(word.text, at)
    if (found < 0 || letters(text.slice(at, found)) !== '') return words
    at = found + word.text.length
    const [marks = ''] = /^[^\p{L}\p{M}\p{N}\s]*/u.exec(text.slice(at, at + 8)) ?? []
    punctuated.push({ ...word, text: word.text + marks })
    at += marks.length
  }
  return punctuated
}

interface JoinSentencesOptions {
  /** Indexes of the words after which a sentence may end, ascending. */
  readonly ends: readonly number[]
}

/** Joins words to sentences: by punctuation; by pauses where there is none; by the longest pauses if they are too long. */
function joinSentences(words: readonly TimedWord[], { ends }: JoinSentencesOptions): TranscriptSentence[] {
  const sentences: TranscriptSentence[] = []
  let [first, open]: [number, number[]] = [0, []]
  for (const end of ends) {
    open.push(end)
    const isMarked = endsSentence(words[end]?.text ?? '')
    if (!isMarked && end < words.length - 1) continue
    const isShort = (words[end]?.end ?? 0) - (words[first]?.start ?? 0) <= sentenceLimits.length
    const lasts = isMarked && isShort ? [end] : splitAtPauses(words, first, open)
    for (const last of lasts) {
      sentences.push(sentenceOf(words, first, last))
      first = last + 1
    }
    open = []
  }
  return sentences
}

/** Splits words without punctuation at all pauses, and then where needed at the longest pause that is far from the ends. */
function splitAtPauses(words: readonly TimedWord[], first: number, ends: readonly number[]): number[] {
  const lasts: number[] = []
  let from = first
  let open: number[] = []
  for (const [index, end] of ends.entries()) {
    open.push(end)
    const pause = (words[end + 1]?.start ?? 0) - (words[end]?.end ?? 0)
    if (index < ends.length - 1 && pause < sentenceLimits.pause) continue
    lasts.push(...splitLong(words, from, open))
    from = end + 1
    open = []
  }
  return lasts
}

/** Splits until no part is too long: each time after the longest pause of the second half of the allowed length. */
function splitLong(words: readonly TimedWord[], first: number, ends: readonly number[]): number[] {
  const lasts: number[] = []
  let [start, index] = [words[first]?.start ?? 0, 0]
  while (index < ends.length) {
    const fits = (end: number) => (words[end]?.end ?? 0) - start <= sentenceLimits.length
    let next = index
    while (next < ends.length && fits(ends[next] ?? 0)) next += 1
    if (next >= ends.length) break
    const isLate = (end: number) => (words[end]?.end ?? 0) - start >= sentenceLimits.length / 2
    const late = ends.slice(index, next).filter(isLate)
    const pauseAfter = (end: number) => (words[end + 1]?.start ?? 0) - (words[end]?.end ?? 0)
    const fallback = ends[Math.max(index, next - 1)] ?? 0
    const last = late.reduce(
      (best, end) => (pauseAfter(end) > pauseAfter(best) ? end : best),
      late.at(-1) ?? fallback,
    )
    lasts.push(last)
    index = ends.indexOf(last, index) + 1
    start = words[last + 1]?.start ?? 0
  }
  const end = ends.at(-1)
  if (end !== undefined && lasts.at(-1) !== end) lasts.push(end)
  return lasts
}

function sentenceSpan(words: readonly TimedWord[], first: number, last: number) {
  return { start: words[first]?.start ?? 0, end: words[last]?.end ?? 0, first, last }
}

function sentenceOf(words: readonly TimedWord[], first: number, last: number): TranscriptSentence {
  const spoken = words.slice(first, last + 1)
  const text = spoken.reduce((joined, { text: word }, index) => {
    const before = spoken[index - 1]?.text
    const isJoined = before === undefined || isSpaceless(before) || isSpaceless(word)
    return joined + (isJoined ? '' : ' ') + word
  }, '')
  return { text, ...sentenceSpan(words, first, last) }
}

type SttSentence = Stt['sentence_tc_list'][number]

/** Number of words of each sentence, if the words joined are the sentences joined. */
function countByText(words: readonly TimedWord[], sentences: readonly SttSentence[]): number[] | undefined {
  let next = 0
  const counts: number[] = []
  for (const { text } of sentences) {
    const wanted = letters(text)
    let length = 0
    let count = 0
    while (length < wanted.length) {
      const word = letters(words[next]?.text ?? '')
      if (word === '' || !wanted.startsWith(word, length)) return undefined
      length += word.length
      next += 1
      count += 1
    }
    counts.push(count)
  }
  return next === words.length ? counts : undefined
}

/** Number of words of each sentence by time: sentences change halfway between the end of one and the start of the next. */
function countByTime(words: readonly TimedWord[], sentences: readonly SttSentence[]): number[] {
  const counts = sentences.map(() => 0)
  let at = 0
  for (const { start, end } of words) {
    const changes = () => {
      const next = sentences[at + 1]
      return next && (start + end) / 2 >= ((sentences[at]?.end_time ?? 0) + next.start_time) / 2
    }
    while (changes()) at += 1
    if (at < counts.length) counts[at] = (counts[at] ?? 0) + 1
  }
  return counts
}
