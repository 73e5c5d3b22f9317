import { expect, test } from 'vitest'
import { maxSttSentences, maxSttWords, stt } from './stt.ts'
import { describeIssues, plainIssueMessage } from './validation.ts'

const word = (start_time: unknown, end_time: unknown = start_time, text: unknown = 'a') => ({
  ...{ text, start_time, end_time },
})
const words = (...entries: unknown[]) => ({ word_tc_list: entries, sentence_tc_list: [] })

/** Describes what is wrong with a transcript; empty if it is valid. */
function issuesOf(value: unknown): string {
  const { error } = stt.safeParse(value, { error: plainIssueMessage })
  return error ? describeIssues(error, 'stt') : ''
}

test('words and sentences in order are valid; speakers are optional, small overlaps allowed', () => {
  const value = {
    word_tc_list: [word(0, 1.2), word(1, 2), word(0.9, 1)],
    sentence_tc_list: [
      { text: 'A a.', start_time: 0, end_time: 2, speaker: 'Ann' },
      { text: 'a', start_time: 1.9, end_time: 2 },
    ],
  }
  expect(stt.parse(value)).toEqual(value)
})

test.each([
  [{ word_tc_list: [] }, 'sentence_tc_list: required'],
  [{ sentence_tc_list: [] }, 'word_tc_list: required'],
  [words(word(0), word(Number.NaN, 2)), 'word_tc_list[1].start_time: must be a number'],
  [words(word(0), word(0, Infinity)), 'word_tc_list[1].end_time: must be a number'],
  [words(word('1', 2)), 'word_tc_list[0].start_time: must be a number'],
  [words(word(-1, 2)), 'word_tc_list[0].start_time: at least 0, -1 given'],
  [words(word(0, 1e9)), 'word_tc_list[0].end_time: at most 360000, 1000000000 given'],
  [words(word(0), word(2, 1)), 'word_tc_list[1].end_time: is before start_time, 1 < 2'],
  [words(word(0), word(5), word(4)), 'word_tc_list[2].start_time: starts before the previous entry, 4 < 5'],
  [words(word(0, 0, 'x'.repeat(201))), 'word_tc_list[0].text: at most 200 characters, 201 given'],
  [words(null), 'word_tc_list[0]: must be an object'],
  [
    { word_tc_list: [], sentence_tc_list: [{ text: '', start_time: 3, end_time: 2 }] },
    'sentence_tc_list[0].end_time: is before start_time, 2 < 3',
  ],
])('%j is invalid: %s', (value, issue) => expect(issuesOf(value)).toBe(issue))

test('both lists are bounded, and the order is checked over whole long lists', () => {
  const tooMany = (count: number) => Array.from({ length: count + 1 }, () => word(0))
  expect(issuesOf(words(...tooMany(2000), word(9), word(1)))).toMatch(/^word_tc_list\[2002\]/)
  expect(issuesOf({ word_tc_list: tooMany(maxSttWords), sentence_tc_list: [] })).toMatch('at most 200000')
  expect(issuesOf({ word_tc_list: [], sentence_tc_list: tooMany(maxSttSentences) })).toMatch('at most 50000')
})
