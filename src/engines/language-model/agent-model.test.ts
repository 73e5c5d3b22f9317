import { expect, it } from 'vitest'
import { type AskTaskQuestions, maxOpenQuestions, SuspendedError } from '../../contract/questions.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { summarizeLinesKind } from '../translation/brief.ts'
import { createAgentModel } from './agent-model.ts'

const { signal } = new AbortController()
const ask = (model: ReturnType<typeof createAgentModel>, line: string) =>
  model.ask({
    kind: summarizeLinesKind,
    instructions: 'Sum up.',
    input: { lines: [line] },
    maxTokens: 100,
    signal,
  })

/** Stores questions as a service does, and answers them between attempts. */
function questionStore() {
  const answered = new Set<string>()
  let open = new Set<string>()
  const asked: number[] = []
  const askTask: AskTaskQuestions = async (questions) => {
    asked.push(questions.length)
    return questions.map(({ id }) => {
      if (answered.has(id)) return { state: 'answered', answer: { summary: id, terms: [] } }
      open.add(id)
      return { state: 'open' }
    })
  }
  return {
    asked,
    askTask,
    get open() {
      return open.size
    },
    answerAll() {
      for (const id of open) answered.add(id)
      open = new Set()
    },
  }
}

it('asks questions of one turn together, at most as many as may be open, and the rest in later attempts', async () => {
  const store = questionStore()
  const lines = Array.from({ length: 150 }, (_, at) => `Line ${at}`)
  const attempt = async () => {
    const model = createAgentModel(store.askTask)
    const limited = limitConcurrency(model.concurrency)
    return await Promise.allSettled(lines.map((line) => limited(() => ask(model, line))))
  }
  for (const open of [64, 64, 22]) {
    const results = await attempt()
    expect(store.open).toBe(open)
    expect(open).toBeLessThanOrEqual(maxOpenQuestions)
    const failures = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as unknown] : [],
    )
    expect(failures.every((reason) => reason instanceof SuspendedError)).toBe(true)
    store.answerAll()
  }
  expect((await attempt()).every(({ status }) => status === 'fulfilled')).toBe(true)
  expect(store.asked[0]).toBe(64)
})

it('asks an equal question again as another one, the same in each attempt', async () => {
  const store = questionStore()
  const attempt = async () => {
    const model = createAgentModel(store.askTask)
    return [await ask(model, 'One'), await ask(model, 'One')].map(({ summary }) => summary)
  }
  for (let asked = 1; asked <= 2; asked += 1) {
    await expect(attempt()).rejects.toThrow(SuspendedError)
    expect(store.open).toBe(1)
    store.answerAll()
  }
  const [one, two] = await attempt()
  expect(one).not.toBe(two)
  expect(await attempt()).toEqual([one, two])
})

it('reports questions without a usable answer as its own failure', async () => {
  const model = createAgentModel(async (questions) => questions.map(() => ({ state: 'unusable' })))
  await expect(ask(model, 'One')).rejects.toMatchObject({ code: 6401, retryable: true })
})
