/** Most that a piece has to say: about 20 s of speech, from where on voices lose words. */
const maxSentenceLength = 240

/** What ends a sentence, with the quotes and brackets that close behind it. */
const sentenceEnd = /(?<=[。！？!?…][”’」』）)】"']*)(?![。！？!?…”’」』）)】"'])|(?<=\.[”’)"']*)(?=\s)|\n+/u

/** Where a sentence that is too long is cut, the best places first. */
const clauseEnds = [/(?<=[;；:：])/u, /(?<=[,，、—])/u, /(?<=\s)/u, /(?<=.)/su]

/** Dots behind which a sentence goes on. */
const abbreviation =
  /(?:^|[\s("'“])(?:\p{L}|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|No|e\.g|i\.e|a\.m|p\.m|U\.S|U\.K)\.$/iu

/**
 * A text in the pieces in which it is spoken, one a sentence; longer ones are cut between clauses, else words. All of
 * the text is in them but the space around them; pieces without a letter or digit go with the one before.
 */
export function splitSentences(text: string): string[] {
  const sentences: string[] = []
  for (const part of text.split(sentenceEnd)) {
    const last = sentences.at(-1)
    const goesOn = last !== undefined && abbreviation.test(last.trimEnd()) && !last.endsWith('\n')
    if (last !== undefined && (goesOn || !hasWords(part))) sentences[sentences.length - 1] = last + part
    else sentences.push(part)
  }
  return sentences
    .flatMap((sentence) => splitLongSentence(sentence.trim(), clauseEnds))
    .map((piece) => piece.trim())
    .filter(hasWords)
}

/** Whether there is anything to say in a text. */
export function hasWords(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text)
}

/** A sentence in pieces of at most what one may have to say, as even as its clauses let them be. */
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

/** Clauses joined so that every cut is as near as can be to where even pieces would end. */
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

/** Letters that are written wide say about as much as three others. */
const wideLetter = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u

/** Seconds that one of the others takes to say: 0.07 s were measured in English, 0.22 s for a Chinese one. */
const letterSeconds = 0.075

/** How much there is to say in a text: its letters, a wide one counted as three. */
function speechLength(text: string): number {
  return [...text].reduce((sum, letter) => sum + (wideLetter.test(letter) ? 3 : 1), 0)
}

/** About how long a text takes to say, seconds. */
export function estimateSpeechSeconds(text: string): number {
  return letterSeconds * speechLength(text)
}
