import type { TimedWord, TimeSpan } from '../speech/speech-types.ts'
import { firstEndingAfter, type SpeechLevels, voicedExtent } from './edges.ts'
import type { KeptSegment } from './frames.ts'
import { type BreakClass, breakClass, type MeasuredPause, type Rhythm } from './pauses.ts'
import type { KeptWord } from './takes.ts'

/** Consecutive kept words with nothing to shorten between them. */
interface Phrase {
  /** Indexes of recognised words, both included. */
  readonly first: number
  readonly last: number
  readonly breakAfter: BreakClass | null
  /** Whether the following phrase begins with the next recognised word. */
  readonly continues: boolean
}

export interface SegmentOptions {
  /** Recognised words, with times that are 50 to 150 ms inexact. */
  readonly heard: readonly TimedWord[]
  readonly levels: SpeechLevels
  readonly rhythm: Pick<Rhythm, 'breaks' | 'intraGapMax'>
  /** Duration of the recording, seconds. */
  readonly seconds: number
}

/**
 * Divides kept words into segments at punctuation, at pauses above intraGapMax, and where words between were dropped.
 * The recognised times choose the voices; their edges come from the sound. A sound between two segments that is not
 * speech of a kept word, such as a breath, belongs to neither.
 */
export function speechSegments(kept: readonly KeptWord[], options: SegmentOptions): KeptSegment[] {
  const phrases = splitPhrases(kept, options)
  return phrases.map((phrase, index) => {
    const voiced = phraseExtent(phrase, options)
    const next = phrases[index + 1]
    const available = silenceAround(voiced, options)
    const follows = next && phrase.continues ? phraseExtent(next, options) : undefined
    // 1 ms is far below the resolution of the edges.
    const contiguous = follows !== undefined && available.end >= follows.start - 0.001
    return { voiced, available, breakAfter: phrase.breakAfter, contiguous }
  })
}

/** Returns the speaker's own pauses: the silences between segments with nothing between them. */
export function measuredPauses(segments: readonly KeptSegment[]): MeasuredPause[] {
  return segments.flatMap(({ voiced, breakAfter, contiguous }, index) => {
    const next = segments[index + 1]
    const seconds = next && contiguous ? next.voiced.start - voiced.end : 0
    return seconds > 0 ? [{ class: breakAfter, seconds }] : []
  })
}

function splitPhrases(kept: readonly KeptWord[], options: SegmentOptions): Phrase[] {
  const { breaks, intraGapMax } = options.rhythm
  const phrases: Phrase[] = []
  let first = kept[0]?.word ?? 0
  for (const [index, { word, textAfter }] of kept.entries()) {
    const next = kept[index + 1]
    const continues = next?.word === word + 1
    const mark = breakClass(textAfter, breaks)
    if (continues && mark === null && silenceAfter(word, options) <= intraGapMax) continue
    phrases.push({ first, last: word, breakAfter: next ? mark : null, continues })
    first = next?.word ?? 0
  }
  return phrases
}

/** Longest silence between the middles of a word and the next one, seconds. */
function silenceAfter(word: number, { heard, levels }: SegmentOptions): number {
  const [from, to] = [middle(heard[word]), middle(heard[word + 1])]
  let [longest, end] = [0, from]
  for (const voice of voicesBetween(levels, from, to)) {
    longest = Math.max(longest, Math.min(voice.start, to) - end)
    end = Math.max(end, voice.end)
  }
  return Math.max(longest, to - end)
}

function middle(word: TimedWord | undefined): number {
  return word ? (word.start + word.end) / 2 : 0
}

/** From the first to the last voiced moment; the recognised times where the sound shows no voice. */
function phraseExtent({ first, last }: Phrase, { heard, levels, seconds }: SegmentOptions): TimeSpan {
  const span = { start: heard[first]?.start ?? 0, end: heard[last]?.end ?? 0 }
  const limits = { start: heard[first - 1]?.end ?? 0, end: heard[last + 1]?.start ?? seconds }
  return voicedExtent(levels, span, limits) ?? span
}

/** A voiced span with the silence around it, up to the next sound on both sides. */
function silenceAround({ start, end }: TimeSpan, { levels, seconds }: SegmentOptions): TimeSpan {
  const { voices, breaths } = levels.map
  const before = [voices, breaths].map((sounds) => Math.min(start, endBefore(sounds, start)))
  const after = [voices, breaths].map((sounds) => Math.max(end, startAfter(sounds, end)))
  return { start: Math.max(0, ...before), end: Math.min(seconds, ...after) }
}

/** Tolerance for binary rounding of times, seconds. */
const tolerance = 1e-6

/** End of the last sound that starts before a time; 0 without one. */
function endBefore(sounds: readonly TimeSpan[], seconds: number): number {
  const index = firstEndingAfter(sounds, seconds - tolerance)
  const over = sounds[index]
  return over && over.start < seconds - tolerance ? over.end : (sounds[index - 1]?.end ?? 0)
}

/** Start of the first sound that ends after a time; infinite without one. */
function startAfter(sounds: readonly TimeSpan[], seconds: number): number {
  return sounds[firstEndingAfter(sounds, seconds + tolerance)]?.start ?? Infinity
}

function voicesBetween({ map: { voices } }: SpeechLevels, from: number, to: number): TimeSpan[] {
  const last = firstEndingAfter(voices, to)
  return voices.slice(firstEndingAfter(voices, from), last + 1).filter(({ start }) => start < to)
}
