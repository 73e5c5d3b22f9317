import type { RecognitionResult, TimedWord, TimeSpan } from './speech-types.ts'

/** Scripts that are written without spaces, a character at a time. */
const spacelessScript = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々〆]/u

/** A character of those with the marks on and after it, or what lies between spaces and those. */
const wordPattern = new RegExp(
  String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々〆]\p{M}*|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々〆])\S)+`,
  'gu',
)

/** Tells whether a text is of a script that is written without spaces. */
export function isSpaceless(text: string): boolean {
  return spacelessScript.test(text)
}

/** The words of a text; of Chinese and Japanese the characters. Marks that stand alone belong to the word before. */
export function splitWords(text: string): string[] {
  const words: string[] = []
  for (const [part] of text.matchAll(wordPattern)) {
    const last = words.at(-1)
    if (last !== undefined && !/[\p{L}\p{N}\p{S}]/u.test(part)) words[words.length - 1] = last + part
    else words.push(part)
  }
  return words
}

/** The words of a text, each with its share of the time by length. */
export function distributeTime(text: string, { start, end }: TimeSpan): TimedWord[] {
  const words = splitWords(text)
  // A space is about as long as a letter; a Chinese character as two letters.
  const weights = words.map((part) => (isSpaceless(part) ? 2 : [...part].length + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let before = 0
  return words.map((part, index) => {
    const from = start + ((end - start) * before) / total
    before += weights[index] ?? 0
    return { text: part, start: from, end: start + ((end - start) * before) / total }
  })
}

/** A piece of a word as recognisers tell it. */
interface RecogniserToken {
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

/** How far times of engines may be off without being wrong, seconds: a frame of a recogniser or a few. */
const timeTolerance = 0.25

/**
 * What an engine answers for sound of so many seconds, with small overlaps taken out. Calls `fail` with what makes no
 * sense in it: times that are no numbers, out of order, or outside the sound.
 */
export function validateRecognition(
  recognised: RecognitionResult,
  { seconds, fail }: { readonly seconds: number; readonly fail: (what: string) => never },
): RecognitionResult {
  const words: TimedWord[] = []
  let latest = 0
  for (const { text, start, end } of recognised.words) {
    if (!Number.isFinite(start) || !Number.isFinite(end)) fail(`the time of "${text}" is no number`)
    if (end < start) fail(`"${text}" ends before it begins`)
    if (start < -timeTolerance || start > seconds + timeTolerance) fail(`"${text}" lies outside the sound`)
    if (start < latest - timeTolerance) fail(`"${text}" lies before the word before it`)
    latest = Math.max(latest, start)
    const from = Math.min(Math.max(start, words.at(-1)?.end ?? 0), seconds)
    words.push({ text, start: from, end: Math.min(Math.max(end, from), seconds) })
  }
  const { confidence } = recognised
  if (confidence !== null && !(confidence >= 0 && confidence <= 1)) fail(`the confidence is ${confidence}`)
  return { ...recognised, words }
}
