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

/** What is said from one time to another, ms. */
interface TimedText {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** What is shown at once. */
export interface Cue {
  readonly start: number
  readonly end: number
  /** Each within the width. */
  readonly lines: readonly string[]
}

/**
 * What is said in entries of at most so many lines: cut where sentences or clauses end, where that can be, and the
 * time shared out by length. Times are whole ms and follow each other; too short a time leaves entries without any.
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

/** How long it takes to read, roughly; never nothing. */
const readingLength = ({ text }: MeasuredPiece) => Math.max(1, text.length)

/** What it costs to cut there, where an entry more costs 1. */
const splitCosts: Readonly<Record<BreakRank, number>> = {
  sentence: 0,
  clause: 0.15,
  word: 1.1,
  inside: 1.9,
  letter: 3,
}

/** What an entry costs that is hardly begun, so that none holds a word alone. */
const shortCueCost = 0.6

/** What it costs where an entry holds the end of a sentence and only the beginning of the next. */
const splitSentenceCost = 1.2

/** Least time of an entry where there is room for it, ms. */
const minCueMs = 800

/** What it costs where an entry lasts less than that: more than to cut between words. */
const briefCueCost = 1.5

interface SplitOptions extends LineLimit {
  readonly lines: number
  /** How long each letter is shown. */
  readonly msPerLetter: number
}

function bestSplit(
  words: readonly MeasuredPiece[],
  { width, lines, msPerLetter: msEach }: SplitOptions,
): MeasuredPiece[][] {
  const least = new Float64Array(words.length + 1).fill(Number.POSITIVE_INFINITY)
  const from = new Int32Array(words.length + 1)
  least[0] = 0
  for (let start = 0; start < words.length; start += 1) {
    let [full, filled, letters] = [0, 0, 0]
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
      const ink = full * width + filled + word.width
      const ends = word.after === 'sentence'
      const scant = (ink < width / 3 ? shortCueCost : 0) + (letters * msEach < minCueMs ? briefCueCost : 0)
      const cost = 1 + scant + splitCosts[word.after] + (ended && !ends ? splitSentenceCost : 0)
      ended ||= ends
      const sum = (least[start] ?? 0) + cost
      if (sum < (least[end] ?? 0)) {
        least[end] = sum
        from[end] = start
      }
      filled += word.width + word.spaceWidth
    }
  }
  const parts: MeasuredPiece[][] = []
  for (let end = words.length; end > 0; end = from[end] ?? 0) parts.unshift(words.slice(from[end], end))
  return parts
}

/** A shorter pause than this is not shown: the entry stays until the next one, ms. */
const maxClosedPauseMs = 300

/**
 * Entries of what is said, in its order: each within the room, none overlapping the next, none of no time. Short
 * pauses are closed, short entries last a little longer where nothing is said after them.
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
  return shown.map((entry, index) => ({ ...entry, end: cueEnd(entry, shown[index + 1]?.start) }))
}

/** Where two speak at once, the first ends as the second begins, unless hardly any time were left for it. */
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
