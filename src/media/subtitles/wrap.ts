import { findWordEnds, type WordEnd } from './phrase-breaks.ts'
import { rankSpace } from './spaced-breaks.ts'
import type { MeasureText } from './text-width.ts'

/** Maximum width of a line and how to measure text. */
export interface LineLimit {
  /** In the unit of `measure`. */
  readonly width: number
  readonly measure: MeasureText
}

/** Wraps text into the fewest lines that fit, of similar length, preferably at the end of sentences and clauses. */
export function wrapText(text: string, limit: LineLimit): string[] {
  const words = measurePieces(splitPieces(unwrapText(text)), limit)
  return balanceLines(words, limit.width).map(joinPieces)
}

/** Joins the lines of a text with spaces, or without between Chinese and Japanese letters. */
export function unwrapText(text: string): string {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const isSpaced = (line: string, at: number) =>
    at > 0 && !(endsUnspaced.test(lines[at - 1] ?? '') && beginsUnspaced.test(line))
  return lines.map((line, at) => (isSpaced(line, at) ? ` ${line}` : line)).join('')
}

/** A character of Chinese or Japanese, which are written without spaces. */
const unspacedLetter = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]`
const beginsUnspaced = new RegExp(`^${unspacedLetter}`, 'u')
const endsUnspaced = new RegExp(`${unspacedLetter}$`, 'u')

/** A piece with its width. */
export interface MeasuredPiece extends TextPiece {
  readonly width: number
  readonly spaceWidth: number
}

/** Measures pieces and splits those that are wider than a line. */
export function measurePieces(pieces: readonly TextPiece[], { width, measure }: LineLimit): MeasuredPiece[] {
  const known = new Map<string, number>()
  const widthOf = (text: string) => {
    const found = known.get(text) ?? measure(text)
    known.set(text, found)
    return found
  }
  const word = (piece: TextPiece) => ({
    ...piece,
    width: widthOf(piece.text),
    spaceWidth: widthOf(piece.space),
  })
  const split = (words: readonly MeasuredPiece[], by: (piece: TextPiece) => TextPiece[]) =>
    words.flatMap((one) => (one.width > width ? by(one).map(word) : [one]))
  return [splitEndings, splitPiece, splitLetters].reduce(split, joinUnits(pieces, word, width))
}

/** Measures pieces, and joins numbers to their units where both fit a line. */
function joinUnits(
  pieces: readonly TextPiece[],
  measured: (piece: TextPiece) => MeasuredPiece,
  width: number,
): MeasuredPiece[] {
  const joined: MeasuredPiece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    const both =
      last?.after === 'unit' ? measured({ ...piece, text: last.text + last.space + piece.text }) : undefined
    if (both && both.width <= width) joined[joined.length - 1] = both
    else joined.push(measured(piece))
  }
  return joined
}

/** Joins adjacent pieces to text. */
export function joinPieces(words: readonly MeasuredPiece[]): string {
  return words.map(({ text, space }, index) => (index < words.length - 1 ? text + space : text)).join('')
}

/** Returns the number of lines that pieces need if each line is filled. */
function countLines(words: readonly MeasuredPiece[], width: number): number {
  let lines = words.length > 0 ? 1 : 0
  let filled = 0
  for (const word of words) {
    if (filled > 0 && filled + word.width > width) {
      lines += 1
      filled = 0
    }
    filled += word.width + word.spaceWidth
  }
  return lines
}

/**
 * Cost of a break by the place. To it is added the squared difference to the mean line length, as a share of the width.
 */
const breakCosts: Readonly<Record<BreakRank, number>> = {
  sentence: 0,
  clause: 0.01,
  phrase: 0.06,
  word: 0.12,
  inside: 0.5,
  unit: 1,
  letter: 1,
}

/** Cost of each line; higher than all other costs of a line. */
const extraLineCost = 1000

/** Divides pieces into the fewest lines with the lowest cost, by dynamic programming over the line starts. */
export function balanceLines(words: readonly MeasuredPiece[], width: number): MeasuredPiece[][] {
  const count = countLines(words, width)
  if (count <= 1) return count === 0 ? [] : [[...words]]
  const all = words.reduce((sum, word) => sum + word.width + word.spaceWidth, 0)
  const target = all / count
  const least = new Float64Array(words.length + 1).fill(Number.POSITIVE_INFINITY)
  const from = new Int32Array(words.length + 1)
  least[0] = 0
  for (let start = 0; start < words.length; start += 1) {
    let filled = 0
    for (let end = start + 1; end <= words.length; end += 1) {
      const word = words[end - 1]
      if (!word || (end > start + 1 && filled + word.width > width)) break
      const off = (filled + word.width - target) / width
      const cost =
        extraLineCost + off * off * (off > 0 ? 1.5 : 1) + (end < words.length ? breakCosts[word.after] : 0)
      const sum = (least[start] ?? 0) + cost
      if (sum < (least[end] ?? 0)) {
        least[end] = sum
        from[end] = start
      }
      filled += word.width + word.spaceWidth
    }
  }
  const lines: MeasuredPiece[][] = []
  for (let end = words.length; end > 0; end = from[end] ?? 0) lines.unshift(words.slice(from[end], end))
  return lines
}

/**
 * Rank of a break, best first: after a sentence, a clause, before a phrase, after a word, after a word inside a phrase,
 * between a number and its unit, anywhere.
 */
export type BreakRank = 'sentence' | 'clause' | 'phrase' | 'word' | 'inside' | 'unit' | 'letter'

/** An unbreakable part of a text, with the spaces after it and the rank of the break there. */
interface TextPiece {
  readonly text: string
  readonly space: string
  readonly after: BreakRank
}

/**
 * Characters that must not start a line (JIS X 4051, GB/T 15834): closing signs, small kana, length and repeat marks.
 */
const noStart =
  /^[、。，．,.!！?？:：;；)）\]］}｝〉》」』】〕〗〙〛’”»›…‥・ー―—～~%％‰℃々ゝゞヽヾ〻ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶㇰ-ㇿ｡､｣ｰ･ｧ-ｯ]/u

/** Characters that must not end a line: opening signs and signs before a number. */
const noEnd = /[([［（{｛〈《「『【〔〖〘〚‘“«‹¿¡$¥￥£€＄｢]$/u

/** Scripts without spaces whose signs may break on both sides, and whose letters may break at the end of a word. */
const unspacedScript =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Extended_Pictographic}\u3000-\u303f\u30fb-\u30ff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff9f]/u

/** Scripts without spaces that break only at the end of a word. */
const unspaced = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Breaking spaces. */
const space = /^[^\S\u00a0\u202f\u2007]/u

const sentenceEnd = /[。！？!?…｡．.][”’」』）)》"'»]*$/u
const clauseEnd = /[，,、；;：:—–､][”’」』）)》"'»]*$/u

const pieceGraphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** Splits a text of one line into pieces. Joined with their spaces they are the trimmed text. */
export function splitPieces(text: string): TextPiece[] {
  const line = text.trim()
  const ends = findWordEnds(line)
  const letters = graphemesOf(line)
  const pieces: TextPiece[] = []
  let [from, inked] = [0, 0]
  let at = 0
  for (const [index, letter] of letters.entries()) {
    if (!space.test(letter)) inked = at + letter.length
    at += letter.length
    const next = letters[index + 1]
    if (next === undefined || space.test(next)) continue
    const before = line.slice(Math.max(from, inked - 8), inked)
    const end = ends.get(at)
    if (!canBreak({ before, spaced: at > inked, last: letter, next, end })) continue
    const piece = line.slice(from, inked)
    const after = punctuationRank(before) ?? (at > inked ? spaceRank(piece, line, at) : wordEndRank(end))
    pieces.push({ text: piece, space: line.slice(inked, at), after })
    from = at
  }
  return line === '' ? [] : [...pieces, { text: line.slice(from), space: '', after: 'sentence' }]
}

/** Returns the rank of a break of a line after so many characters, without spaces; undefined where it must not break. */
export function rankBreak(line: string, length: number): BreakRank | undefined {
  let end = 0
  for (const { text, space: spaces, after } of splitPieces(line)) {
    end += text.length
    if (end >= length) return end === length ? after : undefined
    end += spaces.length
  }
  return undefined
}

/** Splits a piece that is wider than a line before its endings and particles. */
function splitEndings({ text, space: spaces, after }: TextPiece): TextPiece[] {
  const ends = [...findWordEnds(text)].filter(([at, rank]) => at > 0 && rank === 'ending')
  const starts = [0, ...ends.map(([at]) => at).filter((at) => !noStart.test(text.slice(at)))]
  return starts.map((from, index) => {
    const to = starts[index + 1]
    return to === undefined
      ? { text: text.slice(from), space: spaces, after }
      : { text: text.slice(from, to), space: '', after: 'inside' }
  })
}

/**
 * Splits a piece that is wider than a line: after the signs of a URL, otherwise between any letters. Signs that must not
 * start or end a line stay with their letter, except in long rows.
 */
function splitPiece({ text, space: spaces, after }: TextPiece): TextPiece[] {
  const letters = graphemesOf(text)
  const parts: TextPiece[] = []
  let part = ''
  for (const [index, letter] of letters.entries()) {
    part += letter
    const next = letters[index + 1]
    if (next === undefined) parts.push({ text: part, space: spaces, after })
    else if (part.length > maxKeptTogether || !(noStart.test(next) || noEnd.test(letter))) {
      parts.push({ text: part, space: '', after: /[/?&=._\-–@:]$/.test(letter) ? 'inside' : 'letter' })
      part = ''
    }
  }
  return parts
}

/** Splits a piece into single letters. */
function splitLetters({ text, space: spaces, after }: TextPiece): TextPiece[] {
  return graphemesOf(text).map((letter, index, all) =>
    index === all.length - 1
      ? { text: letter, space: spaces, after }
      : { text: letter, space: '', after: 'letter' },
  )
}

/** Maximum signs that stay with a letter. */
const maxKeptTogether = 6

function graphemesOf(text: string): string[] {
  return [...pieceGraphemes.segment(text)].map(({ segment }) => segment)
}

interface BreakPosition {
  /** Text before the position, without trailing spaces. */
  readonly before: string
  readonly spaced: boolean
  readonly last: string
  readonly next: string
  /** Rank of the word end at the position; undefined inside a word. */
  readonly end: WordEnd | undefined
}

function canBreak({ before, spaced, last, next, end }: BreakPosition): boolean {
  if (noStart.test(next) || noEnd.test(before)) return false
  if (spaced || /……$|——$/.test(before)) return true
  if (end === undefined || end === 'ending') return false
  if (unspacedScript.test(last) || unspacedScript.test(next)) return true
  return unspaced.test(last) && unspaced.test(next)
}

function punctuationRank(before: string): BreakRank | undefined {
  if (sentenceEnd.test(before)) return 'sentence'
  return clauseEnd.test(before) ? 'clause' : undefined
}

/** Longest word that is compared, characters. */
const maxWordLength = 40

/** Rank of a space after a piece, before a position of a line. */
function spaceRank(piece: string, line: string, at: number): BreakRank {
  return rankSpace(piece.slice(-maxWordLength), line.slice(at, at + maxWordLength))
}

function wordEndRank(end: WordEnd | undefined): BreakRank {
  return end === 'phrase' ? 'word' : 'inside'
}
