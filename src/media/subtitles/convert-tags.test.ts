import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { convertTags } from './convert-tags.ts'
import { plainText } from './tokens.ts'

it.each([
  ['<i>Away</i>', String.raw`{\i1}Away{\i0}`],
  ['<b>One</b>\n<u>two</u>', String.raw`{\b1}One{\b0}\N{\u1}two{\u0}`],
  ['<font color="#ff8000">Warm</font>', String.raw`{\c&H0080FF&}Warm{\c}`],
  [String.raw`{\an8}Above`, String.raw`{\an8}Above`],
])('%j is %j in ass, and comes back', (srt, ass) => {
  expect(convertTags(srt, 'srt', 'ass')).toBe(ass)
  expect(convertTags(ass, 'ass', 'srt').toLowerCase()).toBe(srt.toLowerCase())
})

it.each([
  [String.raw`{\pos(10,20)\i1}Sign`, '<i>Sign</i>'],
  [String.raw`{\i1}one{\b1}two{\i0}three`, '<i>one<b>two</b></i>three'],
  [String.raw`{\p1}m 0 0 l 9 9{\p0}words\hhere`, 'words\u00a0here'],
  ['{a note}words', 'words'],
  [String.raw`a \{brace\} and <i> in words`, 'a {brace} and <\u2060i> in words'],
])('of %j an srt holds %j', (ass, srt) => {
  expect(convertTags(ass, 'ass', 'srt')).toBe(srt)
})

it('words are unchanged by a conversion', () => {
  const bits = fc.constantFrom(
    '<i>',
    '</i>',
    '<b>',
    '</b>',
    '{',
    '}',
    '\\',
    'N',
    'word',
    ' ',
    '<',
    '>',
    '&amp;',
    '字',
  )
  fc.assert(
    fc.property(fc.array(bits), (pieces) => {
      const srt = pieces.join('')
      const ass = convertTags(srt, 'srt', 'ass')
      const shown = (text: string) => text.replaceAll('\u2060', '')
      expect(shown(plainText(ass, 'ass'))).toBe(shown(plainText(srt, 'srt')))
    }),
  )
})
