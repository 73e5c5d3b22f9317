import { nextPartEnd } from '../speech/divide-words.ts'
import type { TimeSpan } from '../speech/speech-types.ts'
import { punctuateWords, type Transcript, type TranscriptSentence } from '../speech/transcript.ts'
import { joinWords } from '../speech/words.ts'

/** The smallest part of a recording that a clip contains whole: a sentence, or short sentences that belong together. */
export interface ClipUnit extends TimeSpan {
  readonly text: string
  /** Indexes of its first and last word in the transcript. */
  readonly first: number
  readonly last: number
}

/** Sentences below this length join the next one, seconds. */
const shortSentence = 2.5

/** Longest unit of several sentences, seconds. */
const maxJoined = 12

/** Pause that separates units, seconds. */
const unitPause = 0.8

/**
 * Divides a transcript into units. They begin and end with a sentence, and contain all words in order. Only a sentence
 * longer than `maxSeconds`, the longest clip, is divided: after clauses or long pauses, of subtitles where a line ends.
 */
export function clipUnits(transcript: Transcript, maxSeconds = Infinity): ClipUnit[] {
  const groups: TranscriptSentence[][] = []
  for (const sentence of transcript.sentences.flatMap((one) => divideSentence(transcript, one, maxSeconds))) {
    const group = groups.at(-1)
    if (group && belongsTo(group, sentence, maxSeconds)) group.push(sentence)
    else groups.push([sentence])
  }
  return groups.flatMap((group) => {
    const [head, tail] = [group[0], group.at(-1)]
    if (!head || !tail) return []
    const text = joinWords(group.map((sentence) => sentence.text))
    return [{ text, start: head.start, end: tail.end, first: head.first, last: tail.last }]
  })
}

/** Whether a sentence continues a group whose last sentence is short: soon after it, by the same speaker. */
function belongsTo(
  group: readonly TranscriptSentence[],
  next: TranscriptSentence,
  maxSeconds: number,
): boolean {
  const [head, tail] = [group[0], group.at(-1)]
  if (!head || !tail || tail.speaker !== next.speaker) return false
  return (
    tail.end - tail.start < shortSentence &&
    next.start - tail.end < unitPause &&
    next.end - head.start <= Math.min(maxJoined, maxSeconds)
  )
}

/** Divides a sentence until no part is too long, as far as it may be divided. */
function divideSentence(
  transcript: Transcript,
  sentence: TranscriptSentence,
  maxSeconds: number,
): TranscriptSentence[] {
  if (sentence.end - sentence.start <= maxSeconds) return [sentence]
  const words = punctuateWords(transcript.words.slice(sentence.first, sentence.last + 1), sentence.text)
  const lineEnds = transcript.lineEnds && new Set(transcript.lineEnds)
  const mayEnd = (index: number) => lineEnds?.has(sentence.first + index) ?? true
  const parts: TranscriptSentence[] = []
  for (let from = 0; from < words.length;) {
    const to = nextPartEnd(words, from, { maxSeconds, mayEnd })
    const part = words.slice(from, to)
    parts.push({
      ...{ ...sentence, text: joinWords(part.map(({ text }) => text)) },
      ...{ start: part[0]?.start ?? 0, end: part.at(-1)?.end ?? 0 },
      ...{ first: sentence.first + from, last: sentence.first + to - 1 },
    })
    from = to
  }
  return parts
}
