import { hopSeconds, type LevelCurve } from '../cut/level-track.ts'
import type { IndexRange } from '../speech/align.ts'
import { isSpaceless } from '../speech/words.ts'
import type { ClipUnit } from './clip-units.ts'

/** Length of the blocks in which the frequency of words is counted, seconds: about one subject. */
const blockSeconds = 45

/** Parts of a unit's rank. Each measure has mean 0 and deviation 1 over the recording. */
const weights = {
  topic: 1.5,
  density: 1,
  centrality: 0.6,
  novelty: 0.4,
  question: 0.5,
  numbers: 0.5,
  emphasis: 0.6,
  energy: 0.5,
}

export interface RankUnitsOptions {
  /** BCP 47 language of the words. */
  readonly language: string
  /** What the clips should be about. */
  readonly topic?: string | undefined
  /** Loudness of each unit against the recording, dB. */
  readonly loudness?: readonly number[]
}

/**
 * Ranks units without a language model: how much they say that is rarely said elsewhere, how close they are to the
 * subject, and signs of a point being made. Returns one number per unit; 0 is average, higher is better. Term weights
 * are TF-IDF (Spärck Jones 1972), nearness is that to the centroid (Radev et al. 2004).
 */
export function rankUnits(
  units: readonly ClipUnit[],
  { language, topic = '', loudness }: RankUnitsOptions,
): number[] {
  const words = splitIntoWords(units, language)
  const rarity = inverseFrequencies(units, words)
  const weight = (word: string) => rarity.get(word) ?? 0
  const vectors = words.map((list) => unitVector(list, weight))
  const subject = centroid(vectors)
  const measures: Record<keyof typeof weights, readonly number[]> = {
    topic: nearness(words, wordsOf(topic, language)),
    density: units.map(
      ({ start, end }, index) => sumOf((words[index] ?? []).map(weight)) / Math.max(1, end - start),
    ),
    centrality: vectors.map((vector) => similarity(vector, subject)),
    novelty: vectors.map((vector, index) => 1 - similarity(vector, vectors[index - 1] ?? new Map())),
    question: units.map(({ text }) => (/[?？]/u.test(text) ? 1 : 0)),
    numbers: units.map(({ text }) => Math.min(2, [...text.matchAll(/\p{N}+/gu)].length)),
    emphasis: units.map(({ text }) => (/[!！]/u.test(text) ? 1 : 0)),
    energy: units.map((_, index) => loudness?.[index] ?? 0),
  }
  const rank = units.map(() => 0)
  for (const [name, values] of Object.entries(measures)) {
    for (const [index, value] of standardized(values).entries()) {
      rank[index] = (rank[index] ?? 0) + weights[name as keyof typeof weights] * value
    }
  }
  return rank
}

/** The words of each unit in lower case and compatibility form. */
function splitIntoWords(units: readonly ClipUnit[], language: string): string[][] {
  return units.map(({ text }) => wordsOf(text, language))
}

const segmenters = new Map<string, Intl.Segmenter>()

function wordsOf(text: string, language: string): string[] {
  const segmenter = segmenters.get(language) ?? new Intl.Segmenter(language, { granularity: 'word' })
  segmenters.set(language, segmenter)
  return [...segmenter.segment(text.normalize('NFKC').toLowerCase())].flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? [segment] : [],
  )
}

/** Units on each side over which the mention of a topic spreads: a passage names its topic once. */
const topicReach = 2

/** How near each unit is to one that mentions a word of the topic, 0 to 1; all words count alike. */
function nearness(words: readonly (readonly string[])[], topic: readonly string[]): number[] {
  const wanted = new Set(topic.filter((word) => [...word].length > 1))
  const mentions = words.map((list) => new Set(list.filter((word) => wanted.has(word))).size)
  return words.map((_, index) => {
    let nearest = 0
    for (let other = index - topicReach; other <= index + topicReach; other += 1) {
      const weight = 1 - Math.abs(other - index) / (topicReach + 1)
      nearest = Math.max(nearest, weight * (mentions[other] ?? 0))
    }
    return nearest / Math.max(1, wanted.size)
  })
}

/** Returns the loudness of each unit against the mean of the units, dB. */
export function unitLoudness(units: readonly ClipUnit[], curve: LevelCurve): number[] {
  const levels = units.map(({ start, end }) => {
    const [first, last] = [Math.floor(start / hopSeconds), Math.min(curve.hops, Math.ceil(end / hopSeconds))]
    let power = 0
    for (let hop = first; hop < last; hop += 1) power += 10 ** (curve.level(hop) / 10)
    return 10 * Math.log10(Math.max(1e-12, power / Math.max(1, last - first)))
  })
  const mean = sumOf(levels) / Math.max(1, levels.length)
  return levels.map((level) => level - mean)
}

/** Least characters of a distinctive word; words of spaceless scripts are shorter. */
const minLetters = { spaced: 4, spaceless: 2 }

/**
 * Returns the words of some units that are rare in the rest of the recording, with the most telling first. Each is in
 * lower case.
 */
export function distinctiveWords(
  units: readonly ClipUnit[],
  { from, to }: IndexRange,
  { language, count }: { readonly language: string; readonly count: number },
): string[] {
  const words = splitIntoWords(units, language)
  const rarity = inverseFrequencies(units, words)
  const counts = new Map<string, number>()
  for (const word of words.slice(from, to).flat()) {
    const least = isSpaceless(word) ? minLetters.spaceless : minLetters.spaced
    if ([...word].length >= least && !/^\p{N}/u.test(word)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const telling = [...counts].map(([word, times]) => ({
    word,
    // Where all words are everywhere, long ones distinguish more.
    weight: times * ((rarity.get(word) ?? 0) + [...word].length / 100),
  }))
  return telling
    .toSorted((one, other) => other.weight - one.weight)
    .slice(0, count)
    .map(({ word }) => word)
}

/** How rare each word is: the logarithm of the number of blocks against those that contain it. */
function inverseFrequencies(
  units: readonly ClipUnit[],
  words: readonly (readonly string[])[],
): Map<string, number> {
  const blocks = new Map<string, Set<number>>()
  const all = new Set<number>()
  for (const [index, { start }] of units.entries()) {
    const block = Math.floor(start / blockSeconds)
    all.add(block)
    for (const word of words[index] ?? []) {
      const found = blocks.get(word)
      if (found) found.add(block)
      else blocks.set(word, new Set([block]))
    }
  }
  return new Map([...blocks].map(([word, found]) => [word, Math.log(all.size / found.size)]))
}

type TermVector = ReadonlyMap<string, number>

/** TF-IDF vector of length 1; empty where all words are everywhere. */
function unitVector(words: readonly string[], weight: (word: string) => number): TermVector {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const weighted = [...counts].flatMap(([word, count]): [string, number][] => {
    const value = count * weight(word)
    return value > 0 ? [[word, value]] : []
  })
  return normalized(new Map(weighted))
}

function centroid(vectors: readonly TermVector[]): TermVector {
  const sums = new Map<string, number>()
  for (const vector of vectors) {
    for (const [word, value] of vector) sums.set(word, (sums.get(word) ?? 0) + value)
  }
  return normalized(sums)
}

function normalized(vector: TermVector): TermVector {
  const length = Math.sqrt(sumOf([...vector.values()].map((value) => value ** 2)))
  return length > 0 ? new Map([...vector].map(([word, value]) => [word, value / length])) : vector
}

/** Cosine of two vectors of length 1. */
function similarity(one: TermVector, other: TermVector): number {
  let sum = 0
  for (const [word, value] of one) sum += value * (other.get(word) ?? 0)
  return sum
}

/** Values with mean 0 and deviation 1; all 0 where they are equal. */
function standardized(values: readonly number[]): number[] {
  const mean = sumOf(values) / Math.max(1, values.length)
  const deviation = Math.sqrt(sumOf(values.map((value) => (value - mean) ** 2)) / Math.max(1, values.length))
  return values.map((value) => (deviation > 1e-9 ? (value - mean) / deviation : 0))
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
