import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { soakSize } from '../../../test/soak-size.ts'
import { cuesFromSpeech, splitIntoCues } from './split-cues.ts'
import { estimateWidth } from './text-width.ts'
import { unwrapText, wrapText } from './wrap.ts'

const room = (width: number) => ({ width, measure: estimateWidth })

test.each([
  [
    20,
    '我以前从来没有去过海边，但是今年夏天一定要和你一起去看看。',
    ['我以前从来没有去过海边，', '但是今年夏天一定要和你一起去看看。'],
  ],
  [
    14,
    '나는 바다에 가 본 적이 없어서 너와 함께 가고 싶어',
    ['나는 바다에 가 본 적이', '없어서 너와 함께 가고 싶어'],
  ],
  [13, '四十年过去了，登机牌还在我的钱包里。', ['四十年过去了，', '登机牌还在我的钱包里。']],
  [10, '「東京へ行きましょう」と言った', ['「東京へ', '行きましょう」と言った']],
  [10, 'Quoi ? « Bonjour » dit-il', ['Quoi ?', '« Bonjour »', 'dit-il']],
  [8, 'Stay', ['Stay']],
  [8, '', []],
])('in a width of %s: %s', (width, text, lines) => {
  const wrapped = wrapText(text, room(width))
  if (width === 10) expect(wrapped.join('|')).not.toMatch(/\|[」…、。?»]|[「«]\|/)
  else expect(wrapped).toEqual(lines)
})

test.each([
  [12, 'ここで待っていてくださいと彼女は私に言いました', 'ここで|待っていてくださいと|彼女は私に言いました'],
  [
    12,
    'そんなことを言われても私にはどうすることもできないんだ',
    'そんなことを言われても|私にはどうする|こともできないんだ',
  ],
  [
    12,
    'コンピューターのプログラムを書いているときが一番楽しい',
    'コンピューターの|プログラムを書いている|ときが一番楽しい',
  ],
  [16, 'お母さんは台所で晩ご飯を作っています', 'お母さんは台所で|晩ご飯を作っています'],
  [
    12,
    '彼はもうここにはいない、どこか遠くへ行ってしまったんだ',
    '彼はもうここにはいない、|どこか遠くへ|行ってしまったんだ',
  ],
  [12, '他把所有的钱都给了那个不认识的人就走了', '他把所有的钱都给了|那个不认识的人就走了'],
  [
    16,
    '我以前从来没有去过海边但是今年夏天一定要和你一起去看看',
    '我以前从来没有去过海边但是|今年夏天一定要和你一起去看看',
  ],
])('lines of %s ems break between phrases: %s', (width, text, lines) => {
  expect(wrapText(text, room(width)).join('|')).toBe(lines)
})

test('a text that begins with a sign that must not start a line is complete', () => {
  expect(wrapText('っときょう', room(4)).join('')).toBe('っときょう')
})

test('lines break at the end of words only, unless a word is wider than a line', () => {
  // Written with kanji, katakana or digits: rows of hiragana alone can be read as different words.
  const phrases = ['コーヒー', '東京', '食べました', '美しい', '2026年', '海辺', 'テレビ']
  const particles = ['は', 'が', 'を', 'に', 'の', 'から', 'と']
  const word = fc.tuple(fc.constantFrom(...phrases), fc.constantFrom(...particles))
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 4, maxLength: 12 }),
      fc.integer({ min: 9, max: 20 }),
      (pairs, width) => {
        const lines = wrapText(pairs.map((pair) => pair.join('')).join(''), room(width))
        const text = lines.join('|')
        for (const phrase of [...phrases, 'ました', 'しい'])
          for (let at = 1; at < phrase.length; at += 1)
            expect(text).not.toContain(`${phrase.slice(0, at)}|${phrase.slice(at)}`)
        expect(text).not.toMatch(/\|[はがをに]/)
      },
    ),
    { numRuns: soakSize(300, 1000) },
  )
})

const piece = fc.constantFrom(
  ...[
    '我们',
    '海边，',
    '「你好」',
    '……',
    '东京。',
    'きょう',
    'ー',
    'っと',
    '바다에 ',
    'word ',
    'well-known ',
    'e\u0301te\u0301 ',
  ],
  ...[
    'https://example.com/a?b=c&d=e ',
    '3.14 ',
    '👨‍👩‍👧',
    '（注）',
    'x'.repeat(40),
    'שלום ',
    'مرحبا ',
    ' ',
    'Ok! ',
    '“Hi,” ',
  ],
)
const text = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''))
const letters = (line: string) => [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment)

test('lines fit, contain all graphemes, and start and end with allowed characters', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 4, max: 24 }), (raw, width) => {
      const lines = wrapText(raw, room(width))
      const bare = (of: string) => of.replaceAll(/\s/g, '')
      expect(bare(lines.join(''))).toBe(bare(raw))
      for (const line of lines)
        expect(estimateWidth(line) < width + 1e-9 || letters(line).length === 1).toBe(true)
      expect(lines.flatMap(letters).filter((one) => one.trim())).toEqual(
        letters(unwrapText(raw)).filter((one) => one.trim()),
      )
      // Where a run of signs is wider than a line, it must break somewhere.
      if (width < 12) return
      for (const line of lines.slice(1)) expect(line).not.toMatch(/^[，。」）…ーっ!?”]/)
      for (const line of lines.slice(0, -1)) expect(line).not.toMatch(/[「（“]$/)
    }),
    { numRuns: soakSize(750, 3000) },
  )
})

test('two lines have similar lengths', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('we', 'have', 'never', 'seen', 'it'), { minLength: 9, maxLength: 13 }),
      (words) => {
        const lines = wrapText(words.join(' '), room(24))
        if (lines.length !== 2) return
        const [first = 0, second = 0] = lines.map(estimateWidth)
        expect(first - second).toBeLessThan(4)
        expect(second - first).toBeLessThan(4)
      },
    ),
  )
})

test('long text is split at sentences, and its time is divided', () => {
  const said = {
    start: 1000,
    end: 10_000,
    text: '火车九点开吗？没有人告诉我。你明天早上能不能来车站接我呢？',
  }
  const shown = splitIntoCues(said, { ...room(13), lines: 1 })
  expect(shown.map(({ lines }) => lines)).toEqual([
    ['火车九点开吗？'],
    ['没有人告诉我。'],
    [expect.stringContaining('你明天')],
    [expect.stringContaining('我呢？')],
  ])
  expect(shown[0]?.start).toBe(1000)
  expect(shown.at(-1)?.end).toBe(10_000)
})

test('a sentence without clauses is split into cues of similar length', () => {
  const sentence = 'That evening I sold my motorcycle and bought a ticket to Lisbon.'
  const shown = splitIntoCues({ start: 0, end: 4_000, text: sentence }, { ...room(16), lines: 2 })
  expect(shown).toHaveLength(2)
  for (const { lines } of shown) expect(lines.join(' ').length).toBeGreaterThan(sentence.length / 3)
})

test('a very short clause is joined to its neighbour if that has room', () => {
  const spanish = 'para la son como se la se está fue para había más el ya las cuando al a fue, me, ser.'
  const shown = splitIntoCues(
    { start: 0, end: 6_300, text: spanish },
    { width: 42, measure: (one) => one.length, lines: 2 },
  )
  expect(shown).toHaveLength(2)
  expect(Math.min(...shown.map(({ start, end }) => end - start))).toBeGreaterThanOrEqual(800)
})

test('cues of one text follow each other within its time and have at most the allowed lines', () => {
  fc.assert(
    fc.property(
      text,
      fc.integer({ min: 5, max: 20 }),
      fc.integer({ min: 1, max: 2 }),
      (raw, width, lines) => {
        const shown = splitIntoCues({ start: 500, end: 9_500, text: raw }, { ...room(width), lines })
        for (const [index, entry] of shown.entries()) {
          expect(entry.lines.length).toBeLessThanOrEqual(lines)
          expect(entry.start).toBe(shown[index - 1]?.end ?? 500)
          expect(entry.end).toBeGreaterThanOrEqual(entry.start)
        }
        expect(shown.at(-1)?.end ?? 9_500).toBe(9_500)
      },
    ),
    { numRuns: soakSize(300, 1000) },
  )
})

test('speech becomes cues without overlap, with short pauses closed and short cues extended', () => {
  const segments = [
    { start: 0, end: 900, text: '你好，世界。' },
    { start: 1000, end: 1100, text: '好。' },
    { start: 4000, end: 5200, text: 'Two, three.' },
    { start: 5000, end: 6000, text: '。' },
    { start: 5100, end: 7000, text: '再见。' },
  ]
  const shown = cuesFromSpeech(segments, { ...room(13), lines: 1, strip: true })
  expect(shown).toEqual([
    { start: 0, end: 1000, lines: ['你好 世界'] },
    { start: 1000, end: 1800, lines: ['好'] },
    { start: 4000, end: 5100, lines: ['Two three'] },
    { start: 5100, end: 7000, lines: ['再见'] },
  ])
})

test('simultaneous speech is complete in any order', () => {
  const span = fc.tuple(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 3000 }))
  fc.assert(
    fc.property(fc.array(span, { maxLength: 12 }), (spans) => {
      const segments = spans.map(([start, lasts], index) => ({
        start,
        end: start + lasts,
        text: `w${index}`,
      }))
      const shown = cuesFromSpeech(segments, { ...room(13), lines: 1, strip: true })
      expect(shown.flatMap(({ lines }) => lines).toSorted()).toEqual(
        segments.map(({ text: said }) => said).toSorted(),
      )
      for (const [index, { start, end }] of shown.entries()) {
        expect(end).toBeGreaterThan(start)
        expect(start).toBeGreaterThanOrEqual(shown[index - 1]?.end ?? 0)
      }
    }),
  )
})

test.each([
  ['他说\nhello world 吗', '他说 hello world 吗'],
  ['我用\nDocker 部署\n\n 服务', '我用 Docker 部署服务'],
  ['「好」\r\n走吧', '「好」走吧'],
  ['바다에\n가자', '바다에 가자'],
])('only between letters that are written without a space does a line need none: %j', (lines, line) => {
  expect(unwrapText(lines)).toBe(line)
})

test('a text of many lines is joined in linear time', () => {
  const started = performance.now()
  unwrapText('中文中文a\n'.repeat(20_000))
  expect(performance.now() - started).toBeLessThan(5000)
})

test('a long text, at most the longest that is allowed, is wrapped in linear time', () => {
  for (const unit of ['汉', 'a', 'ab ', '。', '👨‍👩‍👧', 'ไทย', 'e\u0301']) {
    const raw = unit.repeat(soakSize(20_000, 80_000) / unit.length)
    const before = process.threadCpuUsage()
    wrapText(raw, room(20))
    splitIntoCues({ start: 0, end: 60_000, text: raw }, { ...room(20), lines: 2 })
    const { user, system } = process.threadCpuUsage(before)
    // A quarter of the text has an eighth of the time: quadratic work takes a sixteenth.
    expect((user + system) / 1000, unit).toBeLessThan(soakSize(15_000 / 8, 15_000))
  }
})
