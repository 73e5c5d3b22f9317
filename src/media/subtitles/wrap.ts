import { splitLetters, splitPieces, splitPiece, type TextPiece, type BreakRank } from './pieces.ts'
import type { MeasureText } from './widths.ts'

/** What a line of subtitles has room for. */
export interface LineLimit {
  /** Of a line, in the unit of `measure`. */
  readonly width: number
  readonly measure: MeasureText
}

/** The lines of a text that fit a width: as few as can be, alike in length, broken where it reads well. */
export function wrapText(text: string, room: LineLimit): string[] {
  const words = measurePieces(splitPieces(unwrapText(text)), room)
  return balanceLines(words, room.width).map(joinPieces)
}

/** A text in one line: breaks are spaces, but for those between letters that are written without. */
export function unwrapText(text: string): string {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const isSpaced = (line: string, at: number) =>
    at > 0 && !(endsUnspaced.test(lines[at - 1] ?? '') && beginsUnspaced.test(line))
  return lines.map((line, at) => (isSpaced(line, at) ? ` ${line}` : line)).join('')
}

/** A letter or sign of Chinese or Japanese. */
const unspacedLetter = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]`
const beginsUnspaced = new RegExp(`^${unspacedLetter}`, 'u')
const endsUnspaced = new RegExp(`${unspacedLetter}$`, 'u')

/** A piece with what it takes of a line. */
export interface MeasuredPiece extends TextPiece {
  readonly width: number
  readonly spaceWidth: number
}

/** The pieces with their widths; those wider than a line in parts. */
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
  return split(split(pieces.map(word), splitPiece), splitLetters)
}

/** The text of words that stand together. */
export function joinPieces(words: readonly MeasuredPiece[]): string {
  return words.map(({ text, space }, index) => (index < words.length - 1 ? text + space : text)).join('')
}

/** The number of lines that words fill, each as full as can be. */
export function countLines(words: readonly MeasuredPiece[], width: number): number {
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

/** What it costs to break there, beside a line that is off the common length by its share of the width, squared. */
const breakCosts: Readonly<Record<BreakRank, number>> = {
  sentence: 0,
  clause: 0.01,
  word: 0.06,
  inside: 0.25,
  letter: 1,
}

/** More than all other costs of a line. */
const extraLineCost = 1000

/** The words in lines: the fewest, then of the least cost; from each start, only as far as a line reaches. */
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
