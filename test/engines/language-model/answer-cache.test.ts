import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import type { AskTaskQuestions } from '../../../src/contract/questions.ts'
import { createAgentModel } from '../../../src/engines/language-model/agent-model.ts'
import { cacheAnswers } from '../../../src/engines/language-model/answer-cache.ts'
import type { QuestionKind } from '../../../src/engines/language-model/question.ts'
import { configureServices } from '../../../src/engines/services/configured.ts'
import { openModel, setModel, startModelServer } from './model-server.ts'

afterAll(() => configureServices({}))

const kind: QuestionKind = {
  name: 'say',
  schema: z.object({ said: z.int() }),
  check: () => ({ isUsable: true, problems: [] }),
}
const question = { kind, instructions: 'S', input: { text: 'P' }, maxTokens: 100 }

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'answers-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('the answers of an agent, which are stored with its task, are not stored again', async () => {
  const folder = await temporaryFolder()
  let rounds = 0
  const askTask: AskTaskQuestions = async () => [{ state: 'answered', answer: { said: (rounds += 1) } }]
  const model = cacheAnswers(createAgentModel(askTask), folder)
  const { signal } = new AbortController()
  const ask = async () => (await model.ask({ ...question, signal }))['said']
  expect([await ask(), await ask()]).toEqual([1, 2])
  expect(await readdir(folder)).toEqual([])
})

test('an answer is reused only for the same question and model', async () => {
  const folder = await temporaryFolder()
  await using server = await startModelServer(() => ({ said: server.asked.length }))
  setModel(server)
  const ask = async (more: object = {}) => {
    await using opened = await openModel()
    const { signal } = new AbortController()
    return (await cacheAnswers(opened, folder).ask({ ...question, signal, ...more }))['said']
  }
  expect(await ask()).toBe(1)
  expect(await ask()).toBe(1)
  expect(await ask({ input: { text: 'Q' } })).toBe(2)
  expect(await ask({ temperature: 0.5 })).toBe(3)
  setModel(server, { model: 'other' })
  expect(await ask()).toBe(4)
  setModel(server)
  expect(await ask()).toBe(1)
})

test('an answer that cannot be stored is returned', async () => {
  const folder = join(await temporaryFolder(), 'missing')
  await using server = await startModelServer(() => ({ said: server.asked.length }))
  setModel(server)
  await using opened = await openModel()
  const { signal } = new AbortController()
  const model = cacheAnswers(opened, folder)
  const ask = async () => (await model.ask({ ...question, signal }))['said']
  expect([await ask(), await ask()]).toEqual([1, 2])
})
