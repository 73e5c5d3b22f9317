import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { stripEntry, stripPunctuation } from './strip-punctuation.ts'
import { plainText, tokenize } from './tokens.ts'

test.each([
  ['你好，世界。', '你好 世界'],
  ['Hello, world.', 'Hello world'],
  ['Really? Yes! 是吗？是！', 'Really? Yes! 是吗？是！'],
  ['Pi is 3.14, or 3,14, of 1,000.50.', 'Pi is 3.14 or 3,14 of 1,000.50'],
  ['价格是３．１４，对．', '价格是３．１４ 对'],
  ['See example.com, www.a-b.co.uk.', 'See example.com www.a-b.co.uk'],
  ['请看example.com。谢谢', '请看example.com 谢谢'],
  ['U.S., e.g. at 5 p.m. Mr. Smith', 'U.S. e.g. at 5 p.m. Mr Smith'],
  ['Wait... what.. 好。。。 等……', 'Wait... what.. 好。。。 等……'],
  ['v1.2.3, talk.mp4, at 10.30.', 'v1.2.3 talk.mp4 at 10.30'],
  ['.5 of .NET, Node.js.', '.5 of .NET Node.js'],
  ['你好.世界,再见', '你好 世界 再见'],
  ['苹果、梨；桃：好', '苹果、梨；桃：好'],
  ['  a ,  b .\n . c,', 'a b\nc'],
  ['第1,第2', '第1 第2'],
  ['ｱ､ｲ｡', 'ｱ､ｲ'],
])('%s', (text, wanted) => {
  expect(stripPunctuation(text)).toBe(wanted)
})

test('tags are kept, and numbers are recognized across them', () => {
  expect(stripEntry(String.raw`{\pos(1.5,2)}Hello,{\i1} 3.{\b1}14.\N {\i0}你好，`, 'ass')).toBe(
    String.raw`{\pos(1.5,2)}Hello {\i1}3.{\b1}14\N{\i0}你好`,
  )
  expect(stripEntry('<font face="a.b,c">Hi,</font>\nyou.', 'srt')).toBe('<font face="a.b,c">Hi</font>\nyou')
  expect(stripEntry('a &lt; b, c', 'vtt')).toBe('a &lt; b c')
})

const piece = fc.constantFrom(
  ...[
    '，',
    ',',
    '。',
    '.',
    '．',
    '、',
    '?',
    '…',
    '..',
    ' ',
    '  ',
    '\n',
    'a',
    'Bc',
    '你',
    '好',
    '1',
    '23',
    '３',
    'é',
    '\u3000',
  ],
)
const text = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''))

test('only commas, periods and spaces are removed, and a second run changes nothing', () => {
  fc.assert(
    fc.property(text, (raw) => {
      const stripped = stripPunctuation(raw)
      const rest = (of: string) => of.replaceAll(/[，,。.．\s]/g, '')
      expect(rest(stripped)).toBe(rest(raw))
      expect(stripPunctuation(stripped)).toBe(stripped)
      for (const line of stripped.split('\n')) {
        expect(line).toBe(line.trim())
        expect(line).not.toMatch(/[ \u3000]{2}/)
        expect(line).not.toMatch(/，$|(?<!。)。$|\p{Script=Han}[,.](?!\.)/u)
      }
    }),
    { numRuns: 5000 },
  )
})

test('an entry with tags is stripped like its plain text', () => {
  const tagged = fc.array(fc.oneof(piece, fc.constantFrom('{\\i1}', '{a,b.}', '\\N')), { maxLength: 14 })
  fc.assert(
    fc.property(tagged, (pieces) => {
      const raw = pieces.join('').replaceAll('\n', '')
      const stripped = stripEntry(raw, 'ass')
      expect(plainText(stripped, 'ass')).toBe(stripPunctuation(plainText(raw, 'ass')))
      const tags = (of: string) => tokenize(of, 'ass').filter(({ kind }) => kind !== 'text')
      expect(tags(stripped)).toEqual(tags(raw))
    }),
    { numRuns: 2000 },
  )
})
