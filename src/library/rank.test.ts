import fc from 'fast-check'
import { expect, test } from 'vitest'
import { libraryScopes } from '../contract/library.ts'
import {
  type Comparable,
  cosineScore,
  foldDuplicates,
  fuseScores,
  goodScores,
  weighTerms,
  wordCoverage,
  wordScore,
} from './rank.ts'

const share = fc.double({ min: 0, max: 1, noNaN: true })
const scope = fc.constantFrom(...libraryScopes)
const space = fc.constantFrom('siglip2-base 1', 'jina-clip-v2', 'clap-htsat-unfused 1')

test('scores are between 0 and 1, increase, and never hide an order', () => {
  const cosine = fc.integer({ min: -100, max: 100 })
  fc.assert(
    fc.property(scope, space, cosine, cosine, (where, model, one, other) => {
      const [low, high] = [Math.min(one, other) / 100, Math.max(one, other) / 100]
      const scores = [low, high].map((value) => cosineScore(value, where, model))
      expect(scores.every((score) => score > 0 && score <= 1)).toBe(true)
      if (low < high) expect(scores[0]).toBeLessThan(scores[1] ?? 0)
    }),
  )
  fc.assert(
    fc.property(scope, share, share, (where, one, other) => {
      fc.pre(Math.abs(one - other) > 1e-9)
      const [low, high] = [wordScore(Math.min(one, other), where), wordScore(Math.max(one, other), where)]
      expect(low >= 0 && low < high && high <= 1).toBe(true)
    }),
  )
})

test.for(libraryScopes)('a good result of %s has the score that the contract promises', (where) => {
  expect(wordScore(0.5, where)).toBeCloseTo(goodScores[where])
  expect(cosineScore(0.09, where, 'siglip2-large')).toBeCloseTo(goodScores[where])
  expect(cosineScore(0.23, where, 'jina-clip-v2')).toBeCloseTo(goodScores[where])
  expect(cosineScore(0.3, where, 'clap-htsat-unfused')).toBeCloseTo(goodScores[where])
})

test('a fused score is at least the better one, whatever the order', () => {
  fc.assert(
    fc.property(share, share, (words, content) => {
      const fused = fuseScores(words, content)
      expect(fused).toBeCloseTo(fuseScores(content, words))
      expect(fused).toBeGreaterThanOrEqual(Math.max(words, content) - 1e-12)
      expect(fused).toBeLessThanOrEqual(1)
    }),
  )
})

test('coverage: all terms in order are most, rare terms count more, titles more than notes', () => {
  const counts = [
    { term: 'rain', matches: 2 },
    { term: 'city', matches: 90 },
  ]
  const terms = weighTerms(counts, 100)
  const measure = (strong: string, weak = '') => wordCoverage(terms, { strong, weak })
  expect(measure('rain city')).toBe(1)
  const ordered = ['night rain city', 'city rain', 'rain', 'city', 'night'].map((text) => measure(text))
  expect(ordered).toEqual(ordered.toSorted((one, other) => other - one))
  expect(new Set(ordered).size).toBe(5)
  expect(measure('', 'rain city')).toBeLessThan(measure('rain city'))
  expect(measure('', 'rain city')).toBeGreaterThan(0.5)
})

test('folding keeps the best of each group of copies, in order, up to the limit', () => {
  const material = fc.record({
    blake3: fc.constantFrom('a', 'b', 'c', 'd'),
    picture_hash: fc.constantFrom(null, '0000000000000000808080', 'ffffffffffffffff808080'),
    duration_ms: fc.constant(null),
    title: fc.constantFrom(null, 'one', 'two'),
    author: fc.constant(null),
  })
  fc.assert(
    fc.property(fc.array(material, { maxLength: 12 }), fc.integer({ min: 1, max: 12 }), (list, limit) => {
      const kept = foldDuplicates<Comparable>(list, limit)
      expect(kept.length).toBeLessThanOrEqual(limit)
      expect(kept[0]).toBe(list[0])
      expect(kept).toEqual(list.filter((one) => kept.includes(one)))
      expect(new Set(kept.map(({ blake3 }) => blake3)).size).toBe(kept.length)
      expect(foldDuplicates(kept, limit)).toEqual(kept)
    }),
  )
})

test('videos with equal covers are copies only if they are equally long', () => {
  const video = (blake3: string, duration_ms: number) => ({
    ...{ blake3, duration_ms, picture_hash: '0000000000000000808080', title: null, author: null },
  })
  const [first, copy, other] = [video('a', 10_000), video('b', 10_040), video('c', 8000)]
  expect(foldDuplicates([first, copy, other], 9)).toEqual([first, other])
})

test('a term that no material has does not outweigh the others', () => {
  const weights = weighTerms(
    [
      { term: 'rain', matches: 2 },
      { term: 'xyzzy', matches: 0 },
    ],
    100,
  )
  expect(weights[1]?.weight).toBe(weights[0]?.weight)
  expect(weighTerms([{ term: 'xyzzy', matches: 0 }], 0)[0]?.weight).toBeGreaterThan(0)
})
