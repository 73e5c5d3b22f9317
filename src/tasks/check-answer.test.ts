import { expect, test } from 'vitest'
import { checkAnswerHere } from './check-answer.ts'

const input = { from: 'en-US', to: 'zh-CN', lines: [{ id: 1, text: 'We were late.' }] }
const check = (answer: unknown) => checkAnswerHere({ kind: 'translate_lines', input, answer })
const whole = { lines: [{ id: 1, begins: 'We were', text: '我们迟到了。' }] }

test('rows are read with named columns, and in a text', () => {
  const accepted = { accepted: JSON.stringify(whole), problems: [] }
  const rows = [[1, 'We were', '我们迟到了。']]
  const table = { columns: ['id', 'text', 'begins'], rows: [[1, '我们迟到了。', 'We were']] }
  for (const lines of [rows, table]) {
    expect(check({ lines })).toEqual(accepted)
    expect(check(JSON.stringify({ lines }))).toEqual(accepted)
  }
})

test('rows of another length are rejected with the row that is needed', () => {
  const problems = ['lines.0: has 2 values; give [id, begins, text]']
  expect(check({ lines: [[1, '我们迟到了。']] })).toEqual({ problems })
  expect(check(JSON.stringify({ lines: [[1, '我们迟到了。']] }))).toEqual({ problems })
  expect(check({ lines: Array.from({ length: 100 }, () => [1]) }).problems).toHaveLength(8)
})

test('a table with unknown columns is rejected', () => {
  const lines = { columns: ['id', 'begins', 'words'], rows: [[1, 'We were', '我们迟到了。']] }
  expect(check({ lines }).problems).toEqual([expect.stringMatching(/^lines: /)])
})
