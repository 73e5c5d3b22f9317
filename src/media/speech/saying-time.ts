/** Letters that are written wide say about as much as three others. */
const wideLetter = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u

/** Seconds that one of the others takes to say: 0.07 s were measured in English, 0.22 s for a Chinese one. */
const letterSeconds = 0.075

/** How much there is to say in a text: its letters, a wide one counted as three. */
export function speechLength(text: string): number {
  return [...text].reduce((sum, letter) => sum + (wideLetter.test(letter) ? 3 : 1), 0)
}

/** About how long a text takes to say, seconds. */
export function estimateSpeechSeconds(text: string): number {
  return letterSeconds * speechLength(text)
}
