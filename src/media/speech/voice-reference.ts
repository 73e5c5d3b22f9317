import { defaultVoiceActivityRule, type VoiceActivityRule } from './speech-spans.ts'
import type { TimeSpan, SpeakerTurn } from './speech-types.ts'

/** What is known of a recording from which a voice is to be copied. */
export interface SpeechActivity {
  /** Where somebody speaks, in order. */
  readonly speech: readonly TimeSpan[]
  /** Who speaks where, in order of their starts; turns overlap where two speak at once. */
  readonly turns: readonly SpeakerTurn[]
}

/** Bounds of a reference (contract 3, 4.4), seconds. */
export const referenceBounds = { shortest: 3, longest: 10, silence: 0.6 } as const

/** A reference is judged by speech alone: room around it would make speech longer and silence shorter. */
export const referenceRule: VoiceActivityRule = { ...defaultVoiceActivityRule, padding: 0 }

/** What is read before and after speech, as far as nobody else speaks there, seconds. */
export const referencePadding = defaultVoiceActivityRule.padding

/** Of references as good otherwise, the one nearest to this is taken: long enough to show a voice, seconds. */
const idealSeconds = 7

/** A stretch of one person's speech, with the pauses in it. */
interface SpeechStretch extends TimeSpan {
  /** Its speech: words do not go over the gaps between. */
  readonly parts: readonly TimeSpan[]
}

/** What was found for a reference: spans to try, the best first; where there are none, the rule that is not met. */
export type ReferenceCandidates = { readonly spans: readonly TimeSpan[] } | { readonly unmet: string }

/**
 * Picks what a voice may be copied from: one person's speech of 3 to 10 s without a silence longer than 0.6 s inside,
 * beginning and ending where nobody speaks if that can be. Whether what is said in it is understood is seen afterwards.
 */
export function findReferenceSpans({ speech, turns }: SpeechActivity): ReferenceCandidates {
  if (speech.length === 0) return { unmet: 'no speech was found in it' }
  const { shortest, silence } = referenceBounds
  const continuous = continuousStretches(speech)
  const longest = Math.max(...continuous.map(spanSeconds))
  if (longest < shortest) {
    return {
      unmet: `it has no ${shortest} s of speech without a silence longer than ${silence} s: the longest lasts ${formatTooShort(longest)} s`,
    }
  }
  const alone = continuous.flatMap((stretch) => singleSpeakerParts(stretch, turns))
  const longestAlone = Math.max(0, ...alone.map(spanSeconds))
  if (longestAlone < shortest) {
    return {
      unmet: `it has no ${shortest} s of continuous speech of one person alone: the longest lasts ${formatTooShort(longestAlone)} s`,
    }
  }
  const spans = alone.flatMap(candidateSpans).map((span) => padSpan(span, { speech, turns }))
  return {
    spans: spans.toSorted(
      (one, other) => lengthPenalty(one) - lengthPenalty(other) || one.start - other.start,
    ),
  }
}

/** Seconds of what is too short, never rounded up to what would do. */
const formatTooShort = (seconds: number): string =>
  Math.min(seconds, referenceBounds.shortest - 0.1).toFixed(1)

const spanSeconds = ({ start, end }: TimeSpan): number => end - start

const lengthPenalty = (span: TimeSpan): number => Math.abs(spanSeconds(span) - idealSeconds)

/** Speech whose pauses are no longer than a silence may be. */
function continuousStretches(speech: readonly TimeSpan[]): SpeechStretch[] {
  const found: { start: number; end: number; parts: TimeSpan[] }[] = []
  for (const part of speech) {
    const last = found.at(-1)
    if (last && part.start - last.end <= referenceBounds.silence) {
      last.parts.push(part)
      last.end = Math.max(last.end, part.end)
    } else found.push({ ...part, parts: [part] })
  }
  return found
}

/** The parts of a stretch in which nobody but one speaks. */
function singleSpeakerParts(stretch: SpeechStretch, turns: SpeechActivity['turns']): SpeechStretch[] {
  const edges = new Set([stretch.start, stretch.end])
  for (const { start, end } of turns) {
    for (const edge of [start, end]) if (edge > stretch.start && edge < stretch.end) edges.add(edge)
  }
  const sorted = [...edges].toSorted((one, other) => one - other)
  const pieces: (TimeSpan & { readonly speaker: number })[] = []
  for (const [index, start] of sorted.slice(0, -1).entries()) {
    const end = sorted[index + 1] ?? start
    const speakers = speakersIn(turns, { start, end })
    if (speakers.size > 1) continue
    const last = pieces.at(-1)
    // Where no turn was found somebody may breathe: it belongs to who spoke before.
    const [speaker = last?.end === start ? last.speaker : -1] = speakers
    if (last?.end === start && (last.speaker === speaker || last.speaker === -1)) {
      pieces[pieces.length - 1] = { start: last.start, end, speaker }
    } else pieces.push({ start, end, speaker })
  }
  return pieces.flatMap(({ start, end }) => clipStretch(stretch, { start, end }))
}

function speakersIn(turns: SpeechActivity['turns'], span: TimeSpan): Set<number> {
  return new Set(turns.flatMap((turn) => (spansOverlap(turn, span) ? turn.speaker : [])))
}

const spansOverlap = (one: TimeSpan, other: TimeSpan): boolean =>
  one.start < other.end && other.start < one.end

/** What of a stretch lies in a span, from its first word to its last. */
function clipStretch({ parts }: SpeechStretch, span: TimeSpan): SpeechStretch[] {
  const inside = parts
    .filter((part) => spansOverlap(part, span))
    .map(({ start, end }) => ({ start: Math.max(start, span.start), end: Math.min(end, span.end) }))
  const [first, last] = [inside[0], inside.at(-1)]
  return first && last ? [{ start: first.start, end: last.end, parts: inside }] : []
}

/** The spans of a stretch that may be a reference, with room to read around them; from pause to pause, or cut where it has none. */
function candidateSpans({ parts }: SpeechStretch): TimeSpan[] {
  const { shortest } = referenceBounds
  const longest = referenceBounds.longest - 2 * referencePadding
  const found: TimeSpan[] = []
  for (const [index, first] of parts.entries()) {
    for (const last of parts.slice(index)) {
      const span = { start: first.start, end: last.end }
      if (spanSeconds(span) > longest) break
      if (spanSeconds(span) >= shortest) found.push(span)
    }
  }
  if (found.length > 0) return found
  return parts
    .filter((part) => spanSeconds(part) > longest)
    .map(({ start }) => ({ start, end: start + longest }))
}

/** A span with what is read around it: nothing where it is cut out of speech, or somebody else begins or ends. */
function padSpan(span: TimeSpan, { speech, turns }: SpeechActivity): TimeSpan {
  const before = { start: Math.max(0, span.start - referencePadding), end: span.end }
  const isBegin = speech.some(({ start }) => start === span.start) && speakersIn(turns, before).size <= 1
  const { start } = isBegin ? before : span
  const after = { start, end: span.end + referencePadding }
  const isEnd = speech.some(({ end }) => end === span.end) && speakersIn(turns, after).size <= 1
  return isEnd ? after : { start, end: span.end }
}
