import type { RecognitionResult, TimedWord, TimeSpan } from './speech-types.ts'

/** Scripts written without spaces, whose characters count as words. */
const spacelessScript = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々〆]/u

/** A character of these scripts with its combining marks, or a run of other characters without spaces. */
const wordPattern = new RegExp(
  String.raw`[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々〆]\p{M}*|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー々〆])\S)+`,
  'gu',
)

/** Whether a text contains a script written without spaces. */
export function isSpaceless(text: string): boolean {
  return spacelessScript.test(text)
}

/** Splits a text into words, Chinese and Japanese into characters. Separate punctuation joins the previous word. */
export function splitWords(text: string): string[] {
  const words: string[] = []
  for (const [part] of text.matchAll(wordPattern)) {
    const last = words.at(-1)
    if (last !== undefined && !/[\p{L}\p{N}\p{S}]/u.test(part)) words[words.length - 1] = last + part
    else words.push(part)
  }
  return words
}

/** Punctuation of full width, which contains its space. */
const widePunctuation = /[\u3001-\u3003\u3008-\u301f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/u
/** Marks at the edges of words that scripts with and without spaces share. */
const sharedMarks = /^[…—‘’“”·]+|[…—‘’“”·]+$/gu

/** Joins words to a text, without spaces in scripts that have none and beside punctuation of full width. */
export function joinWords(words: readonly string[]): string {
  return words.reduce((text, word) => {
    if (text === '') return word
    // The last letter of a long text is among its last characters.
    const before = text.slice(-8)
    const isWide = widePunctuation.test(before.at(-1) ?? '') || widePunctuation.test(word.at(0) ?? '')
    const [left, right] = [before.replaceAll(sharedMarks, ''), word.replaceAll(sharedMarks, '')]
    const joins = isWide || (isSpaceless(left.at(-1) ?? '') && isSpaceless(right.at(0) ?? ''))
    return joins ? text + word : `${text} ${word}`
  }, '')
}

/** Length of a spoken word: a space takes about as long as a letter, a Chinese character as two letters. */
export function spokenLength(word: string): number {
  return isSpaceless(word) ? 2 : [...word].length + 1
}

/** Words of a text, with the time of the span distributed by their lengths. */
export function distributeTime(text: string, { start, end }: TimeSpan): TimedWord[] {
  const words = splitWords(text)
  const weights = words.map(spokenLength)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let before = 0
  return words.map((part, index) => {
    const from = start + ((end - start) * before) / total
    before += weights[index] ?? 0
    return { text: part, start: from, end: start + ((end - start) * before) / total }
  })
}

/** A token of a recogniser: a word or part of one. */
interface RecogniserToken {
  readonly text: string
  /** Seconds. */
  readonly start: number
  /** Duration, if the recogniser reports it. */
  readonly seconds?: number | undefined
}

/** Longest token whose end is not reported, seconds. */
const maxTokenSeconds = 0.6

/** Markers of a token that starts a word: SentencePiece, byte-level BPE, and a space. */
const wordStart = /^[▁Ġ ]/u
/** Marker of a token whose word continues with the next one. */
const wordContinues = /@@$/u

/** Tags that recognisers insert: language, emotion, kind of sound. */
const recogniserTag = /<\|[^|]*\|>|<(?:unk|s|\/s|pad|blk|sos\/eos)>/gu

/** Text without tags of the recogniser, with normalised spaces. */
export function plainTranscript(text: string): string {
  return text.replaceAll(recogniserTag, '').replaceAll(/\s+/gu, ' ').trim()
}

/** Joins tokens to words with times; Chinese and Japanese characters are words. `total` is the duration, seconds. */
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

/** End of a word, at most the start of the next one. */
function endBeforeNext({ start, end }: TimedWord, next: TimedWord | undefined): number {
  return next && next.start >= start ? Math.min(end, next.start) : end
}

/** Tolerance of reported times, seconds: a few frames of a recogniser. */
const timeTolerance = 0.25

/** Most words and characters of a result: ten times those of fast speech, and some for very short sound. */
const mostPerSecond = { words: 100, characters: 400 }
const mostAtOnce = { words: 100, characters: 2000 }

/**
 * Validates a result for `seconds` of sound and removes overlaps of words: a word that lasts far into the next one ends
 * where that starts. Calls `fail` with the reason if times are not finite, not in order, or outside the sound, and if
 * there is more text than anyone could say.
 */
export function validateRecognition(
  recognised: RecognitionResult,
  { seconds, fail }: { readonly seconds: number; readonly fail: (what: string) => never },
): RecognitionResult {
  const characters = recognised.words.reduce((sum, { text }) => sum + text.length, recognised.text.length)
  if (recognised.words.length > mostAtOnce.words + mostPerSecond.words * seconds)
    fail(`it has ${recognised.words.length} words for ${seconds.toFixed(1)} s of sound`)
  if (characters > mostAtOnce.characters + mostPerSecond.characters * seconds)
    fail(`it has ${characters} characters for ${seconds.toFixed(1)} s of sound`)
  const words: TimedWord[] = []
  let latest = 0
  for (const [index, { text, start, end }] of recognised.words.entries()) {
    if (!Number.isFinite(start) || !Number.isFinite(end)) fail(`the time of "${text}" is not a number`)
    if (end < start) fail(`"${text}" ends before it starts`)
    if (start < -timeTolerance || start > seconds + timeTolerance) fail(`"${text}" is outside the sound`)
    if (start < latest - timeTolerance) fail(`"${text}" starts before the previous word`)
    latest = Math.max(latest, start)
    const from = Math.min(Math.max(start, words.at(-1)?.end ?? 0), seconds)
    const next = recognised.words[index + 1]?.start ?? Infinity
    const until = end > next + timeTolerance ? Math.max(from, next) : end
    words.push({ text, start: from, end: Math.min(Math.max(until, from), seconds) })
  }
  const { confidence } = recognised
  if (confidence !== null && !(confidence >= 0 && confidence <= 1))
    fail(`the confidence is ${confidence}, not 0 to 1`)
  return { ...recognised, words }
}
