import { stripPunctuation } from './strip-punctuation.ts'
import {
  balanceLines,
  type BreakRank,
  joinPieces,
  type LineLimit,
  type MeasuredPiece,
  measurePieces,
  splitPieces,
  unwrapText,
} from './wrap.ts'

/** Text with its start and end, in milliseconds. */
interface TimedText {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Lines that are shown together, with their start and end in milliseconds. */
export interface Cue {
  readonly start: number
  readonly end: number
  /** Each fits the width. */
  readonly lines: readonly string[]
}

/**
 * Splits text into cues of a maximum number of lines, preferably at the end of sentences or clauses. Divides the time by
 * length. Times are whole milliseconds without gaps; if the time is too short, cues have no duration.
 */
export function splitIntoCues(
  { start, end, text }: TimedText,
  room: LineLimit & { readonly lines: number },
): Cue[] {
  const words = measurePieces(splitPieces(unwrapText(text)), room)
  const all = words.reduce((sum, word) => sum + readingLength(word), 0)
  const parts = bestSplit(words, { ...room, msPerLetter: (end - start) / all })
  const lengths = parts.map((part) => part.reduce((sum, word) => sum + readingLength(word), 0))
  let passed = 0
  return parts.map((part, index) => {
    const from = Math.round(start + ((end - start) * passed) / all)
    passed += lengths[index] ?? 0
    const to = Math.round(start + ((end - start) * passed) / all)
    return { start: from, end: to, lines: balanceLines(part, room.width).map(joinPieces) }
  })
}

/** Relative reading time of a piece, at least 1. */
const readingLength = ({ text }: MeasuredPiece) => Math.max(1, text.length)

/** Cost of a split by the place; each cue costs 1. */
const splitCosts: Readonly<Record<BreakRank, number>> = {
  sentence: 0,
  clause: 0.15,
  phrase: 0.7,
  word: 1.1,
  inside: 1.9,
  unit: 3,
  letter: 3,
}

/** Cost of a cue with very little text, so that no cue contains a single word. */
const shortCueCost = 0.6

/** Cost of a cue that contains the end of one sentence and only the start of the next. */
const splitSentenceCost = 1.2

/** Cost of a full cue; that of others falls with the square of their width, so that splits that cost the same are even. */
const fullCueCost = 0.2

/** Minimum duration of a cue where possible, in milliseconds. */
const minCueMs = 800

/** Cost of a cue below the minimum duration; higher than that of a split between words. */
const briefCueCost = 1.5

/** Cost of a cue whose lines can only break inside a phrase, or between a number and its unit, by the best place. */
const lineBreakCosts: Readonly<Record<BreakRank, number>> = {
  sentence: 0,
  clause: 0,
  phrase: 0,
  word: 0.1,
  inside: 2.2,
  unit: 3,
  letter: 3,
}

/** Least cost of a cue that contains the end of a clause, but whose lines cannot break there. */
const missedClauseCost = 1.2

interface SplitOptions extends LineLimit {
  readonly lines: number
  /** Duration of each letter, in milliseconds. */
  readonly msPerLetter: number
}

/** Tolerance of sums of widths. */
const rounding = 1e-9

function bestSplit(
  words: readonly MeasuredPiece[],
  { width, lines, msPerLetter: msEach }: SplitOptions,
): MeasuredPiece[][] {
  const least = new Float64Array(words.length + 1).fill(Number.POSITIVE_INFINITY)
  const from = new Int32Array(words.length + 1)
  const lineBreakCost = measureLineBreaks(words, width)
  least[0] = 0
  for (let start = 0; start < words.length; start += 1) {
    let [full, filled, letters, total] = [0, 0, 0, 0]
    let ended = false
    for (let end = start + 1; end <= words.length; end += 1) {
      const word = words[end - 1]
      if (!word) break
      if (filled > 0 && filled + word.width > width) {
        full += 1
        filled = 0
      }
      if (full >= lines) break
      letters += readingLength(word)
      const textWidth = full * width + filled + word.width
      const ends = word.after === 'sentence'
      const lengthCost =
        (textWidth < width / 3 ? shortCueCost : 0) +
        (letters * msEach < minCueMs ? briefCueCost : 0) +
        fullCueCost * ((total + word.width) / (lines * width)) ** 2
      const splitCost = splitCosts[word.after] + (ended && !ends ? splitSentenceCost : 0)
      const cost = 1 + lengthCost + splitCost + (full === 1 ? lineBreakCost(start, end) : 0)
      ended ||= ends
      const sum = (least[start] ?? 0) + cost
      if (sum < (least[end] ?? 0)) {
        least[end] = sum
        from[end] = start
      }
      filled += word.width + word.spaceWidth
      total += word.width + word.spaceWidth
    }
  }
  const parts: MeasuredPiece[][] = []
  for (let end = words.length; end > 0; end = from[end] ?? 0) parts.unshift(words.slice(from[end], end))
  return parts
}

/**
 * Returns the cost of the best place to break a range of pieces into two lines; 0 where two lines are too few. Ranges must
 * be asked for in the order of their starts, and then of their ends: the places of a start are prepared once.
 */
function measureLineBreaks(
  words: readonly MeasuredPiece[],
  width: number,
): (start: number, end: number) => number {
  const [before, clauseEnds] = [new Float64Array(words.length + 1), new Uint32Array(words.length + 1)]
  for (const [index, word] of words.entries()) {
    before[index + 1] = (before[index] ?? 0) + word.width + word.spaceWidth
    clauseEnds[index + 1] = (clauseEnds[index] ?? 0) + (isClauseEnd(word.after) ? 1 : 0)
  }
  const isOneLine = (from: number, to: number) =>
    (before[to] ?? 0) - (before[from] ?? 0) - (words[to - 1]?.spaceWidth ?? 0) <= width + rounding
  // Least cost of a break at a place or a later one of the first line.
  const least = new Float64Array(words.length + 1)
  let [prepared, first, last] = [-1, 0, 0]
  const prepare = (start: number) => {
    ;[prepared, first, last] = [start, start + 1, start + 1]
    while (last < words.length && isOneLine(start, last + 1)) last += 1
    let cost = Number.POSITIVE_INFINITY
    for (let at = last; at > start; at -= 1) {
      cost = Math.min(cost, lineBreakCosts[words[at - 1]?.after ?? 'word'])
      least[at] = cost
    }
  }
  return (start, end) => {
    if (prepared !== start) prepare(start)
    while (first <= last && !isOneLine(first, end)) first += 1
    if (first > last) return 0
    const cost = least[first] ?? 0
    const hasClauseEnd = (clauseEnds[end - 1] ?? 0) > (clauseEnds[start] ?? 0)
    return hasClauseEnd && cost > 0 ? Math.max(cost, missedClauseCost) : cost
  }
}

const isClauseEnd = (rank: BreakRank) => rank === 'clause' || rank === 'sentence'

/** Pauses shorter than this are closed: the cue stays until the next one. Milliseconds. */
const maxClosedPauseMs = 300

/**
 * Converts transcribed segments to cues. Each cue fits the line limits, has a duration and does not overlap the next.
 * Closes short pauses and extends short cues into the silence after them.
 */
export function cuesFromSpeech(
  segments: readonly TimedText[],
  { strip, ...room }: LineLimit & { readonly lines: number; readonly strip: boolean },
): Cue[] {
  const written = (text: string) => (strip ? stripPunctuation(text) : text.trim())
  const shown = withoutOverlaps(segments.filter(({ text }) => written(text) !== ''))
    .flatMap((segment) => splitIntoCues(segment, room))
    .map((entry) => ({ ...entry, lines: entry.lines.map(written).filter((line) => line !== '') }))
    .filter(({ lines, start, end }) => lines.length > 0 && end > start)
  return closePauses(shown)
}

/** Closes short pauses between cues in order, and extends short cues into the silence after them. */
export function closePauses<Shown extends Cue>(cues: readonly Shown[]): Shown[] {
  return cues.map((entry, index) => ({ ...entry, end: cueEnd(entry, cues[index + 1]?.start) }))
}

/** Ends overlapping segments at the start of the next one, unless less than the minimum duration remains. */
function withoutOverlaps(segments: readonly TimedText[]): TimedText[] {
  const sorted = segments.toSorted((one, other) => one.start - other.start)
  let free = Number.NEGATIVE_INFINITY
  return sorted.map(({ start, end, text }, index) => {
    const from = Math.max(start, free)
    const least = Math.max(1, Math.min(end - start, minCueMs))
    free = Math.max(from + least, Math.min(end, sorted[index + 1]?.start ?? end))
    return { start: from, end: free, text }
  })
}

function cueEnd({ start, end }: Cue, next = Number.POSITIVE_INFINITY): number {
  if (next - end < maxClosedPauseMs) return next
  return Math.min(next, Math.max(end, start + minCueMs))
}
