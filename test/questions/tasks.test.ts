import { expect, test } from 'vitest'
import { processTree } from '../../src/engines/process-tree.ts'
import { limitConcurrency } from '../../src/platform/concurrency.ts'
import { onDatabases, onMainDatabase, onNewMainDatabase } from '../http/on-databases.ts'
import { type TestService, workerPoolSize } from '../service/in-process.ts'
import { soakSize } from '../soak-size.ts'
import { askingClient } from './asking-client.ts'

const type = 'test_copy'
const summary = { summary: 'Two numbers.', terms: [] }
/** Outcome of an answer to a task that has ended. */
const ignored = { answers: [{ outcome: 'ignored' }], questions_open: 0 }

/** An account whose tasks ask, each about a file of its own. */
async function openAsking(service: TestService, credits = 10) {
  const account = await service.account(credits)
  const client = askingClient(account)
  let files = 0
  return {
    ...client,
    account,
    /** Creates a task and waits for its first question. */
    async ask(behaviour = 'ask') {
      const { data: file } = await client.upload(`${(files += 1)}.txt`, `text ${files}`)
      const { data } = await client.create(type, { file_id: file.file_id, behaviour })
      const { data: task } = await client.waiting(type, data.task_id)
      const { questions } = (await client.questions(task.task_id)).data
      const [question] = questions
      if (!question) throw new Error(`a task asks nothing: ${JSON.stringify(task)}`)
      return { task, question, questions }
    },
  }
}

onDatabases('a task that asks its agent', (service) => {
  test('waits as queued with its progress, shows what it asks, and continues with the answer', async () => {
    const client = await openAsking(service())
    const { task, question, questions } = await client.ask('ask twice')
    expect(task).toMatchObject({ status: 'queued', questions_open: 1, progress: 10 })
    expect(questions).toHaveLength(1)
    expect(question).toMatchObject({
      ...{ kind: 'summarize_lines', instructions: 'Sum up.', input: { lines: ['One', 'Two'] } },
      answer_schema: { type: 'object', required: ['summary', 'terms'] },
      images: [{ type: 'image/jpeg' }],
    })
    const image = await fetch(client.account.baseUrl + String(question.images?.[0]?.url), {
      headers: { authorization: client.account.apiKey },
    })
    const signature = Buffer.from(await image.arrayBuffer()).toString('hex', 0, 3)
    expect([image.headers.get('content-type'), signature]).toEqual(['image/jpeg', 'ffd8ff'])
    const { task_id: id } = task
    expect((await client.answer(id, [{ question_id: question.question_id, answer: summary }])).data).toEqual({
      task_id: id,
      answers: [{ question_id: question.question_id, outcome: 'accepted' }],
      questions_open: 0,
    })
    const { data: again } = await client.waiting(type, id)
    expect(again).toMatchObject({ status: 'queued', progress: 50 })
    const next = (await client.questions(id)).data
    expect(next.questions).toMatchObject([{ input: { lines: ['Two numbers.'] } }])
    expect(Date.parse(next.answer_before ?? '') - Date.now()).toBeGreaterThan(23 * 3600 * 1000)
    await client.answer(id, [
      { question_id: next.questions[0]?.question_id ?? '', answer: JSON.stringify(summary) },
    ])
    expect((await client.ended(type, id)).data).toMatchObject({ status: 'completed', progress: 100 })
    expect((await client.questions(id)).data).toEqual({ task_id: id, questions: [] })
  })

  test('takes the first of two answers, and none of others', async () => {
    const client = await openAsking(service())
    const { task, question } = await client.ask()
    const { question_id } = question
    const id = task.task_id
    const stranger = askingClient(await service().account(1))
    expect((await stranger.answer(id, [{ question_id, answer: summary }])).code).toBe(6005)
    expect((await stranger.questions(id)).code).toBe(6005)
    const problems = ['the task has no question with this id']
    for (const unknown of ['ab'.repeat(16), question_id.slice(1), '\u0000', '\ud800', 'x'.repeat(64)]) {
      expect((await client.answer(id, [{ question_id: unknown, answer: summary }])).data).toMatchObject({
        answers: [{ outcome: 'ignored', problems }],
        questions_open: 1,
      })
    }
    expect((await client.answer(id, [{ question_id: 'x'.repeat(65), answer: summary }])).code).toBe(6016)
    const both = await Promise.all(
      ['First.', 'Second.'].map((text) =>
        client.answer(id, [{ question_id, answer: { ...summary, summary: text } }]),
      ),
    )
    const outcomes = both.map(({ data }) => data.answers[0]?.outcome)
    expect(new Set(outcomes)).toEqual(new Set(['accepted', 'ignored']))
    expect((await client.ended(type, id)).data.status).toBe('completed')
    expect((await client.answer(id, [{ question_id, answer: summary }])).data).toMatchObject(ignored)
  })
})

onMainDatabase('answers to the questions of a task', (service) => {
  test('that are wrong keep the question open twice, then the task fails', async () => {
    const client = await openAsking(service())
    const { task, question } = await client.ask()
    const wrong = () =>
      client.answer(task.task_id, [{ question_id: question.question_id, answer: { summary: 7 } }])
    for (const open of [1, 1]) {
      expect((await wrong()).data).toMatchObject({
        answers: [
          {
            outcome: 'rejected',
            problems: [expect.stringMatching(/^summary: /), expect.stringMatching(/^terms: /)],
          },
        ],
        questions_open: open,
      })
    }
    expect((await client.questions(task.task_id)).data.questions).toMatchObject([
      { problems: [expect.stringMatching(/^summary: /), expect.anything()] },
    ])
    expect((await wrong()).data).toMatchObject({ answers: [{ outcome: 'rejected' }], questions_open: 0 })
    expect((await client.ended(type, task.task_id)).data).toMatchObject({
      status: 'failed',
      output_result: {
        error: { code: 6401, message: expect.stringContaining('no usable answer'), retryable: true },
      },
    })
    expect(await client.balance()).toBe(10)
    // Its answers are stored: another attempt would read the same.
    const { db } = service().running.service
    const attempts = db.selectFrom('tasks').select('attempts').where('id', '=', task.task_id)
    expect(await attempts.execute()).toEqual([{ attempts: 1 }])
  })

  test('are taken once per question and request; the others are ignored', async () => {
    const client = await openAsking(service())
    const { task, question } = await client.ask()
    const { question_id } = question
    const twice = await client.answer(task.task_id, [
      { question_id, answer: { summary: 7 } },
      { question_id, answer: summary },
    ])
    expect(twice.data).toMatchObject({
      answers: [{ outcome: 'rejected' }, { outcome: 'ignored' }],
      questions_open: 1,
    })
  })
})

onNewMainDatabase('a task whose questions nobody answers', (start) => {
  test('is cancelled, stopped or expired with a full refund', async () => {
    await using service = await start({ questionTimeoutMs: 3000 })
    const client = await openAsking(service)
    const [cancelled, stopped, expired] = [await client.ask(), await client.ask(), await client.ask()]
    expect(await client.balance()).toBe(7)
    expect((await client.cancel(cancelled.task.task_id)).code).toBe(200)
    const { data: ended } = await client.stop(stopped.task.task_id)
    expect(ended.status).toBe('cancelled')
    expect(ended).not.toHaveProperty('questions_open')
    expect((await client.ended(type, expired.task.task_id)).data).toMatchObject({
      status: 'failed',
      output_result: { error: { code: 6402, message: expect.stringContaining('not answered within') } },
    })
    expect(await client.balance()).toBe(10)
    const { question_id } = cancelled.question
    const repeated = await client.answer(cancelled.task.task_id, [{ question_id, answer: summary }])
    expect(repeated.data).toMatchObject(ignored)
    // Questions and answers contain what users wrote.
    const { db } = service.running.service
    expect(await db.selectFrom('questions').select('id').execute()).toEqual([])
  })
})

/** Number of processes that this one has started, and of their descendants. */
const countPrograms = async () => (await processTree(process.pid)).length - 1

onNewMainDatabase('many tasks that wait for answers', (start) => {
  test('cost no process, delay no other task, and are no work of the service', async () => {
    const before = await countPrograms()
    const countOwn = async () => (await countPrograms()) - before
    await using service = await start()
    const client = await openAsking(service, 200)
    const few = limitConcurrency(8)
    const whileAsking: number[] = []
    const askMany = (length: number) =>
      Promise.all(
        Array.from({ length }, () =>
          few(async () => {
            const task = await client.ask()
            whileAsking.push(await countOwn())
            return task
          }),
        ),
      )
    const first = await askMany(soakSize(2, 10))
    const withFew = await countOwn()
    const asked = [...first, ...(await askMany(soakSize(3, 90)))]
    const withAll = await countOwn()
    // A worker converts the image of a question by one program.
    expect(Math.max(...whileAsking)).toBeLessThanOrEqual(2 * workerPoolSize)
    expect([withFew, withAll].filter((count) => count < 1 || count > workerPoolSize)).toEqual([])
    expect(await service.running.isBusy()).toBe(false)
    const { data: file } = await client.upload('other.txt', 'other')
    const quick = await Promise.all(
      Array.from({ length: soakSize(3, 20) }, () =>
        client.create(type, { file_id: file.file_id, behaviour: 'copy' }),
      ),
    )
    expect(quick[0]?.data.estimated_queue_wait_duration).toBe(0)
    for (const { data } of quick)
      expect((await client.ended(type, data.task_id)).data.status).toBe('completed')
    expect(await countOwn()).toBeLessThanOrEqual(workerPoolSize)
    await Promise.all(
      asked.map(({ task, question: { question_id } }) =>
        few(() => client.answer(task.task_id, [{ question_id, answer: summary }])),
      ),
    )
    for (const { task } of asked)
      expect((await client.ended(type, task.task_id)).data.status).toBe('completed')
    expect(await client.balance()).toBe(200 - asked.length - quick.length)
  })
})
