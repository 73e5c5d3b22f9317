import { characterPattern, comparableText } from './comparable-text.ts'
import { hasWords } from './sentences.ts'

/** How much of a wanted text was recognised. */
export interface TranscriptComparison {
  /** Share of wanted words recognised in order, 0 to 1; 1 if the text has no words. */
  readonly recall: number
  /** Longest run of words that were not recognised. */
  readonly longestGap: number
}

/**
 * Compares a recognised text with the wanted one by the longest common subsequence of words, in Chinese and Japanese of
 * characters. Case, width, punctuation and spaces are ignored.
 */
export function compareTranscripts(wanted: string, heard: string): TranscriptComparison {
  const [words, others] = [comparableWords(wanted), comparableWords(heard)]
  if (words.length === 0) return { recall: 1, longestGap: 0 }
  const found = wordsInCommon(words, others)
  let [lost, longestLost, count] = [0, 0, 0]
  for (const isFound of found) {
    lost = isFound ? 0 : lost + 1
    longestLost = Math.max(longestLost, lost)
    count += isFound ? 1 : 0
  }
  return { recall: count / words.length, longestGap: longestLost }
}

/** Similarity of two texts, 0 to 1: mean recall in both directions; 0 if one has no words. */
export function transcriptSimilarity(one: string, other: string): number {
  if (!hasWords(one) || !hasWords(other)) return 0
  return (compareTranscripts(one, other).recall + compareTranscripts(other, one).recall) / 2
}

const comparedWord = new RegExp(
  String.raw`${characterPattern}|(?:(?!${characterPattern})[\p{L}\p{M}\p{N}])+`,
  'gu',
)

/** Normalised words of a text; Chinese and Japanese characters one by one. */
function comparableWords(text: string): string[] {
  return comparableText(text).plain.replaceAll(/[’']/g, '').match(comparedWord) ?? []
}

/** For each word, whether it is in a longest common subsequence with the others. */
function wordsInCommon(words: readonly string[], others: readonly string[]): boolean[] {
  const width = others.length + 1
  // Lengths of the longest common subsequences of all pairs of suffixes.
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
    // Without this word the length is the same: it is not needed.
    if ((lengths[(one + 1) * width + other] ?? 0) === left) return false
    while (others[other] !== word || (lengths[(one + 1) * width + other + 1] ?? 0) + 1 !== left) other += 1
    other += 1
    return true
  })
}
