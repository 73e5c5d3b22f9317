import fc from 'fast-check'
import { expect, test } from 'vitest'
import { queryTerms, textTerms } from './terms.ts'

test.for([
  ['Crème brûlée, Glasses & GPT-4!', ['creme', 'brulee', 'glass', 'gpt', '4']],
  [
    '雨の東京タワー',
    ['雨の', 'の東', '東京', '京タ', 'タワ', 'ワー', '雨', 'の', '東', '京', 'タ', 'ワ', 'ー'],
  ],
  ['黒猫 cat が', ['黒猫', '黒', '猫', 'cat', 'が']],
  ['ﾊﾟﾘ ｃａｆé', ['パリ', 'パ', 'リ', 'cafe']],
  ['서울 밤', ['서울', '서', '울', '밤']],
  ['snake_case it’s TV', ['snake', 'case', 'its', 'tv']],
  ["'; drop --\u0000", ['drop']],
  ['', []],
] as const)('terms of %j', ([text, terms]) => {
  expect(textTerms(text)).toEqual(terms)
})

test.for([
  'glass glasses',
  'bus buses',
  'beach beaches',
  'box boxes',
  'house houses',
  'avalanche avalanches',
  'lens lenses',
])('singular and plural are one term: %s', (text) => expect(new Set(textTerms(text)).size).toBe(1))

test('words that only look like a plural keep their s', () => {
  expect(textTerms('news lens bus glass this new')).toEqual(['news', 'lens', 'bus', 'glass', 'this', 'new'])
})

test.for([
  ['海边', ['海边']],
  ['a picture of the sea', ['sea']],
  ['the', ['the']],
  ['海', ['海']],
  ['X', ['x']],
] as const)('query %j', ([text, terms]) => {
  expect(queryTerms(text)).toEqual(terms)
})

test('every query term is a term of a text that contains the query, and has only letters and digits', () => {
  const part = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('海边', 'の', 'Straße', 'ﾊﾟ', '안녕', ' ', '_'),
  )
  fc.assert(
    fc.property(
      fc.array(part).map((parts) => parts.join('')),
      (text) => {
        const terms = new Set(textTerms(`before ${text} after`))
        for (const term of queryTerms(text)) {
          expect(terms).toContain(term)
          expect(term).toMatch(/^[\p{L}\p{N}\p{M}]{1,64}$/u)
        }
      },
    ),
  )
})
