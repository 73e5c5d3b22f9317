import type { RecognisedSegment, TimedWord, TimeSpan } from '../speech/speech-types.ts'
import { punctuateWords } from '../speech/transcript.ts'
import { joinWords, spokenLength } from '../speech/words.ts'
import type { SpeechLevels } from './edges.ts'
import { voiceGroups } from './speech-parts.ts'
import { joinSpans } from './visual-speech.ts'

/** Longest word that is not doubted, seconds. */
const maxWordSeconds = 1.5

/**
 * Share of the speaker's own rate below which a stretch between pauses has too few words, and the least voice of such a
 * stretch, seconds. A repetition that is heard once halves the rate at least.
 */
const minRateShare = 0.5
const minVoice = 0.3

/** Multiple of the speaker's rate above which words are not those of the sound. */
const maxRateFactor = 3

/** Gap between stretches that are one, seconds: binary rounding. */
const touching = 1e-6

/** Overlap of a word with a stretch that may be an error of its times, seconds. */
const timeError = 0.1

/** Share of the speech that is recognised again at most, and seconds that always are. */
const repeatedShare = 0.25
const repeatedSeconds = 30

/** Least words for the rate of a speaker. */
const minWords = 8

/** A stretch of a recording that was recognised again, in parts. */
export interface RepeatedSpan {
  readonly span: TimeSpan
  readonly segments: readonly RecognisedSegment[]
}

/** Returns the rate of a speaker: length of words per second, the median of the words; null for too few words. */
function speakingRate(segments: readonly RecognisedSegment[]): number | null {
  const rates = segments
    .flatMap(({ words }) => words)
    .filter(({ start, end }) => end > start)
    .map(({ text, start, end }) => spokenLength(text) / (end - start))
    .toSorted((one, other) => one - other)
  return rates.length < minWords ? null : (rates[rates.length >> 1] ?? null)
}

/**
 * Returns the stretches of recognised segments that probably contain more speech than was recognised, ascending and
 * disjoint: those with a word over 1.5 s, and those between pauses with less than half of the words that the speaker says
 * in that time. Together they are at most a quarter of the speech or 30 s; those with the most missing words come first. Each reaches
 * from pause to pause.
 */
export function doubtfulSpans(segments: readonly RecognisedSegment[], levels: SpeechLevels): TimeSpan[] {
  const rate = speakingRate(segments)
  const doubts = segments.flatMap(({ span, words }) => {
    const groups = voiceGroups(levels, span)
    return groups.flatMap((group, index) => {
      const missing = missingLength(group, words, rate)
      return missing === null ? [] : [{ span: wholeGroups(groups, index, words), missing }]
    })
  })
  const total = segments.reduce((sum, { span }) => sum + secondsOf(span), 0)
  let left = Math.max(repeatedSeconds, repeatedShare * total)
  const chosen = doubts
    .toSorted((one, other) => other.missing - one.missing)
    .filter(({ span }) => {
      const fits = secondsOf(span) <= left
      if (fits) left -= secondsOf(span)
      return fits
    })
    .map(({ span }) => span)
    .toSorted((one, other) => one.start - other.start)
  return joinSpans(chosen, touching)
}

/** Length of the words that are missing in a stretch of voice, or null if it is not doubtful. */
function missingLength(group: TimeSpan, words: readonly TimedWord[], rate: number | null): number | null {
  const length = words.reduce((sum, word) => {
    const share = word.end > word.start ? overlap(word, group) / secondsOf(word) : 0
    return sum + share * spokenLength(word.text)
  }, 0)
  const missing = secondsOf(group) * (rate ?? 0) - length
  const isLong = words.some((word) => secondsOf(word) > maxWordSeconds && overlap(word, group) > timeError)
  const isSlow =
    rate !== null && secondsOf(group) >= minVoice && length < minRateShare * rate * secondsOf(group)
  return isLong || isSlow ? missing : null
}

/** Extends a stretch to all those that its words reach into. */
function wholeGroups(groups: readonly TimeSpan[], index: number, words: readonly TimedWord[]): TimeSpan {
  let [first, last] = [index, index]
  const group = groups[index]
  for (const word of words) {
    if (!group || overlap(word, group) <= timeError) continue
    for (const [other, { start, end }] of groups.entries()) {
      if (overlap(word, { start, end }) <= timeError) continue
      first = Math.min(first, other)
      last = Math.max(last, other)
    }
  }
  return { start: groups[first]?.start ?? 0, end: groups[last]?.end ?? 0 }
}

/**
 * Replaces the words of stretches by those that were recognised again, where these are more and not faster than anyone
 * speaks. Segments without such a stretch are returned unchanged.
 */
export function replaceDoubtful(
  segments: readonly RecognisedSegment[],
  repeated: readonly RepeatedSpan[],
): RecognisedSegment[] {
  const rate = speakingRate(segments) ?? 0
  return segments.map((segment) =>
    repeated
      .filter(({ span }) => span.start < segment.span.end && span.end > segment.span.start)
      .reduce((result, again) => replaceWords(result, again, rate), segment),
  )
}

function replaceWords(
  segment: RecognisedSegment,
  { span, segments }: RepeatedSpan,
  rate: number,
): RecognisedSegment {
  const words = punctuateWords(segment.words, segment.text)
  const middle = ({ start, end }: TimeSpan) => (start + end) / 2
  const before = words.filter((word) => middle(word) < span.start)
  const after = words.filter((word) => middle(word) > span.end)
  const replaced = words.slice(before.length, words.length - after.length)
  const honest = segments.filter((one) => {
    const length = lengthOf(one.words)
    return length > 0 && length <= maxRateFactor * rate * secondsOf(one.span)
  })
  const found = honest.flatMap((one) => punctuateWords(one.words, one.text))
  if (lengthOf(found) <= lengthOf(replaced)) return segment
  const all = [...before, ...found, ...after]
  return {
    ...segment,
    text: joinWords(all.map(({ text }) => text)),
    words: all,
    timed: segment.timed && honest.every(({ timed }) => timed),
  }
}

function lengthOf(words: readonly TimedWord[]): number {
  return words.reduce((sum, { text }) => sum + spokenLength(text), 0)
}

function secondsOf({ start, end }: TimeSpan): number {
  return end - start
}

function overlap(one: TimeSpan, other: TimeSpan): number {
  return Math.max(0, Math.min(one.end, other.end) - Math.max(one.start, other.start))
}
