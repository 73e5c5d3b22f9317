import { defaultVoiceActivityRule, type VoiceActivityRule } from './speech-spans.ts'
import type { TimeSpan, SpeakerTurn } from './speech-types.ts'

/** Speech and speakers of a recording. */
export interface SpeechActivity {
  /** Spans of speech, in order. */
  readonly speech: readonly TimeSpan[]
  /** Speaker turns, sorted by start; they overlap where two people speak at once. */
  readonly turns: readonly SpeakerTurn[]
}

/** Bounds of a reference (contract 3, 4.4), seconds. */
export const referenceBounds = { shortest: 3, longest: 10, silence: 0.6 } as const

/** The speech of one speaker: the parts of spans in which nobody else speaks, and that this speaker says. */
export function speechOfSpeaker({ speech, turns }: SpeechActivity, speaker: number): SpeechActivity {
  const others = turns.filter((turn) => turn.speaker !== speaker)
  const own = turns.filter((turn) => turn.speaker === speaker)
  const alone = speech.flatMap((span) =>
    others
      .filter((turn) => spansOverlap(turn, span))
      .reduce<TimeSpan[]>((parts, turn) => parts.flatMap((part) => withoutSpan(part, turn)), [span]),
  )
  return { speech: alone.filter((part) => own.some((turn) => spansOverlap(turn, part))), turns }
}

/** The parts of a span before and after another one. */
function withoutSpan({ start, end }: TimeSpan, other: TimeSpan): TimeSpan[] {
  return [
    { start, end: Math.min(end, other.start) },
    { start: Math.max(start, other.end), end },
  ].filter((part) => part.end > part.start)
}

/** Spans without padding, which would lengthen speech and shorten silence. */
export const referenceRule: VoiceActivityRule = { ...defaultVoiceActivityRule, padding: 0 }

/** Padding around a reference, unless somebody else speaks there, seconds. */
export const referencePadding = defaultVoiceActivityRule.padding

/** Preferred length of a reference, seconds. */
const idealSeconds = 7

/** Continuous speech with short pauses. */
interface SpeechStretch extends TimeSpan {
  /** Its spans of speech. */
  readonly parts: readonly TimeSpan[]
}

/** Candidate spans, best first; or the rule that the recording does not meet. */
export type ReferenceCandidates = { readonly spans: readonly TimeSpan[] } | { readonly unmetRule: string }

/**
 * Finds spans from which a voice can be cloned: 3 to 10 s of speech of one person, without silence longer than 0.6 s,
 * starting and ending in a pause if possible. Speech recognition checks them afterwards.
 */
export function findReferenceSpans({ speech, turns }: SpeechActivity): ReferenceCandidates {
  if (speech.length === 0) return { unmetRule: 'it contains no speech' }
  const { shortest, silence } = referenceBounds
  const continuous = continuousStretches(speech)
  const longest = Math.max(...continuous.map(spanSeconds))
  if (longest < shortest) {
    return {
      unmetRule: `it has no ${shortest} s of speech without a silence longer than ${silence} s: the longest is ${formatTooShort(longest)} s`,
    }
  }
  const alone = continuous.flatMap((stretch) => singleSpeakerParts(stretch, turns))
  const longestAlone = Math.max(0, ...alone.map(spanSeconds))
  if (longestAlone < shortest) {
    return {
      unmetRule: `it has no ${shortest} s of continuous speech of one person alone: the longest is ${formatTooShort(longestAlone)} s`,
    }
  }
  const spans = alone.flatMap(candidateSpans).map((span) => addPadding(span, { speech, turns }))
  return {
    spans: spans.toSorted(
      (one, other) => lengthPenalty(one) - lengthPenalty(other) || one.start - other.start,
    ),
  }
}

/** Formats a duration that is too short; never rounded up to the minimum. */
const formatTooShort = (seconds: number): string =>
  Math.min(seconds, referenceBounds.shortest - 0.1).toFixed(1)

const spanSeconds = ({ start, end }: TimeSpan): number => end - start

const lengthPenalty = (span: TimeSpan): number => Math.abs(spanSeconds(span) - idealSeconds)

/** Groups spans of speech whose pauses are at most the permitted silence. */
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

/** Parts of a stretch with a single speaker. */
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
    // A part without a turn may be a breath: it belongs to the previous speaker.
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

/** Clips a stretch to a span. */
function clipStretch({ parts }: SpeechStretch, span: TimeSpan): SpeechStretch[] {
  const inside = parts
    .filter((part) => spansOverlap(part, span))
    .map(({ start, end }) => ({ start: Math.max(start, span.start), end: Math.min(end, span.end) }))
  const [first, last] = [inside[0], inside.at(-1)]
  return first && last ? [{ start: first.start, end: last.end, parts: inside }] : []
}

/** Candidate spans of a stretch: from pause to pause, or cut to the maximum length if it has no pauses. */
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

/** Adds padding at each side, except where speech was cut or somebody else speaks. */
function addPadding(span: TimeSpan, { speech, turns }: SpeechActivity): TimeSpan {
  const before = { start: Math.max(0, span.start - referencePadding), end: span.end }
  const isBegin = speech.some(({ start }) => start === span.start) && speakersIn(turns, before).size <= 1
  const { start } = isBegin ? before : span
  const after = { start, end: span.end + referencePadding }
  const isEnd = speech.some(({ end }) => end === span.end) && speakersIn(turns, after).size <= 1
  return isEnd ? after : { start, end: span.end }
}
