import type { Rational } from '../../contract/media-facts.ts'
import { firstEndingAfter, levelAt, type SpeechLevels } from '../cut/edges.ts'
import { type KeptSegment, planCuts } from '../cut/frames.ts'
import { breakClass, type Rhythm, rhythmTable } from '../cut/pauses.ts'
import { rebuildScript } from '../cut/rebuild.ts'
import { speechSegments } from '../cut/segments.ts'
import type { KeptWord } from '../cut/takes.ts'
import { hertz } from '../frame-rate.ts'
import type { FrameSpan } from '../particle/frame-spans.ts'
import type { IndexRange } from '../speech/align.ts'
import type { TimeSpan } from '../speech/speech-types.ts'
import type { Transcript } from '../speech/transcript.ts'
import type { ClipUnit } from './clip-units.ts'

/** A recording that is cut to clips. */
export interface ClipSource {
  readonly transcript: Transcript
  readonly levels: SpeechLevels
  readonly units: readonly ClipUnit[]
  /** Rate of the frames. */
  readonly rate: Rational
  /** Frames of the picture. */
  readonly mediaFrames: number
}

export interface CutClipOptions {
  /** Longest clip, seconds: its tail is shortened. Default: unlimited. */
  readonly maxSeconds?: number
  /** Removes earlier takes, hesitations and long pauses. */
  readonly jumpCut: boolean
  /** Units that are left out, if `jumpCut`. */
  readonly skip?: ReadonlySet<number>
}

/** What of a recording a clip shows. */
export interface ClipCut {
  /** Kept source frames, ascending and apart. */
  readonly ranges: readonly FrameSpan[]
  readonly frames: number
  /** Indexes of the kept words. */
  readonly words: readonly number[]
  /** Whether something within the clip is removed. */
  readonly isCompressed: boolean
  /** Whether it is longer than allowed, also without its tail. */
  readonly isTooLong: boolean
}

/** Silence that stays after the last word, seconds; less where something is said within it. */
export const clipTail = 0.7

/** Less is not removed from a pause, seconds: a cut that short is only seen. */
const minRemoved = 0.25

/** Pauses of clips. */
const rhythm: Rhythm = rhythmTable.concise

/**
 * Cuts units out of a recording, on whole frames. With measured words the sound decides where; clips from subtitles begin
 * and end with their lines. The tail never reaches the next word.
 */
export function cutClip(source: ClipSource, units: IndexRange, options: CutClipOptions): ClipCut {
  const words = keptWords(source, units, options)
  const ends = knownEnds(source)
  const segments = ends
    ? segmentsByTimes(source, words, ends)
    : speechSegments(words, {
        ...{ heard: source.transcript.words, levels: source.levels, rhythm },
        seconds: source.mediaFrames / hertz(source.rate),
      })
  const whole = options.jumpCut ? segments : joined(segments)
  const kept = ends ? whole : withTail(whole, source, words.at(-1)?.word ?? 0)
  const { rate, mediaFrames, levels } = source
  const planned = planCuts(kept, {
    ...{ rate, mediaFrames, rhythm, tailSeconds: clipTail },
    ...(!ends && { loudness: (time: number) => levelAt(levels.curve, time) }),
  })
  const removed = removedWords(source, units, words)
  const joinedRanges = joinNear(planned.ranges, removed, rate)
  const excess = framesOf(joinedRanges) - Math.floor((options.maxSeconds ?? Infinity) * hertz(rate) + 1e-6)
  const ranges =
    excess > 0
      ? shortenTail(joinedRanges, Math.min(excess, tailFrames(joinedRanges, kept, rate)))
      : joinedRanges
  return {
    ranges,
    frames: framesOf(ranges),
    words: words.map(({ word }) => word),
    isCompressed: ranges.length > 1 || removed.length > 0,
    isTooLong: framesOf(ranges) > framesOf(joinedRanges) - excess,
  }
}

/** Words of units: all, or without earlier takes, hesitations and units to skip; of subtitles only whole lines. */
function keptWords(
  { transcript, units }: ClipSource,
  { from, to }: IndexRange,
  { jumpCut, skip = new Set() }: CutClipOptions,
): KeptWord[] {
  const first = units[from]?.first ?? 0
  const last = units[to - 1]?.last ?? -1
  const skipped = new Set(
    units.flatMap((unit, index) =>
      jumpCut && index > from && index < to - 1 && skip.has(index) ? [unit] : [],
    ),
  )
  const isSkipped = (word: number) => [...skipped].some((unit) => word >= unit.first && word <= unit.last)
  const words = transcript.words.slice(first, last + 1)
  const sentences = transcript.sentences
    .filter((sentence) => sentence.last >= first && sentence.first <= last)
    .map((sentence) => ({
      ...sentence,
      first: Math.max(0, sentence.first - first),
      last: Math.min(last, sentence.last) - first,
    }))
  const unchanged = words.map(({ text }, word) => ({
    word,
    textAfter: `${text.replace(/^.*[\p{L}\p{N}]/su, '')} `,
  }))
  // Parts of lines have no measured times.
  const kept =
    jumpCut && !transcript.lineEnds
      ? rebuildScript({ words, sentences }, { keepsMisread: true }).kept
      : unchanged
  const remaining = kept.filter(({ word }) => !isSkipped(word + first))
  return remaining.map(({ word, textAfter }) => ({ word: word + first, textAfter }))
}

/** Indexes of the words after which times alone decide: line ends of subtitles, and all where nothing is heard. */
function knownEnds({ transcript, levels }: ClipSource): readonly number[] | undefined {
  return transcript.lineEnds ?? (levels.map.voices.length > 0 ? undefined : [...transcript.words.keys()])
}

/** Kept lines or words with the gaps around them. `ends`: indexes of their last words. */
function segmentsByTimes(
  { transcript: { words }, rate, mediaFrames }: ClipSource,
  kept: readonly KeptWord[],
  ends: readonly number[],
): KeptSegment[] {
  const isKept = new Map(kept.map(({ word, textAfter }) => [word, textAfter]))
  const end = mediaFrames / hertz(rate)
  return ends.flatMap((last, line) => {
    const first = (ends[line - 1] ?? -1) + 1
    const textAfter = isKept.get(last)
    if (textAfter === undefined) return []
    const voiced = { start: words[first]?.start ?? 0, end: Math.min(end, words[last]?.end ?? 0) }
    const available = {
      start: Math.min(voiced.start, words[first - 1]?.end ?? 0),
      end: Math.max(voiced.end, words[last + 1]?.start ?? end),
    }
    return [{ voiced, available, breakAfter: breakClass(textAfter), contiguous: isKept.has(last + 1) }]
  })
}

/** One segment from the first to the last one. */
function joined(segments: readonly KeptSegment[]): KeptSegment[] {
  const [head, tail] = [segments[0], segments.at(-1)]
  if (!head || !tail) return []
  const span = (from: TimeSpan, to: TimeSpan) => ({ start: from.start, end: to.end })
  return [
    {
      ...{ voiced: span(head.voiced, tail.voiced), available: span(head.available, tail.available) },
      ...{ breakAfter: null, contiguous: false },
    },
  ]
}

/** How much earlier than recognised a word may begin in continuous sound, seconds. */
const wordMargin = 0.15

/**
 * Segments whose last one may be followed by everything up to the next word, such as a breath. In continuous sound, such
 * as music, that word begins where it was recognised.
 */
function withTail(segments: readonly KeptSegment[], source: ClipSource, lastWord: number): KeptSegment[] {
  const last = segments.at(-1)
  if (!last) return []
  const { levels, mediaFrames, rate, transcript } = source
  const { end } = last.voiced
  const { voices } = levels.map
  // A microsecond: the voice that ends there is not the next one.
  const next = voices[firstEndingAfter(voices, end + 1e-6)]
  const isContinuous = next !== undefined && next.start <= end
  const word = transcript.words[lastWord + 1]?.start ?? mediaFrames / hertz(rate)
  const limit = isContinuous ? word - wordMargin : Math.min(word, next?.start ?? Infinity)
  const available = { start: last.available.start, end: Math.max(end, limit) }
  return [...segments.slice(0, -1), { ...last, available }]
}

/** Times of the words between the first and the last unit that are removed. */
function removedWords(
  { transcript, units }: ClipSource,
  { from, to }: IndexRange,
  kept: readonly KeptWord[],
): TimeSpan[] {
  const isKept = new Set(kept.map(({ word }) => word))
  const first = units[from]?.first ?? 0
  return transcript.words
    .slice(first, (units[to - 1]?.last ?? -1) + 1)
    .filter((_, index) => !isKept.has(first + index))
}

/** Joins ranges between which only a short silence was removed. */
function joinNear(ranges: readonly FrameSpan[], removed: readonly TimeSpan[], rate: Rational): FrameSpan[] {
  const result: FrameSpan[] = []
  for (const range of ranges) {
    const last = result.at(-1)
    const gap = last && { start: last.end / hertz(rate), end: range.first / hertz(rate) }
    const isShort = gap !== undefined && gap.end - gap.start < minRemoved
    const isSilent =
      isShort &&
      !removed.some(({ start, end }) => (start + end) / 2 > gap.start && (start + end) / 2 < gap.end)
    if (last && isSilent) result[result.length - 1] = { first: last.first, end: range.end }
    else result.push(range)
  }
  return result
}

const framesOf = (ranges: readonly FrameSpan[]) =>
  ranges.reduce((sum, { first, end }) => sum + end - first, 0)

/** Frames after the last word. */
function tailFrames(ranges: readonly FrameSpan[], segments: readonly KeptSegment[], rate: Rational): number {
  const spoken = Math.ceil((segments.at(-1)?.voiced.end ?? 0) * hertz(rate))
  return Math.max(0, (ranges.at(-1)?.end ?? 0) - spoken)
}

function shortenTail(ranges: readonly FrameSpan[], frames: number): FrameSpan[] {
  return ranges.map((range, index) =>
    index === ranges.length - 1 ? { ...range, end: range.end - frames } : range,
  )
}

/**
 * Ends clips where the next one begins, so that no frame is in two of them: a short silence between neighbours is the
 * lead-in of the later one. `cuts`: in the order of the recording.
 */
export function withoutSharedFrames(cuts: readonly ClipCut[]): ClipCut[] {
  return cuts.map((cut, index) => {
    const [last, next] = [cut.ranges.at(-1), cuts[index + 1]?.ranges[0]]
    const shared = last && next ? Math.min(last.end - next.first, last.end - last.first - 1) : 0
    if (shared <= 0) return cut
    const ranges = shortenTail(cut.ranges, shared)
    return { ...cut, ranges, frames: framesOf(ranges) }
  })
}
