import type { TimeSpan } from '../speech/speech-types.ts'

/** Motion of the mouth during a span between two frames; see `mouthMotion`. Null where no face is seen. */
export interface MouthSample extends TimeSpan {
  readonly motion: number | null
}

/** Half of the window over which the motion is averaged, seconds: lips rest for up to 0.2 s within speech. */
const halfWindow = 0.17

/** Mean motion from which speech begins, and down to which it lasts. Lips at rest move by about 0.02. */
const thresholds = { begin: 0.06, hold: 0.04 } as const

/** Shorter rests do not end a span, and shorter spans are no speech, seconds. */
const minRest = 0.3
const minSpan = 0.3

/**
 * Least strokes of the lips in speech, and per second. Each syllable opens and closes the lips; a smile or a yawn is a
 * single stroke.
 */
const minStrokes = 2
const minStrokeRate = 1.5

/** Returns the spans in which the mouth moves as in speech, in order and disjoint. `samples`: in order, without gaps. */
export function visualSpeech(samples: readonly MouthSample[]): TimeSpan[] {
  const means = meanMotions(samples)
  const spans: { start: number; end: number; peak: number }[] = []
  for (const [index, { start, end }] of samples.entries()) {
    const mean = means[index]
    if (mean === undefined || mean < thresholds.hold) continue
    const last = spans.at(-1)
    if (last && last.end >= start) [last.end, last.peak] = [end, Math.max(last.peak, mean)]
    else spans.push({ start, end, peak: mean })
  }
  const strokes = strokeTimes(samples)
  const moving = spans.filter(({ peak }) => peak >= thresholds.begin)
  return joinSpans(moving, minRest).filter((span) => {
    const seconds = span.end - span.start
    const count = strokes.filter((time) => time >= span.start && time < span.end).length
    return seconds >= minSpan && count >= Math.max(minStrokes, minStrokeRate * seconds)
  })
}

/** Mean motion around each sample; undefined where no face is seen. */
function meanMotions(samples: readonly MouthSample[]): (number | undefined)[] {
  let [first, end, sum, count] = [0, 0, 0, 0]
  const add = (index: number, sign: 1 | -1): void => {
    const motion = samples[index]?.motion ?? null
    if (motion === null) return
    sum += sign * motion
    count += sign
  }
  return samples.map((sample) => {
    const at = middle(sample)
    for (; end < samples.length && middle(samples[end]) <= at + halfWindow; end += 1) add(end, 1)
    for (; middle(samples[first]) < at - halfWindow; first += 1) add(first, -1)
    return sample.motion === null || count === 0 ? undefined : sum / count
  })
}

function middle(span: TimeSpan | undefined): number {
  return span ? (span.start + span.end) / 2 : Infinity
}

/** Times at which the motion is largest between two smaller ones, seconds. */
function strokeTimes(samples: readonly MouthSample[]): number[] {
  return samples.flatMap((sample, index) => {
    const motion = sample.motion ?? 0
    const isPeak =
      motion >= thresholds.begin &&
      motion > (samples[index - 1]?.motion ?? 0) &&
      motion >= (samples[index + 1]?.motion ?? 0)
    return isPeak ? [middle(sample)] : []
  })
}

/** Joins spans with shorter gaps than `maxGap`, seconds. */
export function joinSpans(spans: readonly TimeSpan[], maxGap: number): TimeSpan[] {
  const joined: TimeSpan[] = []
  for (const { start, end } of spans) {
    const last = joined.at(-1)
    if (last && start - last.end < maxGap)
      joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, end) }
    else joined.push({ start, end })
  }
  return joined
}

/** A span in which a person visibly and audibly speaks, and of which few words were recognised. */
export interface SuspectOmission extends TimeSpan {
  /** Share of the span that recognised words cover, 0 to 1. */
  readonly overlap: number
}

/** What is known of the sound of a recording; spans in order and disjoint, seconds. */
export interface HeardSpeech {
  /** Recognised words. They may touch. */
  readonly words: readonly TimeSpan[]
  /** Voiced sound, by voice activity or `mapSpeech`. */
  readonly voices: readonly TimeSpan[]
}

/** Tolerance of the times of recognised words, seconds. */
export const wordTolerance = 0.15

/** Longest time that a word covers, seconds: recognisers stretch a word over speech that they omit. */
export const longestWord = 1.5

/** Shorter uncovered speech is no omission: a breath, a click, or an inexact time. */
const minOmission = 0.3

/** Uncovered speech with shorter gaps is one omission, with a recognised word in the gap or a short rest, seconds. */
const maxOmissionGap = 0.75

/**
 * Returns the spans of voiced sound with a speaking mouth that recognised words do not cover, in order and disjoint. A word
 * covers its time and 0.15 s around it, at most 1.5 s from its start.
 */
export function compareWithSpeech(
  visual: readonly TimeSpan[],
  { words, voices }: HeardSpeech,
): SuspectOmission[] {
  const covered = joinSpans(words.map(coveredSpan), 0)
  const spoken = intersectSpans(visual, voices)
  const uncovered = subtractSpans(spoken, covered).filter(({ start, end }) => end - start >= minOmission)
  const inside = joinSpans(words.map(limitWord), 0)
  return joinSpans(uncovered, maxOmissionGap).map((span) => ({
    ...span,
    overlap: totalSeconds(intersectSpans([span], inside)) / (span.end - span.start),
  }))
}

function limitWord({ start, end }: TimeSpan): TimeSpan {
  return { start, end: Math.min(end, start + longestWord) }
}

function coveredSpan(word: TimeSpan): TimeSpan {
  const { start, end } = limitWord(word)
  return { start: start - wordTolerance, end: end + wordTolerance }
}

function totalSeconds(spans: readonly TimeSpan[]): number {
  return spans.reduce((sum, { start, end }) => sum + end - start, 0)
}

/** Returns what is in both lists. */
function intersectSpans(one: readonly TimeSpan[], other: readonly TimeSpan[]): TimeSpan[] {
  const both: TimeSpan[] = []
  let first = 0
  for (const span of one) {
    while ((other[first]?.end ?? Infinity) <= span.start) first += 1
    for (let at = first; (other[at]?.start ?? Infinity) < span.end; at += 1) {
      const start = Math.max(span.start, other[at]?.start ?? 0)
      const end = Math.min(span.end, other[at]?.end ?? 0)
      if (start < end) both.push({ start, end })
    }
  }
  return both
}

/** Returns what is in the first list and not in the second. */
function subtractSpans(spans: readonly TimeSpan[], removed: readonly TimeSpan[]): TimeSpan[] {
  const edges = [-Infinity, ...removed.flatMap(({ start, end }) => [start, end]), Infinity]
  const rest = Array.from({ length: edges.length / 2 }, (_, index) => ({
    start: edges[2 * index] ?? 0,
    end: edges[2 * index + 1] ?? 0,
  }))
  return intersectSpans(spans, rest)
}
