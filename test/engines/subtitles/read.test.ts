import { expect, test } from 'vitest'
import { readSubtitles } from '../../../src/media/subtitles/read.ts'
import type { SubtitleFormat } from '../../../src/media/subtitles/subtitles.ts'
import { soakSize } from '../../soak-size.ts'

const read = (text: string, format: SubtitleFormat) => readSubtitles(Buffer.from(text), { format })
const shown = (text: string, format: SubtitleFormat) =>
  read(text, format).entries.map(({ start, end, text: said }) => [start, end, said])
const issues = (text: string, format: SubtitleFormat) =>
  read(text, format).skipped.map(({ line, issue }) => [line, issue])

test('SRT is parsed as in players', () => {
  const text = [
    '\ufeff1',
    '00:00:01,000 --> 00:00:02,5  X1:100 X2:200 Y1:5 Y2:6',
    String.raw`{\an8}<i>Hi</i>`,
    'there',
    '',
    'and more',
    '',
    '2 ',
    ' 0:0:3.250-->00:00:04,000',
    'A --> B',
    '3',
    '00:00:05,000 --> 00:00:06,000',
    '',
    '4',
    '100:00:00,000 --> 100:00:01,000',
    'late',
  ].join('\r\n')
  expect(shown(text, 'srt')).toEqual([
    [1000, 2500, `{\\an8}<i>Hi</i>\nthere\n\nand more`],
    [3250, 4000, 'A --> B'],
    [5000, 6000, ''],
  ])
  expect(issues(text, 'srt')).toEqual([[14, 'too-late']])
})

test('malformed parts of SRT are skipped and counted', () => {
  const text = [
    'who wrote this?',
    '',
    '1\n00:00:02,000 --> 00:00:01,000\nback',
    '2\n00:00:02,000 --> 00:00:02,000\nnothing',
    '3\n-00:00:02,000 --> 00:00:03,000\nearly',
    '4\n00:00:xx,000 --> 00:00:03,000\nbroken',
    '5\nno times',
    '6\n00:00:07,000 --> 00:00:08,000\ngood',
    '7',
  ].join('\n\n')
  expect(shown(text, 'srt')).toEqual([[7000, 8000, 'good']])
  expect(issues(text, 'srt').map(([, issue]) => issue)).toEqual([
    ...['stray', 'reversed', 'zero', 'negative', 'times', 'times', 'times'],
  ])
})

test('VTT times may omit hours, and other blocks are not entries', () => {
  const text = [
    'WEBVTT - title\nKind: captions',
    'NOTE about\nit',
    'STYLE\n::cue { color: red }',
    'intro\n00:01.000 --> 00:02.000 align:start\n<v Anna>Hi &amp; bye</v>',
    '01:00:00.500 --> 01:00:01.000\nlate',
    'stray',
  ].join('\n\n')
  expect(shown(text, 'vtt')).toEqual([
    [1000, 2000, '<v Anna>Hi &amp; bye</v>'],
    [3_600_500, 3_601_000, 'late'],
  ])
  expect(issues(text, 'vtt').map(([, issue]) => issue)).toEqual(['stray'])
})

test('ASS is parsed by its order of fields, with times in hundredths of a second', () => {
  const text = [
    '[Script Info]\nPlayResX: 640\nPlayResY:360 \n; Dialogue: no',
    '[Fonts]\nfontname: a.ttf\n[ABC]\nDialogue: 0,0:00:00.00,0:00:01.00,x,,0,0,0,,no',
    '[Events]',
    'Format: Start, End, Layer, Style, Text',
    'Dialogue: 0:00:01.23, 0:00:02.34,3,Sign,one, two',
    'comment: 0:00:01.00,0:00:02.00,0,Default,aside',
    'Dialogue: 0:00:01.00,0:00:01.00,0,Default,zero',
    'Dialogue: 0:00:01.00,0:00:02.00',
    'Dialogue: soon,0:00:02.00,0,Default,when',
    'Comment: 0:00:01.00,0:00:01.00,0,Default,of an editor',
    'Picture: 0:00:01.00,0:00:02.00,0,Default,a.png',
  ].join('\n')
  const file = read(text, 'ass')
  expect(file.canvas).toEqual({ width: 640, height: 360 })
  expect(file.entries).toMatchObject([
    { start: 1230, end: 2340, layer: 3, style: 'Sign', text: 'one, two', kind: 'dialogue' },
    { start: 1000, end: 2000, layer: 0, style: 'Default', text: 'aside', kind: 'comment' },
  ])
  expect(file.skipped.map(({ issue }) => issue)).toEqual(['zero', 'fields', 'times'])
})

test.each([
  ['PlayResY: 1080', { width: 1440, height: 1080 }],
  ['PlayResX: 1001', { width: 1001, height: 750 }],
  ['PlayResX: 1280', { width: 1280, height: 1024 }],
  ['PlayResY: 1024', { width: 1280, height: 1024 }],
  ['PlayResX: 1280\nPlayResY: 720', { width: 1280, height: 720 }],
  ['PlayResX: 1', undefined],
])('a missing side of the canvas is derived as in libass: %j', (head, canvas) => {
  expect(read(`[Script Info]\n${head}\n[Events]\n`, 'ass').canvas).toEqual(canvas)
})

/** The size of the largest subtitles at full length. */
const megabytes = soakSize(1, 8)

test.each([
  ['one line', 'x'],
  ['empty lines', '\n'],
  ['NULs', '\0'],
  ['lines of nothing', 'Dialogue:\n'],
  ['commas', ','],
  ['arrows', '-->\n'],
  ['digits', '1'],
  ['numbers', '1\n\n'],
  ['open braces', '{'],
  ['open brackets', '<'],
  ['colons', '1:'],
  ['spaces and arrows', '  --> '],
])(`${megabytes} MB of %s are read in linear time`, (_, piece) => {
  const bytes = Buffer.alloc(megabytes * 2 ** 20, piece)
  for (const format of ['srt', 'ass', 'vtt'] as const) {
    const head = format === 'ass' ? '[Events]\n' : ''
    const before = process.threadCpuUsage()
    readSubtitles(Buffer.concat([Buffer.from(head), bytes]), { format })
    const { user, system } = process.threadCpuUsage(before)
    // Many times what it takes. Quadratic work takes minutes at each of these sizes.
    expect((user + system) / 1000, 'processor time, ms').toBeLessThan(15_000 * (megabytes / 8) ** 1.5)
  }
})
