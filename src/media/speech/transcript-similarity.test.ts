import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareTranscripts, transcriptSimilarity } from './transcript-similarity.ts'

test.each([
  ['Ask not what your country can do.', 'ask not what your country can do', { recall: 1, longestGap: 0 }],
  ['希望你以后能够做的比我还好呦。', '希望你以后能做的比我还好', { recall: 12 / 14, longestGap: 1 }],
  ['one two three four five', 'one five', { recall: 2 / 5, longestGap: 3 }],
  ['one two three', '', { recall: 0, longestGap: 3 }],
  ['我用iPhone十五', '我用 iphone 十五', { recall: 1, longestGap: 0 }],
  ['It’s ＯＫ', 'its ok', { recall: 1, longestGap: 0 }],
  ['……', 'anything', { recall: 1, longestGap: 0 }],
])('%s / %s', (wanted, heard, comparison) => {
  expect(compareTranscripts(wanted, heard)).toEqual(comparison)
})

test('words removed from a text are reported as lost', () => {
  const word = fc.constantFrom('a', 'b', 'c', '中', '文')
  fc.assert(
    fc.property(fc.array(fc.tuple(word, fc.boolean()), { minLength: 1, maxLength: 40 }), (some) => {
      const wanted = some.map(([letters]) => letters).join(' ')
      const heard = some.flatMap(([letters, stays]) => (stays ? letters : [])).join(' ')
      const kept = some.filter(([, stays]) => stays).length
      const comparison = compareTranscripts(wanted, heard)
      expect(comparison.recall).toBeCloseTo(kept / some.length, 12)
      expect(comparison.longestGap).toBeLessThanOrEqual(some.length - kept)
      expect(compareTranscripts(wanted, wanted)).toEqual({ recall: 1, longestGap: 0 })
    }),
  )
})

test('text without words has no similarity, not even to itself', () => {
  const silent = fc.constantFrom('', ' ', '。', '♪', '……')
  fc.assert(
    fc.property(fc.string(), silent, (text, nothing) => {
      expect(transcriptSimilarity(text, nothing)).toBe(0)
      expect(transcriptSimilarity(nothing, text)).toBe(0)
    }),
  )
  expect(transcriptSimilarity('Hello, world!', 'hello world')).toBe(1)
  expect(transcriptSimilarity('hello world', 'hello')).toBe(0.75)
})
