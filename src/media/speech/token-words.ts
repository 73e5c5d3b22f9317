import { isSpaceless, distributeTime, splitWords } from './split-words.ts'
import type { TimedWord } from './spoken.ts'

/** A piece of a word as recognisers tell it. */
export interface RecogniserToken {
  readonly text: string
  /** Seconds. */
  readonly start: number
  /** Where the recogniser tells how long it lasts. */
  readonly seconds?: number | undefined
}

/** Longest that a piece of a word lasts where nobody tells its end, seconds. */
const maxTokenSeconds = 0.6

/** Marks of a piece that begins a word: SentencePiece's, that of byte-level BPE, and a space. */
const wordStart = /^[▁Ġ ]/u
/** The mark of a piece whose word goes on with the next. */
const wordContinues = /@@$/u

/** What recognisers tell of the sound in between: its language, mood and kind. */
const recogniserTag = /<\|[^|]*\|>|<(?:unk|s|\/s|pad|blk|sos\/eos)>/gu

/** A text without what recognisers tell of the sound, and with spaces as they should be. */
export function plainTranscript(text: string): string {
  return text.replaceAll(recogniserTag, '').replaceAll(/\s+/gu, ' ').trim()
}

/** Joins pieces to words with their times; in Chinese and Japanese a character is one. */
export function joinTokens(tokens: readonly RecogniserToken[], total: number): TimedWord[] {
  const pieces = tokens.map((token) => ({ ...token, text: token.text.replaceAll(recogniserTag, '') }))
  const marksBegins = pieces.some(({ text }) => wordStart.test(text))
  const words: TimedWord[] = []
  let isOpen = false
  for (const [index, piece] of pieces.entries()) {
    const text = piece.text.replace(wordStart, '').replace(wordContinues, '')
    const next = pieces.slice(index + 1).find((other) => other.start > piece.start)?.start ?? total
    const end = piece.start + (piece.seconds ?? Math.max(0, Math.min(maxTokenSeconds, next - piece.start)))
    const isOwn = wordStart.test(piece.text) || isSpaceless(text)
    const joins = marksBegins ? !isOwn : isOpen && !isSpaceless(text)
    const isMark = text !== '' && !/[\p{L}\p{N}\p{S}]/u.test(text)
    isOpen = wordContinues.test(piece.text) || (marksBegins && !isSpaceless(text))
    if (text.trim() === '') continue
    const last = words.at(-1)
    if (last && (isMark || (joins && !isSpaceless(last.text)))) {
      words[words.length - 1] = { ...last, text: last.text + text, end: Math.max(last.end, end) }
    } else if (splitWords(text).length > 1) words.push(...distributeTime(text, { start: piece.start, end }))
    else words.push({ text, start: piece.start, end })
  }
  return words.map((word, at) => ({ ...word, end: endBeforeNext(word, words[at + 1]) }))
}

/** Where the next begins, if that is earlier. */
function endBeforeNext({ start, end }: TimedWord, next: TimedWord | undefined): number {
  return next && next.start >= start ? Math.min(end, next.start) : end
}
