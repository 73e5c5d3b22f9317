import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { changeSubtitles } from '../../../src/media/subtitles/edit-subtitles.ts'
import { readSubtitles } from '../../../src/media/subtitles/read.ts'
import { soakSize } from '../../soak-size.ts'
import { anyFile, encodeSubtitle } from './sample-files.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** Number of files that are read, and of those that are changed. */
const [fileCount, changeCount] = soakSize([2500, 1000], [10_000, 4000])

test(`${fileCount} files of all encodings, with tags, overlaps, unknown sections and garbage, are unchanged byte for byte`, () => {
  let [entries, skipped] = [0, 0]
  fc.assert(
    fc.property(anyFile, ({ bytes, format }) => {
      const read = readSubtitles(bytes, { format })
      const same = new Map(read.entries.map((entry) => [entry, { text: entry.text }]))
      expect(hex(changeSubtitles(read, new Map()))).toBe(hex(bytes))
      expect(hex(changeSubtitles(read, same))).toBe(hex(bytes))
      entries += read.entries.length
      skipped += read.skipped.length
    }),
    { numRuns: fileCount, seed: 20_261_123 },
  )
  // Otherwise nothing of it would have been read.
  expect(entries).toBeGreaterThan(fileCount / 2)
  expect(skipped).toBeGreaterThan(fileCount / 2)
})

test('a changed entry leaves all other lines unchanged, including broken ones', () => {
  let changes = 0
  fc.assert(
    fc.property(anyFile, fc.nat(), ({ bytes, format }, pick) => {
      const read = readSubtitles(bytes, { format })
      const entry = read.entries[pick % Math.max(1, read.entries.length)]
      const { encoding, text } = read.source
      if (!entry || /^utf-(?:16|32)/.test(encoding) || entry.text === '' || entry.text.includes('\n')) return
      const line = lineAt(text, entry.at.text.from)
      if (line.text.includes('\ufffd')) return
      const changed = changeSubtitles(read, new Map([[entry, { text: 'other' }]]), { keepEncoding: true })
      const [before, after] = [linesIn(bytes), linesIn(changed)]
      expect(after.map((_, index) => (index === line.index ? '' : after[index]))).toEqual(
        before.map((_, index) => (index === line.index ? '' : before[index])),
      )
      expect(after[line.index]?.includes(hex(Buffer.from('other')))).toBe(true)
      changes += 1
    }),
    { numRuns: changeCount, seed: 7 },
  )
  expect(changes).toBeGreaterThan(changeCount / 8)
})

/** The lines of a file, between any two ends of lines, in hexadecimal digits. */
function linesIn(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes).toString('latin1')
  return text.split(/[\r\n]/).map((line) => hex(Buffer.from(line, 'latin1')))
}

function lineAt(text: string, at: number): { index: number; text: string } {
  const index = (text.slice(0, at).match(/[\r\n]/g) ?? []).length
  return { index, text: text.split(/[\r\n]/)[index] ?? '' }
}

test.each([
  ['utf-16le', true],
  ['utf-16be', true],
  ['utf-16le', false],
  ['utf-32le', true],
  ['utf-32be', true],
  ['utf-32le', false],
  ['utf-32be', false],
  ['shift_jis', false],
  ['gb18030', false],
] as const)('%s (marked: %s) is kept on request; otherwise a changed file is UTF-8', (encoding, bom) => {
  const [sea, sky] = encoding === 'gb18030' ? ['东京的海', '在蓝天之下'] : ['東京の海', '青い空の下で']
  const text = `1\r\n00:00:01,000 --> 00:00:02,000\r\n${sea}\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n${sky}`
  const language = encoding === 'gb18030' ? 'zh-CN' : 'ja-JP'
  const read = readSubtitles(encodeSubtitle(text, encoding, bom), { format: 'srt', language })
  expect([read.source.encoding, read.source.bom]).toEqual([encoding, bom])
  const [first] = read.entries
  if (!first) throw new Error('two entries were written')
  const changes = new Map([[first, { text: '山\n川', end: 2_500 }]])
  const wanted = text.replace(sea, '山\r\n川').replace('02,000', '02,500')
  expect(hex(changeSubtitles(read, changes, { keepEncoding: true }))).toBe(
    hex(encodeSubtitle(wanted, encoding, bom)),
  )
  expect(hex(changeSubtitles(read, changes))).toBe(hex(encodeSubtitle(wanted, 'utf-8', bom)))
  const unwritable = changeSubtitles(read, new Map([[first, { text: '🙂 ไทย' }]]), { keepEncoding: true })
  const emoji = text.replace(sea, '🙂 ไทย')
  const keeps = encoding !== 'shift_jis'
  expect(hex(unwritable)).toBe(hex(encodeSubtitle(emoji, keeps ? encoding : 'utf-8', bom)))
})

test('text that would end an entry or start another one is escaped', () => {
  const text = '1\n00:00:01,000 --> 00:00:02,000\nA\n\n2\n00:00:03,000 --> 00:00:04,000'
  const read = readSubtitles(Buffer.from(text), { format: 'srt' })
  expect(read.entries.map((entry) => entry.text)).toEqual(['A', ''])
  const [first, second] = read.entries
  if (!first || !second) throw new Error('two entries were written')
  const changed = changeSubtitles(
    read,
    new Map([
      [first, { text: 'one\n\n2\n00:00:03,000 --> 00:00:04,000\n\n' }],
      [second, { text: 'new' }],
    ]),
  )
  const again = readSubtitles(changed, { format: 'srt' })
  expect(again.skipped).toEqual([])
  expect(again.entries.map((entry) => entry.text)).toEqual(['one\n2\n00:00:03,000 → 00:00:04,000', 'new'])
})
