/** How good a place to break is: after a sentence, a clause, a word, inside one as a language allows, anywhere. */
export type BreakRank = 'sentence' | 'clause' | 'word' | 'inside' | 'letter'

/** A part of a text that no line breaks in, with the spaces after it and what may break there. */
export interface TextPiece {
  readonly text: string
  readonly space: string
  readonly after: BreakRank
}

/** No line begins with these (JIS X 4051, GB/T 15834): closing signs, small kana, marks of length and repeats. */
const noStart =
  /^[、。，．,.!！?？:：;；)）\]］}｝〉》」』】〕〗〙〛’”»›…‥・ー―—～~%％‰℃々ゝゞヽヾ〻ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶㇰ-ㇿ｡､｣ｰ･ｧ-ｯ]/u

/** None ends with these: opening signs, and signs before a number. */
const noEnd = /[([［（{｛〈《「『【〔〖〘〚‘“«‹¿¡$¥￥£€＄｢]$/u

/** Written without spaces, broken between any two letters. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Extended_Pictographic}\u3000-\u303f\u30fb-\u30ff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff9f]/u

/** Written without spaces, broken between words. */
const unspaced = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Spaces that a line may break at. */
const space = /^[^\S\u00a0\u202f\u2007]/u

const sentenceEnd = /[。！？!?…｡．.][”’」』）)》"'»]*$/u
const clauseEnd = /[，,、；;：:—–､][”’」』）)》"'»]*$/u

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/** By dictionary in Chinese, Japanese and Thai. */
const words = new Intl.Segmenter('zh', { granularity: 'word' })

/** Most letters that are looked up at once: the dictionary's work on one run is more than linear in its length. */
const maxSegmentedLength = 2000

/** A text of one line in its smallest parts; joined with their spaces they are the text, trimmed. */
export function splitPieces(text: string): TextPiece[] {
  const line = text.trim()
  const bounds = wordBounds(line)
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
    if (!canBreak({ before, spaced: at > inked, last: letter, next, bound: bounds.has(at) })) continue
    const after = breakRank(before, at > inked || bounds.has(at))
    pieces.push({ text: line.slice(from, inked), space: line.slice(inked, at), after })
    from = at
  }
  return line === '' ? [] : [...pieces, { text: line.slice(from), space: '', after: 'sentence' }]
}

/**
 * The parts of a piece that is wider than a line: after the signs of an address, else between any letters; signs
 * that begin or end no line stay with theirs, but for long rows of them.
 */
export function splitPiece({ text, space: spaces, after }: TextPiece): TextPiece[] {
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

/** A piece letter by letter. */
export function splitLetters({ text, space: spaces, after }: TextPiece): TextPiece[] {
  return graphemesOf(text).map((letter, index, all) =>
    index === all.length - 1
      ? { text: letter, space: spaces, after }
      : { text: letter, space: '', after: 'letter' },
  )
}

/** Most signs that are kept with a letter. */
const maxKeptTogether = 6

function graphemesOf(text: string): string[] {
  return [...graphemes.segment(text)].map(({ segment }) => segment)
}

function wordBounds(text: string): Set<number> {
  const bounds = new Set<number>()
  for (let from = 0; from < text.length; from += maxSegmentedLength) {
    for (const { index } of words.segment(text.slice(from, from + maxSegmentedLength)))
      bounds.add(from + index)
  }
  return bounds
}

interface BreakPosition {
  /** What stands before, spaces left out. */
  readonly before: string
  readonly spaced: boolean
  readonly last: string
  readonly next: string
  /** Whether a word ends here. */
  readonly bound: boolean
}

function canBreak({ before, spaced, last, next, bound }: BreakPosition): boolean {
  if (noStart.test(next) || noEnd.test(before)) return false
  if (spaced || wide.test(last) || wide.test(next) || /……$|——$/.test(before)) return true
  return bound && unspaced.test(last) && unspaced.test(next)
}

function breakRank(before: string, bound: boolean): BreakRank {
  if (sentenceEnd.test(before)) return 'sentence'
  if (clauseEnd.test(before)) return 'clause'
  return bound ? 'word' : 'inside'
}
