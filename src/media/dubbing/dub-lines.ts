import { nextPartEnd } from '../speech/divide-words.ts'
import { hasWords } from '../speech/sentences.ts'
import type { SpeakerTurn, TimedWord } from '../speech/speech-types.ts'
import { punctuateWords, type Transcript, type TranscriptSentence } from '../speech/transcript.ts'
import { joinWords } from '../speech/words.ts'
import { wordSpeakers } from './word-speakers.ts'

/** A line of speech to dub. */
export interface DubLine {
  readonly index: number
  readonly speaker: number
  readonly text: string
  /** Milliseconds of the source. */
  readonly start: number
  readonly end: number
}

/** Lengths of lines where the words allow it, seconds. */
const lineSeconds = { min: 1.5, max: 12 }

/** Pause that separates lines, and longest pause within a line with a short part, seconds. */
const pauses = { separating: 0.6, withinLine: 1.2 }

/** A speaker's part of a sentence is shorter only because turns are not exact, seconds. */
const minTurnPart = 0.5

/** Successive words of one speaker within a sentence: from `from`, before `to`. */
interface Part {
  readonly from: number
  readonly to: number
  readonly speaker: number
}

/**
 * Divides a transcript into lines: a sentence of one speaker, or a part of one where it is long or has a pause. Lines are in
 * order and disjoint. All words are in a line, except punctuation alone. Without `turns` there is one speaker, 0.
 */
export function dubLines(transcript: Transcript, turns: readonly SpeakerTurn[] | undefined): DubLine[] {
  const speakers = wordSpeakers(transcript.words, turns ?? [])
  return transcript.sentences
    .flatMap((sentence) => sentenceLines(transcript, sentence, speakers))
    .filter(({ text }) => hasWords(text))
    .map((line, index) => ({ index, ...line }))
}

function sentenceLines(
  transcript: Transcript,
  sentence: TranscriptSentence,
  speakers: readonly number[],
): Omit<DubLine, 'index'>[] {
  const { first, last, text } = sentence
  const words = punctuateWords(transcript.words.slice(first, last + 1), text)
  const own = speakerParts(words, speakers.slice(first, last + 1))
  const parts = joinShort(
    own.flatMap((part) => splitAtPauses(words, part)),
    words,
  )
  return parts
    .flatMap((part) => splitLong(words, part))
    .map(({ from, to, speaker }) => ({
      speaker,
      text: to - from === words.length ? text : joinWords(words.slice(from, to).map((word) => word.text)),
      start: Math.round(1000 * (words[from]?.start ?? 0)),
      end: Math.round(1000 * (words[to - 1]?.end ?? 0)),
    }))
}

/** Parts of a sentence by speaker. A very short part belongs to the longer speaker beside it. */
function speakerParts(words: readonly TimedWord[], speakers: readonly number[]): Part[] {
  const parts = runs(speakers)
  const lengths = parts.map((part) => seconds(words, part))
  const settled = parts.map((part, index) => {
    const length = lengths[index] ?? 0
    const [before, after] = [lengths[index - 1] ?? 0, lengths[index + 1] ?? 0]
    if (length >= minTurnPart || Math.max(before, after) <= length) return part
    return { ...part, speaker: parts[before >= after ? index - 1 : index + 1]?.speaker ?? part.speaker }
  })
  return runs(settled.flatMap(({ from, to, speaker }) => Array.from({ length: to - from }, () => speaker)))
}

function runs(speakers: readonly number[]): Part[] {
  const parts: Part[] = []
  for (const [index, speaker] of speakers.entries()) {
    const last = parts.at(-1)
    if (last?.speaker === speaker) parts[parts.length - 1] = { ...last, to: index + 1 }
    else parts.push({ from: index, to: index + 1, speaker })
  }
  return parts
}

function splitAtPauses(words: readonly TimedWord[], { from, to, speaker }: Part): Part[] {
  const parts: Part[] = []
  let first = from
  for (let index = from + 1; index <= to; index += 1) {
    if (index < to && pauseBefore(words, index) <= pauses.separating) continue
    parts.push({ from: first, to: index, speaker })
    first = index
  }
  return parts
}

/** Joins short parts with a neighbour of the same speaker, unless the pause or the line would be long. */
function joinShort(parts: readonly Part[], words: readonly TimedWord[]): Part[] {
  const joined: Part[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    const both = last?.speaker === part.speaker ? { ...last, to: part.to } : undefined
    const isShort = last && Math.min(seconds(words, last), seconds(words, part)) < lineSeconds.min
    const isNear = pauseBefore(words, part.from) <= pauses.withinLine
    if (both && isShort && isNear && seconds(words, both) <= lineSeconds.max) joined[joined.length - 1] = both
    else joined.push(part)
  }
  return joined
}

/** Divides a long part, after clauses or at pauses, into parts of similar lengths. */
function splitLong(words: readonly TimedWord[], { from, to, speaker }: Part): Part[] {
  const parts: Part[] = []
  const own = words.slice(from, to)
  let first = 0
  while (first < own.length) {
    const length = seconds(own, { from: first, to: own.length })
    const even = length / Math.max(1, Math.ceil(length / lineSeconds.max))
    // Parts have at least half of this, so that the rest is long enough too.
    const maxSeconds = Math.min(lineSeconds.max, 1.5 * even)
    const isShort = length <= lineSeconds.max
    const end = isShort ? own.length : nextPartEnd(own, first, { maxSeconds })
    parts.push({ from: from + first, to: from + end, speaker })
    first = end
  }
  return parts
}

function seconds(words: readonly TimedWord[], { from, to }: Omit<Part, 'speaker'>): number {
  return (words[to - 1]?.end ?? 0) - (words[from]?.start ?? 0)
}

function pauseBefore(words: readonly TimedWord[], index: number): number {
  return (words[index]?.start ?? 0) - (words[index - 1]?.end ?? 0)
}
