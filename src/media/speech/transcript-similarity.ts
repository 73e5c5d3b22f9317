import { hasWords } from './sentences.ts'

/** How much of what was to be said is heard. */
export interface TranscriptComparison {
  /** Of the words that were to be said, those that are heard, in order; 1 where there was nothing to say. */
  readonly recall: number
  /** Most words in a row that are not heard. */
  readonly longestGap: number
}

/**
 * Holds what a recogniser heard against what was to be said: word by word, in Chinese and Japanese letter by letter,
 * without regard to case, width, marks and space (a longest common subsequence).
 */
export function compareTranscripts(wanted: string, heard: string): TranscriptComparison {
  const [words, others] = [comparableWords(wanted), comparableWords(heard)]
  if (words.length === 0) return { recall: 1, longestGap: 0 }
  const found = commonWords(words, others)
  let [lost, longestLost, count] = [0, 0, 0]
  for (const isFound of found) {
    lost = isFound ? 0 : lost + 1
    longestLost = Math.max(longestLost, lost)
    count += isFound ? 1 : 0
  }
  return { recall: count / words.length, longestGap: longestLost }
}

/** How much two texts say the same: 0 to 1, as much as each is heard in the other; 0 where one says nothing. */
export function transcriptSimilarity(one: string, other: string): number {
  if (!hasWords(one) || !hasWords(other)) return 0
  return (compareTranscripts(one, other).recall + compareTranscripts(other, one).recall) / 2
}

/** Words as they sound alike: in Chinese and Japanese letters, in others from space to space. */
function comparableWords(text: string): string[] {
  const plain = text.normalize('NFKC').toLowerCase().replaceAll(/[’']/g, '')
  return (
    plain.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[\p{L}\p{M}\p{N}]+/gu)?.flatMap(splitScripts) ??
    []
  )
}

/** A word in which both kinds of letters stand side by side. */
function splitScripts(word: string): string[] {
  return (
    word.match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+/gu) ??
    []
  )
}

/** Which of the words are in a longest common subsequence with the others. */
function commonWords(words: readonly string[], others: readonly string[]): boolean[] {
  const width = others.length + 1
  // Lengths for what is left of both from each place on.
  const lengths = new Uint16Array((words.length + 1) * width)
  for (let one = words.length - 1; one >= 0; one -= 1) {
    for (let other = others.length - 1; other >= 0; other -= 1) {
      const at = one * width + other
      lengths[at] =
        words[one] === others[other]
          ? (lengths[at + width + 1] ?? 0) + 1
          : Math.max(lengths[at + width] ?? 0, lengths[at + 1] ?? 0)
    }
  }
  let other = 0
  return words.map((word, one) => {
    const left = lengths[one * width + other] ?? 0
    // To leave the word out costs nothing: then it is not needed for the longest.
    if ((lengths[(one + 1) * width + other] ?? 0) === left) return false
    while (others[other] !== word || (lengths[(one + 1) * width + other + 1] ?? 0) + 1 !== left) other += 1
    other += 1
    return true
  })
}
