import { expect, test } from 'vitest'
import { readSource } from '../../../src/media/subtitles/encoding.ts'
import { asEncodable, encodeSubtitle, samples } from './sample-files.ts'

const file = (lines: readonly string[]) =>
  lines
    .map((line, index) => `${index + 1}\r\n00:00:0${index},000 --> 00:00:0${index},900\r\n${line}\r\n`)
    .join('\r\n')

test.each(samples)('detects %s in four lines of %s', (encoding, language, lines) => {
  const text = asEncodable(encoding, file(lines))
  const bytes = encodeSubtitle(text, encoding)
  expect(readSource(bytes, language)).toMatchObject({ encoding, bom: false, text })
})

/** Without a language, Baltic letters cannot be distinguished from those of western Europe. */
const unannounced = samples.filter(([encoding]) => encoding !== 'windows-1257')

test.each(unannounced)('detects %s without a language', (encoding, _, lines) => {
  const text = asEncodable(encoding, file([...lines, ...lines]))
  expect(readSource(encodeSubtitle(text, encoding)).encoding).toBe(encoding)
})

test.each(samples.slice(0, 8))('detects %s in one line of %s', (encoding, language, [line = '']) => {
  expect(readSource(encodeSubtitle(file([line]), encoding), language).encoding).toBe(encoding)
})

test('detects Unicode with and without a byte order mark, and in truncated files', () => {
  for (const [, , lines] of samples) {
    const text = file(lines)
    for (const encoding of ['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'] as const) {
      for (const bom of [true, false]) {
        expect(readSource(encodeSubtitle(text, encoding, bom))).toMatchObject({ encoding, bom, text })
      }
    }
    const cut = encodeSubtitle(text.repeat(10), 'utf-8').subarray(0, -5)
    expect(readSource(cut).encoding).toBe('utf-8')
  }
  expect(readSource(Buffer.from('plain'))).toMatchObject({ encoding: 'utf-8', text: 'plain' })
  expect(readSource(Buffer.alloc(0))).toMatchObject({ encoding: 'utf-8', text: '' })
})
