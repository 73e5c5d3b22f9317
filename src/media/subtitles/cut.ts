import { piecesOf, type Rank } from './pieces.ts'
import { linesOf, measured, onOneLine, textOf, type Room, type Word } from './wrap.ts'

/** What is said from one time to another, ms. */
export interface Said {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** What is shown at once. */
export interface Shown {
  readonly start: number
  readonly end: number
  /** Each within the width. */
  readonly lines: readonly string[]
}

/**
 * What is said in entries of at most so many lines: cut where sentences or clauses end, where that can be, and the
 * time shared out by length. Times are whole ms and follow each other; too short a time leaves entries without any.
 */
export function cutSaid({ start, end, text }: Said, room: Room & { readonly lines: number }): Shown[] {
  const words = measured(piecesOf(onOneLine(text)), room)
  const all = words.reduce((sum, word) => sum + lengthOf(word), 0)
  const parts = partsOf(words, { ...room, msEach: (end - start) / all })
  const lengths = parts.map((part) => part.reduce((sum, word) => sum + lengthOf(word), 0))
  let passed = 0
  return parts.map((part, index) => {
    const from = Math.round(start + ((end - start) * passed) / all)
    passed += lengths[index] ?? 0
    const to = Math.round(start + ((end - start) * passed) / all)
    return { start: from, end: to, lines: linesOf(part, room.width).map(textOf) }
  })
}

/** How long it takes to read, roughly; never nothing. */
const lengthOf = ({ text }: Word) => Math.max(1, text.length)

/** What it costs to cut there, where an entry more costs 1. */
const costs: Readonly<Record<Rank, number>> = { sentence: 0, clause: 0.15, word: 1.1, inside: 1.9, letter: 3 }

/** What an entry costs that is hardly begun, so that none holds a word alone. */
const lonely = 0.6

/** What it costs where an entry holds the end of a sentence and only the beginning of the next. */
const torn = 1.2

/** Least time of an entry where there is room for it, ms. */
export const leastMs = 800

/** What it costs where an entry lasts less than that: more than to cut between words. */
const hasty = 1.5

interface Cutting extends Room {
  readonly lines: number
  /** How long each letter is shown. */
  readonly msEach: number
}

function partsOf(words: readonly Word[], { width, lines, msEach }: Cutting): Word[][] {
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
      letters += lengthOf(word)
      const ink = full * width + filled + word.width
      const ends = word.after === 'sentence'
      const scant = (ink < width / 3 ? lonely : 0) + (letters * msEach < leastMs ? hasty : 0)
      const cost = 1 + scant + costs[word.after] + (ended && !ends ? torn : 0)
      ended ||= ends
      const sum = (least[start] ?? 0) + cost
      if (sum < (least[end] ?? 0)) {
        least[end] = sum
        from[end] = start
      }
      filled += word.width + word.spaceWidth
    }
  }
  const parts: Word[][] = []
  for (let end = words.length; end > 0; end = from[end] ?? 0) parts.unshift(words.slice(from[end], end))
  return parts
}
