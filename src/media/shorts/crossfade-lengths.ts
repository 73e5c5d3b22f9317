import type { Rational } from '../../contract/media-facts.ts'
import { firstEndingAfter } from '../cut/edges.ts'
import { firstIndex } from '../first-index.ts'
import { frameTime } from '../frame-rate.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import type { TimeSpan } from '../speech/speech-types.ts'

/** The sound of a clip: what is kept of the source, and what is said there. */
export interface SeamOptions {
  /** Kept frames of the source in the order of the clip. */
  readonly ranges: readonly FrameSpan[]
  readonly rate: Rational
  /** Times of all words of the source in order and without overlaps, kept or not, seconds. */
  readonly words: readonly TimeSpan[]
  /** Voices found in the level curve of the source, in order and apart, seconds (`speechMap`). */
  readonly voices: readonly TimeSpan[]
  /** End of the sound of the source, seconds. */
  readonly seconds: number
  /** Speed of the clip; crossfades are measured in its time. */
  readonly speed: number
  /** Longest crossfade, ms. */
  readonly crossfadeMs: number
}

/** Inexactness of word times and of the edges of voices, seconds. */
const wordMargin = 0.03
const voiceMargin = 0.01

/** Shorter crossfades are none: the usual fade at a cut is as long. Ms. */
const minCrossfadeMs = 6

/**
 * Returns the length of the crossfade at each cut between two ranges, ms of the clip; 0 for a plain cut. Half of it is
 * before and half after the cut; sound outside of a range is borrowed from the source. It is shorter than
 * `crossfadeMs` where the borrowed sound would contain a word that was cut or is said again after the cut, where the
 * source ends, and where a range is short. Ranges that continue each other have no cut.
 */
export function seamLengths(options: SeamOptions): number[] {
  const { ranges, crossfadeMs, speed } = options
  return ranges.slice(1).map((next, index) => {
    const range = ranges[index]
    if (!range || range.end === next.first) return 0
    const half = Math.min(
      (crossfadeMs / 2000) * speed,
      silenceAfter(frameTime(range.end, options.rate), options),
      silenceBefore(frameTime(next.first, options.rate), options),
      halfLength(range, options.rate),
      halfLength(next, options.rate),
    )
    const milliseconds = Math.floor((2000 * half) / speed + 1e-6)
    return milliseconds < minCrossfadeMs ? 0 : milliseconds
  })
}

/** Half of a range, seconds: crossfades at both of its ends do not overlap. */
function halfLength({ first, end }: FrameSpan, rate: Rational): number {
  return frameTime(end - first, rate) / 2
}

/** Time after a cut at the end of a range in which nothing is said that was cut, seconds. */
function silenceAfter(cut: number, { words, voices, seconds }: SeamOptions): number {
  const word = words[firstWordAfter(cut, words)]
  const voice = voices[firstIndex(voices, ({ start }) => start >= cut)]
  const around = voiceAround(cut, voices)
  if (around && word && word.start < around.end) return 0
  return Math.max(
    0,
    Math.min(
      seconds - cut,
      word ? word.start - wordMargin - cut : Infinity,
      voice ? voice.start - voiceMargin - cut : Infinity,
    ),
  )
}

/** Time before a cut at the start of a range in which nothing is said that was cut, seconds. */
function silenceBefore(cut: number, { words, voices }: SeamOptions): number {
  const word = words[firstWordAfter(cut, words) - 1]
  const voice = voices[firstEndingAfter(voices, cut) - 1]
  const around = voiceAround(cut, voices)
  if (around && word && word.end > around.start) return 0
  return Math.max(
    0,
    Math.min(
      cut,
      word ? cut - word.end - wordMargin : Infinity,
      voice ? cut - voice.end - voiceMargin : Infinity,
    ),
  )
}

/** Index of the first word whose middle is not before a cut. */
function firstWordAfter(cut: number, words: readonly TimeSpan[]): number {
  return firstIndex(words, ({ start, end }) => (start + end) / 2 >= cut)
}

/** The voice that a cut divides. */
function voiceAround(cut: number, voices: readonly TimeSpan[]): TimeSpan | undefined {
  const voice = voices[firstEndingAfter(voices, cut)]
  return voice && voice.start < cut ? voice : undefined
}
