import { expect, test } from 'vitest'
import { rankSpace } from './spaced-breaks.ts'
import { wrapText } from './wrap.ts'

test.each([
  [22, 'In the year 2020 an earthquake hit', 'In the year 2020|an earthquake hit'],
  [24, 'I gave it to her because she asked', 'I gave it to her|because she asked'],
  [26, 'Nobody has ever seen this because it is new', 'Nobody has ever seen this|because it is new'],
  [18, 'They gave us 10 000 reasons', 'They gave us|10 000 reasons'],
  [18, 'Solo vino el 20 por ciento', 'Solo vino|el 20 por ciento'],
])('lines of %s characters break between phrases: %s', (width, text, lines) => {
  expect(wrapText(text, { width, measure: (measured) => measured.length }).join('|')).toBe(lines)
})

test.each([
  ['her', 'because', 'phrase'],
  ['this', 'because it', 'phrase'],
  ['those', 'who came', 'phrase'],
  ['me', 'because', 'phrase'],
  ['her', 'to go', 'phrase'],
  ['me', 'racontait', 'inside'],
  ['lo', 'que dijo', 'inside'],
  ['the', 'how and why', 'inside'],
  ['car', 'is', 'word'],
  ['once', 'years', 'word'],
  ['2020', 'an earthquake', 'word'],
  ['2020', 'per person', 'inside'],
  ['20', 'per cento,', 'unit'],
  ['20', 'pour cent des', 'unit'],
  ['por', 'ciento', 'unit'],
  ['20', 'por favor', 'phrase'],
  ['10', '000', 'unit'],
  ['(10', '000.', 'unit'],
  ['2020', '300', 'word'],
  ['10', '2000', 'word'],
])('the space between "%s" and "%s" has the rank %s', (before, next, rank) => {
  expect(rankSpace(before, next)).toBe(rank)
})
