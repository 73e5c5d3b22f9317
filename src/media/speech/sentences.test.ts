import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitSentences } from './sentences.ts'

test.each([
  ['你好。今天天气不错！我们走吧？', ['你好。', '今天天气不错！', '我们走吧？']],
  ['“走吧。”他说。', ['“走吧。”', '他说。']],
  [
    'Dr. Smith paid 3.14 dollars. He left at 5 p.m. on Monday!  Really?!',
    ['Dr. Smith paid 3.14 dollars.', 'He left at 5 p.m. on Monday!', 'Really?!'],
  ],
  ['See example.com for more... And so on.', ['See example.com for more...', 'And so on.']],
  ['一行\n另一行\n\n', ['一行', '另一行']],
  ['等等……好的', ['等等……', '好的']],
  ['はい、そうです。わかりました。', ['はい、そうです。', 'わかりました。']],
  ['Plan J. F. Kennedy. 好', ['Plan J. F. Kennedy.', '好']],
  ['هل أنت بخير؟ نعم.', ['هل أنت بخير؟', 'نعم.']],
  ['。。。', []],
  ['no end', ['no end']],
])('%s', (text, sentences) => {
  expect(splitSentences(text)).toEqual(sentences)
})

test('splits a long sentence evenly between clauses', () => {
  const clause = '他说，他今天早上很早就起来了，吃了早饭，然后去了公园，'
  const pieces = splitSentences(`${clause.repeat(5)}回来了。`)
  expect(pieces.join('')).toBe(`${clause.repeat(5)}回来了。`)
  expect(pieces.length).toBe(2)
  for (const piece of pieces.slice(0, -1)) expect(piece).toMatch(/，$/)
  for (const piece of pieces) expect(piece.length).toBeGreaterThan(40)
})

test('for any text only spaces are lost, and no piece is too long or without words', () => {
  const letters = fc.constantFrom(...'abZ 12.,!?;:…。，！？、“”()\n中文日本語カナ한국어éø-—')
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 1200 }), (text) => {
      const pieces = splitSentences(text)
      const bare = (some: string) => some.replace(/\s+/g, '')
      if (/[\p{L}\p{N}]/u.test(text)) {
        const [first = ''] = pieces
        // What comes before the first word may say nothing.
        const from = bare(text).indexOf(bare(first))
        expect(bare(text).slice(from)).toBe(bare(pieces.join('')))
      } else expect(pieces).toEqual([])
      for (const piece of pieces) {
        expect(piece).toMatch(/[\p{L}\p{N}]/u)
        expect([...piece].length).toBeLessThanOrEqual(240)
      }
    }),
    { numRuns: 500 },
  )
})
