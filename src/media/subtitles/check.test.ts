import { expect, test } from 'vitest'
import {
  findBilingual,
  countCharacters,
  hasNoText,
  findOverlappingLayers,
  findMalformed,
  exceededLimit,
  textEntries,
} from './check.ts'
import { readSubtitles } from './read.ts'

const srt = (...entries: readonly (readonly [string, string, string])[]) =>
  readSubtitles(
    Buffer.from(
      entries
        .map(([from, to, text], index) => `${index + 1}\n00:00:${from},000 --> 00:00:${to},000\n${text}\n`)
        .join('\n'),
    ),
    { format: 'srt' },
  )
const ass = (...events: readonly string[]) =>
  readSubtitles(Buffer.from(`[Events]\n${events.map((event) => `Dialogue: ${event}`).join('\n')}`), {
    format: 'ass',
  })
const event = (layer: number, from: number, to: number, style: string, text: string) =>
  `${layer},0:00:0${from}.00,0:00:0${to}.00,${style},,0,0,0,,${text}`

test('a file without words has no text', () => {
  expect(hasNoText(srt())).toBe(true)
  expect(hasNoText(srt(['01', '02', '<i> </i>']))).toBe(true)
  expect(hasNoText(ass(event(0, 1, 2, 'A', String.raw`{\p1}m 0 0`)))).toBe(true)
  expect(hasNoText(srt(['01', '02', 'x']))).toBe(false)
})

test('a file with more issues than entries is malformed; entries without duration do not count', () => {
  const of = (text: string, format: 'srt' | 'ass' = 'srt') =>
    findMalformed(readSubtitles(Buffer.from(text), { format }))
  expect(of('just words\n\nand more')).toEqual({ line: 1, issue: 'stray' })
  expect(of('[Script Info]\nTitle: x', 'ass')).toEqual({ line: 1, issue: 'stray' })
  expect(of('')).toBeUndefined()
  expect(findMalformed(srt(['01', '02', 'a'], ['02', '02', 'b'], ['03', '03', 'c']))).toBeUndefined()
  expect(findMalformed(srt(['01', '02', 'a'], ['03', '02', 'b'], ['04', '03', 'c']))).toEqual({
    line: 5,
    issue: 'reversed',
  })
})

test('two different entries at the same time, or two scripts in most entries, make a file bilingual', () => {
  expect(findBilingual(srt(['01', '02', '你好'], ['03', '04', 'x'], ['01', '02', 'Hello']))).toMatchObject({
    kind: 'same time',
    entries: [{ text: '你好' }, { text: 'Hello' }],
  })
  expect(findBilingual(srt(['01', '02', 'same'], ['01', '02', 'same']))).toBeUndefined()
  expect(findBilingual(srt(['01', '03', 'a'], ['02', '04', 'b']))).toBeUndefined()
  const stacked = ['01', '02', '你好\nHello'] as const
  expect(findBilingual(srt(stacked, ['02', '03', '再见\nBye'], ['03', '04', '好\nGood']))).toMatchObject({
    kind: 'stacked',
  })
  expect(findBilingual(srt(stacked, ['02', '03', '再见'], ['03', '04', '好']))).toBeUndefined()
  expect(findBilingual(ass(event(0, 1, 2, 'A', 'Hi'), `Comment`, event(0, 2, 3, 'A', 'Ho')))).toBeUndefined()
})

test('overlapping lines on two layers or in two styles are found, adjacent ones are not', () => {
  expect(findOverlappingLayers(ass(event(0, 1, 5, 'A', 'one'), event(1, 2, 4, 'A', 'two')))).toMatchObject([
    { text: 'one' },
    { text: 'two' },
  ])
  expect(findOverlappingLayers(ass(event(0, 1, 5, 'A', 'one'), event(0, 2, 4, 'Sign', 'two')))).toBeDefined()
  expect(findOverlappingLayers(ass(event(0, 1, 5, 'A', 'one'), event(0, 2, 4, 'A', 'two')))).toBeUndefined()
  expect(findOverlappingLayers(ass(event(0, 1, 4, 'A', 'one'), event(1, 4, 6, 'B', 'two')))).toBeUndefined()
  expect(findOverlappingLayers(ass(event(0, 1, 5, 'A', 'one'), event(1, 3, 9, 'B', 'two')))).toBeUndefined()
  expect(
    findOverlappingLayers(ass(event(0, 1, 5, 'A', 'one'), event(1, 1, 5, 'B', String.raw`{\p1}m 0 0`))),
  ).toBeUndefined()
  const between = [event(0, 1, 9, 'A', 'one'), event(0, 2, 3, 'A', 'two'), event(3, 6, 8, 'A', 'three')]
  expect(findOverlappingLayers(ass(...between))).toMatchObject([{ text: 'one' }, { text: 'three' }])
})

test('limits count entries, characters without tags and line ends, and bytes', () => {
  expect(countCharacters(srt(['01', '02', '<i>你好</i>\n👍a']))).toBe(4)
  const many = (count: number, text: string) =>
    srt(
      ...Array.from(
        { length: count },
        (_, index) => [String(index % 50).padStart(2, '0'), '59', text] as const,
      ),
    )
  expect(exceededLimit(many(2000, 'a'.repeat(40)))).toBeUndefined()
  expect(exceededLimit(many(2001, 'a'))).toEqual({ limit: 'entries', value: 2001 })
  expect(exceededLimit(many(1, 'a'.repeat(80_001)))).toEqual({ limit: 'characters', value: 80_001 })
  const large = readSubtitles(Buffer.alloc(8 * 2 ** 20 + 1, ' '), { format: 'srt' })
  expect(exceededLimit(large)).toEqual({ limit: 'bytes', value: 8 * 2 ** 20 + 1 })
})

test('100,000 simultaneous entries are checked in linear time', () => {
  const all = Array.from({ length: 100_000 }, (_, index) => event(0, 1, 9, 'A', `x${index % 2 ? 1 : 1}`))
  const started = performance.now()
  const file = ass(...all)
  expect([textEntries(file).length, findBilingual(file), findOverlappingLayers(file)]).toEqual([
    100_000,
    undefined,
    undefined,
  ])
  expect(performance.now() - started).toBeLessThan(15_000)
})
