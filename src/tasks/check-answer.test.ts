import { expect, test } from 'vitest'
import { type AnswerJob, checkAnswerHere, checkAnswers } from './check-answer.ts'

/** An answer whose text for a line is `text`, repeated up to the size that its question allows. */
function hostileAnswer(text: string, characters = 52_000): AnswerJob {
  const said = text.repeat(characters / text.length)
  return {
    kind: 'translate_lines',
    input: { from: 'en-US', to: 'zh-CN', lines: [{ id: 1, text: 'She left.' }] },
    maxTokens: 4096,
    answer: { lines: [{ id: 1, begins: 'She left', text: said }] },
  }
}

/** Processor time of this thread since then, ms, whatever else the machine does. */
function threadMs(began: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / 1000
}

test('hostile answers of a request block this thread no longer than their copies take', async () => {
  const jobs = Array.from({ length: 16 }, () => hostileAnswer('[note:'))
  const began = process.threadCpuUsage()
  const checked = await checkAnswers(jobs, { accountId: 1 })
  expect(threadMs(began)).toBeLessThan(500)
  expect(checked.map(({ accepted }) => accepted)).toEqual(jobs.map(() => undefined))
})

/** Small texts whose search or repair takes seconds or minutes. */
const slowToRepair: readonly unknown[] = [
  `{${"'a".repeat(4000)}`,
  `${'{a'.repeat(4000)}${'}'.repeat(4000)}`,
  { lines: 1, more: `[${"'a".repeat(4000)}` },
  { lines: 1, more: `</think>{${"'a".repeat(4000)}` },
]

test.each(slowToRepair.map((answer) => ({ answer })))(
  'the repair of $answer blocks this thread for no moment',
  async ({ answer }) => {
    const began = process.threadCpuUsage()
    const checking = checkAnswers([{ ...hostileAnswer('a'), answer }], { accountId: 1, timeLimitMs: 500 })
    await checking.catch((error: unknown) => expect(error).toMatchObject({ code: 6016 }))
    expect(threadMs(began)).toBeLessThan(300)
  },
)

test('a check that takes too long is ended, also when the client has left', async () => {
  const jobs = [hostileAnswer('a')]
  await expect(checkAnswers(jobs, { accountId: 1, timeLimitMs: 1 })).rejects.toMatchObject({
    code: 6016,
    message: 'answers: their check took longer than 0.001 s',
  })
  const left = new AbortController()
  const checking = checkAnswers(jobs, { accountId: 1, signal: left.signal })
  left.abort(new Error('the client has left'))
  await expect(checking).rejects.toThrow('the client has left')
})

test('an answer longer than its question allows is rejected with both sizes', async () => {
  expect(await checkAnswers([{ ...hostileAnswer('a'), maxTokens: 300 }], { accountId: 1 })).toEqual([
    { problems: [expect.stringMatching(/^The answer has 52\d\d\d characters and may have 4800: /)] },
  ])
})

const input = { from: 'en-US', to: 'zh-CN', lines: [{ id: 1, text: 'We were late.' }] }
const check = (answer: unknown) =>
  checkAnswerHere({ kind: 'translate_lines', input, maxTokens: 4096, answer })
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

test.each(
  [7, [], true, null, 'Rather not.', {}, { translation: 'all of it' }, { lines: 'all' }].map((answer) => ({
    answer,
  })),
)(
  'the answer $answer without the fields of its kind is rejected with the form that is needed',
  ({ answer }) => {
    const { accepted, problems } = check(answer)
    expect(accepted).toBe(undefined)
    expect(problems).toEqual([expect.stringMatching(/\. Give \{"lines": \[\[id, begins, text\], …\]\}$/)])
  },
)

test('the form of an answer with plain fields names their types', () => {
  const { problems } = checkAnswerHere({ kind: 'summarize_lines', input: {}, maxTokens: 100, answer: {} })
  expect(problems).toHaveLength(2)
  expect(problems[1]).toBe('terms: required. Give {"summary": string, "terms": [[source, translation], …]}')
})
