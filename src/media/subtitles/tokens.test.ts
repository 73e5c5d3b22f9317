import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { soakSize } from '../../../test/soak-size.ts'
import { restoreTags } from './restore-tags.ts'
import type { SubtitleFormat } from './subtitles.ts'
import { plainText, translatableText, tokenize, stripTags, escapeText } from './tokens.ts'

const piece = fc.constantFrom(
  ...[
    '{\\i1}',
    '{\\i0}',
    '{note}',
    '{\\pos(1,2)\\p1}',
    'm 0 0 l 1 1',
    '{\\p0}',
    '\\N',
    '\\n',
    '\\h',
    '{',
    '}',
    '\\',
    '<',
  ],
  ...[
    '<i>',
    '</i>',
    '<b>',
    '<font color="red">',
    '</font>',
    '{\\an8}',
    '\n',
    '<v Anna>',
    '<00:01.000>',
    '&amp;',
    '&',
  ],
  ...['word', ' ', '你好', '👨‍👩‍👧', '{\\k20}', 'x', '3 < 4', '\u2060', '\ud800'],
)
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
const format = fc.constantFrom<SubtitleFormat>('srt', 'ass', 'vtt')

/** What is no text and no break, in its order. */
const kept = (raw: string, of: SubtitleFormat) =>
  tokenize(raw, of)
    .filter(({ kind }) => kind === 'tags' || kind === 'drawing')
    .map((token) => token.raw)

test('the joined tokens are the text', () => {
  fc.assert(
    fc.property(text, format, (raw, of) => {
      expect(
        tokenize(raw, of)
          .map((token) => token.raw)
          .join(''),
      ).toBe(raw)
    }),
    { numRuns: 2000 },
  )
})

test('escaped words are parsed as the same words', () => {
  fc.assert(
    fc.property(text, format, (words, of) => {
      // In SRT a joiner after a sign is what keeps it from being one.
      const said = of === 'srt' ? words.replaceAll('\u2060', '') : words
      expect(plainText(escapeText(said, of), of)).toBe(said)
      expect(kept(escapeText(said, of), of)).toEqual([])
    }),
    { numRuns: 2000 },
  )
})

test('restoring tags keeps all words and tags in order', () => {
  fc.assert(
    fc.property(text, text, format, (raw, replacement, of) => {
      const words = stripTags(replacement.replaceAll('\u2060', ''), of)
      const laid = restoreTags(raw, words, of)
      const hasWords = tokenize(raw, of).some(({ kind }) => kind === 'text')
      if (!hasWords) {
        expect(laid).toBe(raw)
        return
      }
      expect(kept(laid, of)).toEqual(kept(raw, of))
      expect(plainText(laid, of)).toBe(stripTags(words, of))
    }),
    { numRuns: 4000 },
  )
})

test('tags are placed at the ends, or by the share of words before them', () => {
  const laid = (raw: string, words: string, of: SubtitleFormat = 'ass') => restoreTags(raw, words, of)
  expect(laid(String.raw`{\an8\i1}Hello{\i0}`, '你好')).toBe(String.raw`{\an8\i1}你好{\i0}`)
  expect(laid(String.raw`I {\b1}never{\b0} saw it`, '我从来没有看见过它')).toBe(
    String.raw`我{\b1}从来没有{\b0}看见过它`,
  )
  expect(laid('<i>One</i>\ntwo', 'eins zwei', 'srt')).toBe('<i>eins</i> zwei')
  expect(laid(String.raw`{\p1}m 0 0 l 9 9{\p0}Sign`, 'Schild\nneu')).toBe(
    String.raw`{\p1}m 0 0 l 9 9{\p0}Schild\Nneu`,
  )
  expect(laid('Hi', String.raw`{\i1}Hallo\NDu {x}`)).toBe(String.raw`Hallo\NDu \{x\}`)
})

test('drawings and karaoke have no text', () => {
  expect(translatableText(String.raw`{\p1}m 0 0 l 9 9`, 'ass')).toBe('')
  expect(translatableText(String.raw`{\p1}m 0 0 l 9 9{\p0}Sign`, 'ass')).toBe('Sign')
  expect(translatableText(String.raw`{\k20}ka{\kf30}ra`, 'ass')).toBe('')
  expect(translatableText(String.raw`{\an8} \N\h`, 'ass')).toBe('')
  expect(translatableText(' <i> </i>', 'srt')).toBe('')
})

test('nested and unclosed tags take linear time', () => {
  for (const sign of ['{', '{\\i1', '<i', '<', '<i>', '{\\', '\\', '\\N', '{}', '<font ', '&']) {
    const raw = sign.repeat(soakSize(500_000, 2_000_000) / sign.length)
    const before = process.threadCpuUsage()
    for (const of of ['srt', 'ass', 'vtt'] as const) plainText(raw, of)
    const { user, system } = process.threadCpuUsage(before)
    // A quarter of the text has a sixteenth of the time, as quadratic work takes.
    expect((user + system) / 1000, sign).toBeLessThan(soakSize(15_000 / 16, 15_000))
  }
})
