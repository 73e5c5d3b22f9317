/** Longest piece, in letters to speak: about 20 s of speech; voice models drop words in longer ones. */
const maxSentenceLength = 240

/** End of a sentence, with closing quotes and brackets. */
const sentenceEnd =
  /(?<=[。！？!?؟…][”’」』）)】"']*)(?![。！？!?؟…”’」』）)】"'])|(?<=\.[”’)"']*)(?=\s)|(?<=\n)(?!\n)/u

/** Where long sentences are split, best places first. */
const clauseEnds = [/(?<=[;；:：؛])/u, /(?<=[,，、،—])/u, /(?<=\s)/u, /(?<=.)/su]

/** Abbreviations, whose dot does not end a sentence. */
const abbreviation =
  /(?:^|[\s("'“])(?:\p{L}|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|No|e\.g|i\.e|a\.m|p\.m|U\.S|U\.K)\.$/iu

/**
 * Splits a text into sentences for speech synthesis. Long sentences are split between clauses, else between words. Only
 * surrounding spaces are lost; parts without letters or digits join the previous sentence.
 */
export function splitSentences(text: string): string[] {
  return sentenceParts(text)
    .flatMap((sentence) => splitLongSentence(sentence.trim(), clauseEnds))
    .map((piece) => piece.trim())
    .filter(hasWords)
}

/** Splits a text after its sentences. Parts without letters or digits join the previous one; nothing is lost. */
export function sentenceParts(text: string): string[] {
  const sentences: string[] = []
  for (const part of text.split(sentenceEnd)) {
    const last = sentences.at(-1)
    const continuesSentence = last !== undefined && abbreviation.test(last.trimEnd()) && !last.endsWith('\n')
    if (last !== undefined && (continuesSentence || !hasWords(part)))
      sentences[sentences.length - 1] = last + part
    else sentences.push(part)
  }
  return sentences
}

const endMark = /[。！？!?؟….][”’」』）)】"']*$/u

/** Whether a text or its last word ends a sentence: with an end mark that is not the dot of an abbreviation. */
export function endsSentence(text: string): boolean {
  // "No." is an answer more often than a number.
  return endMark.test(text) && (!abbreviation.test(text) || /(?<!\p{L})no\.$/iu.test(text))
}

/** Abbreviations before other words of the sentence, and the one before numbers; without their dot. */
const [leading, leadingNumber] = [
  /(?:^|[\s("'“])(?:Mr|Mrs|Ms|Dr|Prof|St|vs|e\.g|i\.e)$/iu,
  /(?:^|[\s("'“])No$/u,
]

/**
 * Returns the text between two words, `after` a text and before `next`, without the dot of an abbreviation: of "Mr. Lee"
 * it is a space, as nobody pauses there. At the end of a line the dot stays.
 */
export function withoutAbbreviationDot(
  between: string,
  { after, next }: { readonly after: string; readonly next: string },
): string {
  if (!/^\.[^\S\n]/u.test(between) || between.includes('\n')) return between
  const isAbbreviation = leading.test(after) || (leadingNumber.test(after) && /^\p{N}/u.test(next))
  return isAbbreviation ? between.slice(1) : between
}

/** Whether a text contains a letter or digit. */
export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}

/** Splits a sentence into pieces of at most `maxSentenceLength`, as even as its clauses allow. */
function splitLongSentence(sentence: string, [ends, ...finer]: readonly RegExp[]): string[] {
  const whole = speechLength(sentence)
  if (whole <= maxSentenceLength || !ends) return [sentence]
  const clauses = sentence.split(ends)
  for (let count = Math.ceil(whole / maxSentenceLength); count < clauses.length; count += 1) {
    const pieces = joinEvenly(clauses, whole / count)
    if (pieces.every((piece) => speechLength(piece) <= maxSentenceLength)) return pieces
  }
  return clauses.flatMap((clause) => splitLongSentence(clause, finer))
}

/** Joins clauses to pieces of about `even` letters each. */
function joinEvenly(clauses: readonly string[], even: number): string[] {
  const pieces: string[] = []
  let before = 0
  for (const clause of clauses) {
    const after = before + speechLength(clause)
    const end = even * Math.max(1, pieces.length)
    const isNearer = Math.abs(after - end) <= Math.abs(before - end)
    if (pieces.length > 0 && isNearer) pieces[pieces.length - 1] += clause
    else pieces.push(clause)
    before = after
  }
  return pieces
}

/** Wide letters take about as long to speak as three others. */
const wideLetter = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u

/** Seconds per narrow letter; measured: 0.07 s in English, 0.22 s per Chinese character. */
const letterSeconds = 0.075

/** Length of a text in letters to speak; wide letters count three. */
export function speechLength(text: string): number {
  return [...text].reduce((sum, letter) => sum + (wideLetter.test(letter) ? 3 : 1), 0)
}

/** Estimated duration of a spoken text, seconds. */
export function estimateSpeechSeconds(text: string): number {
  return letterSeconds * speechLength(text)
}
