import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { divideText } from './divide-text.ts'

test.each([
  [
    'Quand j’étais petit, ma grand-mère me racontait l’histoire de la mer.',
    [19, 14, 21],
    ['Quand j’étais petit,', 'ma grand-mère me racontait', 'l’histoire de la mer.'],
  ],
  [
    '我小时候，奶奶给我讲过一个关于大海的故事，我从来没有忘记。',
    [30, 40, 40],
    ['我小时候，', '奶奶给我讲过一个关于大海的故事，', '我从来没有忘记。'],
  ],
  ['We sold the house for 20 coins', [10, 11], ['We sold the house', 'for 20 coins']],
  ['Yes.', [4, 5, 6], ['Yes.', '', '']],
  ['', [4, 5], ['', '']],
])('%s is divided in proportion, at phrases', (text, lengths, parts) => {
  expect(divideText(text, lengths)).toEqual(parts)
})

test('parts contain the whole text in order, and each has a word where there are enough', () => {
  const words = fc.array(fc.constantFrom('sea', 'of', 'the', '海边，', 'story.', '25', 'km', '好'), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(
      words,
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 }),
      (list, lengths) => {
        const text = list.join(' ')
        const parts = divideText(text, lengths)
        expect(parts).toHaveLength(lengths.length)
        expect(parts.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
        if (list.length >= lengths.length) expect(parts.filter((part) => part === '')).toEqual([])
      },
    ),
    { numRuns: 500 },
  )
})
