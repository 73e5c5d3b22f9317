import type { LibraryScope } from '../contract/library.ts'
import { isNearDuplicate } from '../media/image/picture-hash.ts'

/** How rare a term of a query is in the library. */
export interface TermWeight {
  readonly term: string
  readonly weight: number
}

/**
 * Returns the weight of each term of a query: higher for rarer ones (inverse document frequency, Spärck Jones 1972). One that
 * no material has counts like the most frequent other one, as it distinguishes nothing.
 */
export function weighTerms(
  counts: readonly { readonly term: string; readonly matches: number }[],
  materials: number,
): TermWeight[] {
  const most = Math.max(...counts.map(({ matches }) => matches))
  return counts.map(({ term, matches }) => ({
    ...{ term, weight: Math.log(1 + (materials + 1) / ((matches || most) + 1)) },
  }))
}

/** Share that a term counts for if only the description or a folder contains it, 0 to 1. */
const weakShare = 0.7

/** Share of the measure that all terms in their order add, 0 to 1. */
const phraseShare = 0.1

/**
 * Returns how much of a query a material contains, 0 to 1: the weighted share of its terms, and whether they follow each
 * other. strong, weak: the terms of the material in order, separated by spaces.
 */
export function wordCoverage(
  terms: readonly TermWeight[],
  { strong, weak }: { readonly strong: string; readonly weak: string },
): number {
  const [strongTerms, weakTerms] = [strong, weak].map((text) => new Set(text.split(' ')))
  let [found, total] = [0, 0]
  for (const { term, weight } of terms) {
    total += weight
    if (strongTerms?.has(term)) found += weight
    else if (weakTerms?.has(term)) found += weakShare * weight
  }
  if (total === 0) return 0
  const phrase = ` ${terms.map(({ term }) => term).join(' ')} `
  const isPhrase = [strong, weak].some((text) => ` ${text} `.includes(phrase))
  return (1 - phraseShare) * (found / total) + (isPhrase ? phraseShare : 0)
}

/** Scores from which results are good, which the contract promises (4.1). */
export const goodScores: Readonly<Record<LibraryScope, number>> = { clip: 0.2, image: 0.2, audio: 0.45 }

/** Score of a material that contains the whole query, 0 to 1. A similar picture or sound can raise it. */
const fullScore = 0.9

/** Converts a coverage to a score: half of the query is a good result. Increases strictly. */
export function wordScore(coverage: number, scope: LibraryScope): number {
  const good = goodScores[scope]
  return coverage <= 0.5 ? 2 * coverage * good : good + 2 * (coverage - 0.5) * (fullScore - good)
}

/** Cosines of texts with pictures or sounds in the space of a model: from which they are good, and how much they spread. */
interface CosineScale {
  readonly good: number
  readonly spread: number
}

/** SigLIP: its sigmoid loss leaves small cosines, with the decision near 0.1 (Zhai 2023, bias over scale). */
const siglipScale: CosineScale = { good: 0.09, spread: 0.03 }

/** Models with a softmax loss, such as CLIP: 0.25 to 0.35 between a picture and its caption (Radford 2021). */
const clipScale: CosineScale = { good: 0.23, spread: 0.04 }

/**
 * CLAP: published examples of its training on LAION-Audio-630K have 0.38 to 0.56 between a recording and its description
 * (dog, applause), and -0.09 to 0.29 between others.
 */
const clapScale: CosineScale = { good: 0.3, spread: 0.1 }

/** Scales by the name of the space; that of CLIP for all others. */
const scales: readonly (readonly [RegExp, CosineScale])[] = [
  [/siglip/i, siglipScale],
  [/clap/i, clapScale],
]

/** Converts a cosine to a score, 0 to 1. Increases strictly, so that no result is hidden. space: of the model. */
export function cosineScore(cosine: number, scope: LibraryScope, space: string): number {
  const { good, spread } = scales.find(([name]) => name.test(space))?.[1] ?? clipScale
  const [steps, limit] = [(cosine - good) / spread, goodScores[scope]]
  // Both parts have the same slope where they meet.
  return steps < 0 ? limit * Math.exp(steps) : 1 - (1 - limit) * Math.exp((-steps * limit) / (1 - limit))
}

/** Combines the scores of words and of picture or sound: either is enough, and both are better. */
export function fuseScores(words: number, content: number): number {
  return 1 - (1 - words) * (1 - content)
}

/** What identifies copies of a material. */
export interface Comparable {
  readonly blake3: string
  readonly picture_hash: string | null
  readonly duration_ms: number | null
  readonly title: string | null
  readonly author: string | null
}

/** Returns materials without near-duplicates of a better one, best first, at most `limit`. */
export function foldDuplicates<T extends Comparable>(ordered: readonly T[], limit: number): T[] {
  const kept: T[] = []
  for (const one of ordered) {
    if (kept.length === limit) break
    if (!kept.some((other) => isCopy(one, other))) kept.push(one)
  }
  return kept
}

function isCopy(one: Comparable, other: Comparable): boolean {
  if (one.blake3 === other.blake3) return true
  // Videos of the same scene have similar covers.
  if (!isEqualLength(one.duration_ms, other.duration_ms)) return false
  if (one.picture_hash !== null && other.picture_hash !== null)
    return isNearDuplicate(one.picture_hash, other.picture_hash)
  return one.title !== null && one.title === other.title && one.author === other.author
}

/** Share by which the durations of copies differ at most, and the rounding of containers, ms. */
const durationShare = 0.02
const durationRounding = 100

function isEqualLength(one: number | null, other: number | null): boolean {
  if (one === null || other === null) return one === other
  return Math.abs(one - other) <= durationRounding + durationShare * Math.max(one, other)
}
