import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '../../tools/index.ts'
import { startModelServer } from '../engines/language-model/model-server.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { srtOf } from '../subtitle-translate/translation-service.ts'
import { correctAnswer, translatingModel } from '../subtitle-translate/translator.ts'
import { askingClient } from './asking-client.ts'

const copy = (file_id: string) => ({ file_id, behaviour: 'ask' })
const silent = { 'answers-questions': '0' }

/** A service whose agents answer if they offer it; tests use accounts of their own. */
let shared: TestService
beforeAll(async () => {
  shared = await startTestService({ agentAnswers: 'if offered' })
})
afterAll(() => shared[Symbol.asyncDispose]())

/** A client with a file. */
async function openClient(service = shared) {
  const client = askingClient(await service.account(10))
  const { data: file } = await client.upload('a.txt', 'text')
  return { client, id: file.file_id }
}

test('agents answer if they offer it, always or never, as the setting requires', async () => {
  const codes = async (service: TestService) => {
    const { client, id } = await openClient(service)
    const other = await client.create('test_copy', copy(id), silent)
    const offering = await client.create('test_copy', copy(id))
    return { other: other.code, offering: offering.code }
  }
  expect(await codes(shared)).toEqual({ other: 6401, offering: 200 })
  await using always = await startTestService({ agentAnswers: 'always' })
  expect(await codes(always)).toEqual({ other: 200, offering: 200 })
  await using never = await startTestService({ agentAnswers: 'never' })
  expect(await codes(never)).toEqual({ other: 6401, offering: 6401 })
})

test('a configured model takes precedence; questions asked before stay with the agent', async () => {
  await using model = await startModelServer(translatingModel())
  await using folder = await temporaryFolder()
  const { path: dataDir } = folder
  let [id, question_id] = ['', '']
  {
    await using service = await startTestService({ dataDir })
    const { client, id: file } = await openClient(service)
    const { data } = await client.create('test_copy', copy(file))
    id = data.task_id
    await client.waiting('test_copy', id)
    question_id = (await client.questions(id)).data.questions[0]?.question_id ?? ''
  }
  const services = { language_model: { address: `${model.origin}/v1`, model: 'small' } }
  await using service = await startTestService({ dataDir, services })
  const { db } = service.running.service
  const { account_id } = await db.selectFrom('tasks').select('account_id').executeTakeFirstOrThrow()
  expect(account_id).toBe(2)
  // The account of the first service, with a new key.
  const client = askingClient(await service.account(10))
  const answer = { summary: 'Two numbers.', terms: [] }
  expect((await client.answer(id, [{ question_id, answer }])).data).toMatchObject({ questions_open: 0 })
  expect((await client.ended('test_copy', id)).data.status).toBe('completed')
  expect(model.asked).toEqual([])
  const { data: file } = await client.upload('b.txt', 'other text')
  const { data } = await client.create('test_copy', copy(file.file_id))
  expect((await client.ended('test_copy', data.task_id)).data.status).toBe('completed')
  expect(model.asked).toHaveLength(1)
})

test('equal creations are joined and repeated only with the same answerer', async () => {
  const { client, id } = await openClient()
  const join = { prefer: 'join-identical' }
  const first = await client.create('test_copy', copy(id), { 'idempotency-key': 'one' })
  expect((await client.create('test_copy', copy(id), join)).data).toMatchObject({
    task_id: first.data.task_id,
    joined: true,
  })
  const other = await client.create('test_copy', copy(id), { ...silent, 'idempotency-key': 'one' })
  expect([other.code, other.msg]).toEqual([6016, expect.stringContaining('was used for another request')])
})

test('an answer of more than 1 MiB is rejected whole, a smaller one with its problems', async () => {
  const { client, id } = await openClient()
  const { data } = await client.create('test_copy', copy(id))
  await client.waiting('test_copy', data.task_id)
  const { question_id = '' } = (await client.questions(data.task_id)).data.questions[0] ?? {}
  const missing = await client.answer(data.task_id, [{ question_id, answer: undefined }])
  expect([missing.status, missing.code]).toEqual([400, 6016])
  const said = (length: number) => [{ question_id, answer: 'x'.repeat(length) }]
  expect(await client.answer(data.task_id, said(10 * 2 ** 20))).toMatchObject({
    code: 6016,
    msg: expect.stringContaining('larger than 1 MiB'),
  })
  expect((await client.answer(data.task_id, said(900_000))).data).toMatchObject({
    answers: [
      {
        outcome: 'rejected',
        problems: ['The answer has 900000 characters and may have 4096: its question allows 100 tokens.'],
      },
    ],
    questions_open: 1,
  })
})

test('subtitle_translate is answered without a change of its own: 300 lines in one answer', async () => {
  const subtitles = operations.filter(({ operation }) => operation.name === 'subtitle_translate')
  await using service = await startTestService({ operations: subtitles })
  const client = askingClient(await service.account(10_000))
  const lines = Array.from({ length: 300 }, (_, at) => `We counted to number ${at + 1} on the way home`)
  const { data: file } = await client.upload('talk.srt', srtOf(lines))
  const request = { file_id: file.file_id, language: 'en-US', translate_language: 'zh-CN' }
  const { data: created } = await client.create('subtitle_translate', request)
  const asked: string[][] = []
  for (;;) {
    const { data: task } = await client.waiting('subtitle_translate', created.task_id)
    if (task.questions_open === undefined) break
    const { questions } = (await client.questions(task.task_id)).data
    asked.push(questions.map(({ kind }) => kind))
    const answers = questions.map(({ question_id, input }) => ({
      question_id,
      answer: { lines: correctAnswer(input['lines'] as { id: number; text: string }[]) },
    }))
    expect((await client.answer(task.task_id, answers)).data.questions_open).toBe(0)
  }
  expect(asked).toEqual([Array.from({ length: 8 }, () => 'translate_lines')])
  const { data: task } = await client.query('subtitle_translate', created.task_id)
  expect(task).toMatchObject({
    status: 'completed',
    output_result: { translator: 'agent', untranslated_lines: 0, degraded: { translation: false } },
  })
})
