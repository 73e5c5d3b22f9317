import { lettersApart, piecesOf, splitPiece, type Piece, type Rank } from './pieces.ts'
import type { Measure } from './widths.ts'

/** What a line of subtitles has room for. */
export interface Room {
  /** Of a line, in the unit of `measure`. */
  readonly width: number
  readonly measure: Measure
}

/** The lines of a text that fit a width: as few as can be, alike in length, broken where it reads well. */
export function wrapText(text: string, room: Room): string[] {
  const words = measured(piecesOf(onOneLine(text)), room)
  return linesOf(words, room.width).map(textOf)
}

/** A text in one line: breaks are spaces, but for those between letters that are written without. */
export function onOneLine(text: string): string {
  const lines = text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const isSpaced = (line: string, at: number) =>
    at > 0 && !(endsUnspaced.test(lines[at - 1] ?? '') && beginsUnspaced.test(line))
  return lines.map((line, at) => (isSpaced(line, at) ? ` ${line}` : line)).join('')
}

/** A letter or sign of Chinese or Japanese. */
const cjk = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]`
const beginsUnspaced = new RegExp(`^${cjk}`, 'u')
const endsUnspaced = new RegExp(`${cjk}$`, 'u')

/** A piece with what it takes of a line. */
export interface Word extends Piece {
  readonly width: number
  readonly spaceWidth: number
}

/** The pieces with their widths; those wider than a line in parts. */
export function measured(pieces: readonly Piece[], { width, measure }: Room): Word[] {
  const known = new Map<string, number>()
  const widthOf = (text: string) => {
    const found = known.get(text) ?? measure(text)
    known.set(text, found)
    return found
  }
  const word = (piece: Piece) => ({ ...piece, width: widthOf(piece.text), spaceWidth: widthOf(piece.space) })
  const split = (words: readonly Word[], by: (piece: Piece) => Piece[]) =>
    words.flatMap((one) => (one.width > width ? by(one).map(word) : [one]))
  return split(split(pieces.map(word), splitPiece), lettersApart)
}

/** The text of words that stand together. */
export function textOf(words: readonly Word[]): string {
  return words.map(({ text, space }, index) => (index < words.length - 1 ? text + space : text)).join('')
}

/** The number of lines that words fill, each as full as can be. */
export function countLines(words: readonly Word[], width: number): number {
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
const costs: Readonly<Record<Rank, number>> = {
  sentence: 0,
  clause: 0.01,
  word: 0.06,
  inside: 0.25,
  letter: 1,
}

/** More than all other costs of a line. */
const oneMore = 1000

/** The words in lines: the fewest, then of the least cost; from each start, only as far as a line reaches. */
export function linesOf(words: readonly Word[], width: number): Word[][] {
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
      const cost = oneMore + off * off * (off > 0 ? 1.5 : 1) + (end < words.length ? costs[word.after] : 0)
      const sum = (least[start] ?? 0) + cost
      if (sum < (least[end] ?? 0)) {
        least[end] = sum
        from[end] = start
      }
      filled += word.width + word.spaceWidth
    }
  }
  const lines: Word[][] = []
  for (let end = words.length; end > 0; end = from[end] ?? 0) lines.unshift(words.slice(from[end], end))
  return lines
}
