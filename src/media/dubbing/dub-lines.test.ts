import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SpeakerTurn, TimedWord } from '../speech/speech-types.ts'
import { transcriptFromWords } from '../speech/transcript.ts'
import { splitWords } from '../speech/words.ts'
import { dubLines } from './dub-lines.ts'

/** Words of a text; `perWord` s each, and a pause, seconds, where the text has one in braces. */
function speak(text: string, perWord = 0.4, start = 0): TimedWord[] {
  let now = start
  const words: TimedWord[] = []
  for (const part of text.split(/\s*\{([\d.]+)\}\s*/u)) {
    if (/^[\d.]+$/u.test(part)) now += Number(part)
    else
      for (const word of splitWords(part)) {
        words.push({ text: word, start: now, end: now + perWord })
        now += perWord
      }
  }
  return words
}

const linesOf = (words: readonly TimedWord[], turns?: readonly SpeakerTurn[]) =>
  dubLines(transcriptFromWords(words, true), turns)
const texts = (words: readonly TimedWord[], turns?: readonly SpeakerTurn[]) =>
  linesOf(words, turns).map(({ text }) => text)

describe('lines to dub', () => {
  it('are sentences with whole milliseconds', () => {
    expect(linesOf(speak('This is the first one. {0.3} And this is another.', 0.3334))).toEqual([
      { index: 0, speaker: 0, text: 'This is the first one.', start: 0, end: 1667 },
      { index: 1, speaker: 0, text: 'And this is another.', start: 1967, end: 3301 },
    ])
    expect(texts(speak('今天天气不错。我们去公园走走吧！'))).toEqual(['今天天气不错。', '我们去公园走走吧！'])
    expect(linesOf([])).toEqual([])
  })

  it('end at pauses over 0.6 s', () => {
    const words = speak('When we came home late at night {0.7} all of the lights were already out.')
    expect(texts(words)).toEqual(['When we came home late at night', 'all of the lights were already out.'])
    expect(texts(speak('When we came home late {0.5} all of the lights were out.'))).toHaveLength(1)
  })

  it('keep a short part of a sentence with its neighbour', () => {
    expect(texts(speak('Well, {0.8} we did not know about that.'))).toEqual([
      'Well, we did not know about that.',
    ])
    expect(texts(speak('Well, {1.5} we did not know about that.'))).toEqual([
      'Well,',
      'we did not know about that.',
    ])
    // A short sentence stays one.
    expect(texts(speak('No. {0.2} We did not know about that.'))).toEqual([
      'No.',
      'We did not know about that.',
    ])
  })

  it('end where the speaker changes', () => {
    const words = speak('Are you coming with us tomorrow yes I will come with you.')
    const turns = [
      { speaker: 0, start: 0, end: 2.45 },
      { speaker: 1, start: 2.35, end: 5 },
    ]
    expect(linesOf(words, turns)).toMatchObject([
      { speaker: 0, text: 'Are you coming with us tomorrow' },
      { speaker: 1, text: 'yes I will come with you.' },
    ])
  })

  it('do not end where a turn is late by a word', () => {
    const words = speak('Are you coming with us tomorrow? Yes I will come with you.')
    const turns = [
      { speaker: 0, start: 0, end: 2.75 },
      { speaker: 1, start: 2.75, end: 5 },
    ]
    expect(linesOf(words, turns)).toMatchObject([
      { speaker: 0, text: 'Are you coming with us tomorrow?' },
      { speaker: 1, text: 'Yes I will come with you.' },
    ])
  })

  it('of long sentences end after clauses and have similar lengths', () => {
    const clause = 'and then we walked around to see what was behind it,'
    const words = speak(`First we looked around, ${`${clause} `.repeat(5)}until it was dark.`)
    const lines = linesOf(words)
    expect(lines).toHaveLength(3)
    for (const { text, start, end } of lines) {
      expect(text).toMatch(/[,.]$/u)
      expect(end - start).toBeGreaterThan(4000)
      expect(end - start).toBeLessThanOrEqual(12_000)
    }
  })

  it('of long Arabic sentences end after clauses', () => {
    const lines = linesOf(speak(`${'كلمة '.repeat(17)}كلمة، ${'كلمة '.repeat(19)}كلمة.`))
    expect(lines.map(({ text }) => text.endsWith('،') || text.endsWith('.'))).toEqual([true, true])
  })

  it('last 12 s at most', () => {
    const words = (count: number) => speak(`${'word '.repeat(count - 1)}word.`)
    expect(linesOf(words(29)).map(({ start, end }) => end - start)).toEqual([11_600])
    expect(linesOf(words(31))).toHaveLength(2)
  })

  it('have no line of punctuation alone', () => {
    expect(texts([{ text: '…', start: 0, end: 1 }, ...speak('Hello there my friend.', 0.5, 2)])).toEqual([
      'Hello there my friend.',
    ])
  })
})

const someWord = fc.record({
  text: fc.constantFrom(
    'we',
    'saw',
    'it',
    'rain,',
    'late.',
    '好',
    '的',
    '吗？',
    'a',
    'and',
    'quietly',
    '12',
    '…',
  ),
  pause: fc.oneof(
    { arbitrary: fc.constant(0), weight: 5 },
    fc.double({ min: 0, max: 0.5, noNaN: true }),
    fc.double({ min: 0.5, max: 3, noNaN: true }),
  ),
  length: fc.oneof(
    { arbitrary: fc.double({ min: 0.05, max: 0.6, noNaN: true }), weight: 20 },
    fc.constant(0),
    fc.double({ min: 0.6, max: 20, noNaN: true }),
  ),
})
const someTurn = fc.record({
  speaker: fc.integer({ min: 0, max: 3 }),
  start: fc.double({ min: 0, max: 60, noNaN: true }),
  length: fc.double({ min: 0, max: 12, noNaN: true }),
})

const lettersOf = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '')

describe('of any transcript', () => {
  const someTranscript = fc
    .tuple(fc.array(someWord, { maxLength: 120 }), fc.option(fc.array(someTurn, { maxLength: 12 })))
    .map(([given, turns]) => {
      let now = 0
      const words = given.map(({ text, pause, length }) => {
        const start = now + pause
        now = start + length
        return { text, start, end: now }
      })
      const spans = turns?.map(({ speaker, start, length }) => ({ speaker, start, end: start + length }))
      return { words, transcript: transcriptFromWords(words, true), turns: spans }
    })

  it('lines are disjoint, in order, and contain all words once', () => {
    fc.assert(
      fc.property(someTranscript, ({ words, transcript, turns }) => {
        const lines = dubLines(transcript, turns)
        const letters = (all: readonly { readonly text: string }[]) =>
          all.map(({ text }) => lettersOf(text)).join('')
        expect(letters(lines)).toBe(letters(words))
        let free = 0
        for (const [index, line] of lines.entries()) {
          expect(line.index).toBe(index)
          expect(Number.isInteger(line.start) && Number.isInteger(line.end)).toBe(true)
          expect(line.start).toBeGreaterThanOrEqual(free)
          expect(line.end).toBeGreaterThanOrEqual(line.start)
          free = line.end
        }
      }),
      { numRuns: 2000, seed: 23 },
    )
  })

  it('a line is within a sentence, and longer than 12 s only because of a word', () => {
    fc.assert(
      fc.property(someTranscript, ({ transcript, turns }) => {
        const { sentences, words } = transcript
        const toMs = (seconds: number) => Math.round(1000 * seconds)
        for (const { start, end, text } of dubLines(transcript, turns)) {
          const within = sentences.filter((each) => toMs(each.start) <= start && end <= toMs(each.end))
          expect(within.some((each) => lettersOf(each.text).includes(lettersOf(text)))).toBe(true)
          const inside = words.filter((word) => toMs(word.start) >= start && toMs(word.end) <= end)
          const isLongWord = inside.some((word) => word.end - word.start > 6)
          if (end - start > 12_001) expect(isLongWord).toBe(true)
        }
      }),
      { numRuns: 2000, seed: 23 },
    )
  })
})
