import { expect, test } from 'vitest'
import { openQuestion } from '../../test/mcp/contract-questions.ts'
import { chooseQuestions } from './question-batch.ts'

const small = openQuestion('1'.repeat(32))
const withImages = (count: number) =>
  openQuestion('2'.repeat(32), { images: Array.from({ length: count }, () => ({ url: '/', type: '' })) })

test.each([
  ['characters', openQuestion('3'.repeat(32), { input: { text: 'x'.repeat(30_000) } })],
  ['tokens of its answer', openQuestion('4'.repeat(32), { max_answer_tokens: 7000 })],
  ['images', withImages(5)],
])('a question with more %s than a batch may have is asked alone', (_, large) => {
  expect(chooseQuestions([large, small])).toEqual([large])
  expect(chooseQuestions([small, large])).toEqual([small])
})

test('a batch has as many questions as fit', () => {
  expect(chooseQuestions([])).toEqual([])
  const pictures = [withImages(3), withImages(1), withImages(1)]
  expect(chooseQuestions(pictures)).toHaveLength(2)
})
