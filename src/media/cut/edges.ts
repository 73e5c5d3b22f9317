import { firstIndex } from '../first-index.ts'
import type { TimeSpan } from '../speech/speech-types.ts'
import { hopSeconds, type LevelCurve } from './level-track.ts'
import type { SpeechMap } from './speech-map.ts'

/** A recording by its levels and its speech. */
export interface SpeechLevels {
  readonly curve: LevelCurve
  readonly map: SpeechMap
}

/** Hops of the window whose level is compared: 30 ms. */
const windowHops = 6

/** How far before a recognised word its voice may start, and after it end, seconds. */
const maxReach = 0.25
/** Part of a voice beyond the border between two words that may still belong to the word, seconds. */
const maxOverhang = 0.2
/** A border within continuous speech moves at most this far to a quieter moment, seconds; dB that a second costs. */
const maxDipDistance = 0.15
const distanceCost = 30

/**
 * Returns the first and the last voiced moment of a word or phrase, seconds. `word` is its recognised time, 50 to
 * 150 ms inexact; `limits` are the recognised end of the previous word and start of the next one. Between pauses the
 * result depends on the sound only: whole voices belong to one side of the border, halfway between the words. Within
 * continuous speech the border is moved to the quietest moment within 150 ms. Returns null without a voice there.
 */
export function voicedExtent(
  { curve, map }: SpeechLevels,
  word: TimeSpan,
  limits: TimeSpan,
): TimeSpan | null {
  const from = Math.max((limits.start + word.start) / 2, word.start - maxReach)
  const to = Math.min((limits.end + word.end) / 2, word.end + maxReach)
  const found = map.voices
    .slice(firstEndingAfter(map.voices, from), firstEndingAfter(map.voices, to) + 1)
    .filter(({ start }) => start < to)
  const [head, tail] = [
    found.find((voice) => !isBeyond(voice.end - from, from - voice.start)),
    found.findLast((voice) => !isBeyond(to - voice.start, voice.end - to)),
  ]
  if (!head || !tail || head.start > tail.start) return null
  const start = from - head.start <= maxOverhang ? head.start : dip(curve, from, head)
  const end = tail.end - to <= maxOverhang ? tail.end : dip(curve, to, tail)
  return end > start ? { start, end } : null
}

/** Whether a voice belongs to the neighbour: little of it is inside the border, and more outside. */
function isBeyond(inside: number, outside: number): boolean {
  return inside <= maxOverhang && outside > inside
}

/** Returns the index of the first span that ends after a time, or the number of spans. They are in order and disjoint. */
export function firstEndingAfter(spans: readonly TimeSpan[], seconds: number): number {
  return firstIndex(spans, ({ end }) => end > seconds)
}

/** Quietest moment near a border within a voice, seconds. */
function dip(curve: LevelCurve, border: number, voice: TimeSpan): number {
  const from = Math.max(voice.start, border - maxDipDistance)
  const to = Math.min(voice.end, border + maxDipDistance)
  return cheapestMoment({ from, to }, (time) => levelAt(curve, time) + distanceCost * Math.abs(time - border))
}

/** Mean level of the 30 ms around a time, dBFS, -127.5 to 0; the time is rounded to 5 ms. */
export function levelAt(curve: LevelCurve, seconds: number): number {
  const first = Math.round(seconds / hopSeconds) - windowHops / 2
  let power = 0
  for (let hop = first; hop < first + windowHops; hop += 1) power += 10 ** (curve.level(hop) / 10)
  return 10 * Math.log10(power / windowHops)
}

/** Tolerance for binary rounding of times, seconds. */
const tolerance = 1e-6

/** Time in steps of hops between two times with the lowest cost, the first of equal ones, seconds. */
function cheapestMoment(
  { from, to }: { readonly from: number; readonly to: number },
  cost: (seconds: number) => number,
): number {
  let [best, lowest] = [(from + to) / 2, Number.POSITIVE_INFINITY]
  for (
    let hop = Math.ceil(from / hopSeconds - tolerance);
    hop <= Math.floor(to / hopSeconds + tolerance);
    hop += 1
  ) {
    const price = cost(hop * hopSeconds)
    if (price < lowest) [best, lowest] = [hop * hopSeconds, price]
  }
  return best
}
