import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  distributeTime,
  joinTokens,
  joinWords,
  plainTranscript,
  splitWords,
  validateRecognition,
} from './words.ts'
import type { RecognitionResult, TimedWord } from './speech-types.ts'

const at = (texts: readonly string[], step = 0.2) =>
  texts.map((text, index) => ({ text, start: index * step }))
const textsOf = (words: readonly TimedWord[]) => words.map(({ text }) => text)

describe('words of a text', () => {
  it.each([
    ['It was, he said, late.', ['It', 'was,', 'he', 'said,', 'late.']],
    ['广州市,房 地产。', ['广', '州', '市,', '房', '地', '产。']],
    ['日本語のテスト', [...'日本語のテスト']],
    ['안녕하세요 여러분', ['안녕하세요', '여러분']],
    ['用GPT-4写3.5行', ['用', 'GPT-4', '写', '3.5', '行']],
    ['a — b', ['a—', 'b']],
    ['  ', []],
  ])('%s', (text, words) => expect(splitWords(text)).toEqual(words))

  it('divide their time in order, from start to end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const words = distributeTime(text, { start: 1, end: 3 })
        expect(textsOf(words)).toEqual(splitWords(text))
        let before = 1
        for (const { start, end } of words) {
          expect(start).toBeCloseTo(before, 9)
          expect(end).toBeGreaterThan(start)
          before = end
        }
        if (words.length > 0) expect(before).toBeCloseTo(3, 9)
      }),
    )
  })
})

describe('words of tokens', () => {
  it.each([
    ['SentencePiece', ['▁hel', 'lo', '▁wor', 'ld', '.'], ['hello', 'world.']],
    ['spaces', [' hel', 'lo', ' world'], ['hello', 'world']],
    ['byte-level BPE', ['hel', 'lo', 'Ġworld', '!'], ['hello', 'world!']],
    ['a mark of a continued word', ['hel@@', 'lo', 'world'], ['hello', 'world']],
    ['Chinese characters', ['广', '州', '市', '。'], ['广', '州', '市。']],
    ['Chinese and English', ['我', '用', '▁chat', 'gpt', '写'], ['我', '用', 'chatgpt', '写']],
    ['Paraformer', ['我', '用', 'chat@@', 'gpt', 'now', '写'], ['我', '用', 'chatgpt', 'now', '写']],
    ['Korean', ['▁안', '녕', '▁세', '상'], ['안녕', '세상']],
    ['tags of SenseVoice', ['<|en|>', '<|NEUTRAL|>', '▁yes'], ['yes']],
    ['several characters at once', ['広州', '市'], ['広', '州', '市']],
  ])('%s', (_, tokens, words) => expect(textsOf(joinTokens(at(tokens), 9))).toEqual(words))

  it('last until the next word or their reported length, but not through silence', () => {
    const words = joinTokens(at(['▁one', '▁two'], 2), 9)
    expect(words).toEqual([
      { text: 'one', start: 0, end: 0.6 },
      { text: 'two', start: 2, end: 2.6 },
    ])
    const [word] = joinTokens([{ text: '▁one', start: 1, seconds: 0.3 }], 9)
    expect(word?.end).toBeCloseTo(1.3, 9)
  })

  it('are within the sound and in order for any tokens', () => {
    const piece = fc.constantFrom('▁a', 'b', '中', '文', '.', '▁', 'c@@', '<|zh|>', 'の', ' d')
    const tokens = fc.array(fc.tuple(piece, fc.double({ min: 0, max: 2, noNaN: true })))
    fc.assert(
      fc.property(tokens, (steps) => {
        let time = 0
        const timed = steps.map(([text, step]) => ({ text, start: (time += step) }))
        const words = joinTokens(timed, time + 1)
        const fail = (what: string): never => expect.fail(what)
        validateRecognition(recognised(words), { seconds: time + 1, fail })
        const letters = (text: string) => text.replaceAll(/<\|zh\|>|[▁@\s]/gu, '')
        expect(letters(textsOf(words).join(''))).toBe(letters(steps.map(([text]) => text).join('')))
      }),
    )
  })

  it('texts have no tags and single spaces', () => {
    expect(plainTranscript('<|zh|><|NEUTRAL|><|Speech|> 你好   world </s>')).toBe('你好 world')
  })
})

function recognised(words: readonly TimedWord[]): RecognitionResult {
  return { text: '', words, timed: true, confidence: null, language: null }
}

describe('validation of a result', () => {
  const check = (words: readonly TimedWord[], more: Partial<RecognitionResult> = {}) =>
    validateRecognition(
      { ...recognised(words), ...more },
      {
        seconds: 2,
        fail: (what) => {
          throw new Error(what)
        },
      },
    )
  const word = (start: number, end: number) => ({ text: 'x', start, end })

  it('removes small overlaps and clips to the sound', () => {
    expect(check([word(-0.1, 1.1), word(1, 2.1)]).words).toEqual([word(0, 1.1), word(1.1, 2)])
  })

  it('ends a word that lasts far into the next ones where the next one starts', () => {
    expect(check([word(0, 1.9), word(0.3, 0.5), word(0.5, 0.8)]).words).toEqual([
      ...[word(0, 0.3), word(0.3, 0.5), word(0.5, 0.8)],
    ])
  })

  it('rejects more text than anyone could say', () => {
    const many = Array.from({ length: 400 }, (_, index) => word(index / 400, (index + 1) / 400))
    expect(() => check(many)).toThrow('400 words for 2.0 s')
    expect(() => check([{ ...word(0, 1), text: 'x'.repeat(5000) }])).toThrow('characters for 2.0 s')
    expect(() => check([], { text: 'x'.repeat(5000) })).toThrow('characters for 2.0 s')
  })

  it.each([
    [[word(NaN, 1)], 'not a number'],
    [[word(0, Infinity)], 'not a number'],
    [[word(1, 0.5)], 'ends before'],
    [[word(1, 1.5), word(0.2, 0.4)], 'before the previous word'],
    [[word(2.5, 2.6)], 'outside'],
  ])('%j is rejected: %s', (words, why) => expect(() => check(words)).toThrow(why))

  it('accepts a confidence from 0 to 1', () => {
    expect(() => check([], { confidence: NaN })).toThrow('confidence')
    expect(() => check([], { confidence: 1.2 })).toThrow('confidence')
    expect(check([], { confidence: 0.5 }).confidence).toBe(0.5)
  })
})

it.each([
  [['今', '天，', '做', '饭。', '首', '先'], '今天，做饭。首先'],
  [['好……', '我', '们——', '“吃”', '吧！', '好'], '好……我们——“吃”吧！好'],
  [['「はい」', 'と', '（笑）', 'ね'], '「はい」と（笑）ね'],
  [['用', 'Premiere', '剪。', 'OK，', '好'], '用 Premiere 剪。OK，好'],
  [['Wait…', 'what?', '“No”', '— said'], 'Wait… what? “No” — said'],
  [['안녕하세요,', '여러분.'], '안녕하세요, 여러분.'],
  [['', '。', 'a'], '。a'],
])('%j are joined as %s', (words, text) => {
  expect(joinWords(words)).toBe(text)
})
