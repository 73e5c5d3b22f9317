import { afterAll, beforeAll, expect, test } from 'vitest'
import type { OpenQuestion } from '../../src/contract/questions.ts'
import { openQuestion } from './contract-questions.ts'
import { type Agent, createClips, startInProcessAgent } from './stdio-client.ts'

// Questions and images of a service that breaks the contract.

let agent: Agent
beforeAll(async () => {
  agent = await startInProcessAgent('modern')
})
afterAll(() => agent[Symbol.asyncDispose]())

const ids = ['a1', 'b1', 'a2'].map((name) => name.padEnd(32, '0')) as [string, string, string]

/** Creates a task that asks. */
async function ask(questionsOf: (taskId: string) => readonly OpenQuestion[]) {
  agent.service.onCreate = (task) => {
    const questions = questionsOf(task.id)
    agent.service.questions.set(task.id, questions)
    task.questionsOpen = questions.length
  }
  const reply = await agent.call('video_split_screen', {
    ...(await createClips(agent)),
    force_new: true,
  })
  const images = reply.result.content.filter(({ type }) => type === 'image')
  const groups = (reply.data['questions'] ?? []) as { readonly questions: Record<string, unknown>[] }[]
  return { ...reply, images, questions: groups.flatMap(({ questions }) => questions) }
}

const png = (text: string) => ({ status: 200, type: 'image/png', bytes: Buffer.from(text) })
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** A question with images at the addresses of the contract. */
function pictured(taskId: string, id: string, about: Partial<OpenQuestion> & { readonly count?: number }) {
  const { count = 1, ...rest } = about
  const urls = Array.from({ length: count }, (_, at) => `/task/${taskId}/questions/${id}/images/${at}`)
  return openQuestion(id, { ...rest, images: urls.map((url) => ({ url, type: 'image/png' })) })
}

test('images follow in the order of the groups', async () => {
  const [a1, b1, a2] = ids
  const { images, questions } = await ask((taskId) => {
    for (const id of ids)
      agent.service.questionImages.set(`/task/${taskId}/questions/${id}/images/0`, png(id))
    return [
      pictured(taskId, a1, {}),
      pictured(taskId, b1, { kind: 'translate_lines', instructions: 'Translate.' }),
      pictured(taskId, a2, {}),
    ]
  })
  expect(questions.map(({ question_id }) => question_id)).toEqual([a1, a2, b1])
  expect(images).toMatchObject([{ data: base64(a1) }, { data: base64(a2) }, { data: base64(b1) }])
})

test.each([
  ['an error', { status: 404, type: 'application/json', bytes: Buffer.from('{"code":6004,"msg":"gone"}') }],
  ['an image with a failure status', { ...png('x'), status: 502 }],
  ['another type', { ...png('<svg/>'), type: 'image/svg+xml' }],
  ['more bytes than an image may have', { ...png(''), bytes: Buffer.alloc(5 * 2 ** 20) }],
])('%s is no image, and its question states that it is missing', async (_, response) => {
  const [first, second] = ids
  const { images, questions } = await ask((taskId) => {
    const path = (id: string, at: number) => `/task/${taskId}/questions/${id}/images/${at}`
    agent.service.questionImages.set(path(first, 0), response)
    agent.service.questionImages.set(path(first, 1), png('second image'))
    agent.service.questionImages.set(path(second, 0), { ...png('other'), type: 'image/png; charset=x' })
    return [pictured(taskId, first, { count: 2 }), pictured(taskId, second, {})]
  })
  expect(images).toMatchObject([
    { data: base64('second image') },
    { data: base64('other'), mimeType: 'image/png' },
  ])
  expect(questions).toMatchObject([{ images: 1, missing_images: 1 }, { images: 1 }])
})

test('addresses that a service names are not read', async () => {
  const { service } = agent
  const [id] = ids
  const { images } = await ask((taskId) => {
    service.questionImages.set(`/task/${taskId}/questions/${id}/images/0`, png('own'))
    const url = `${service.baseUrl}/base/file/1/preview`
    return [openQuestion(id, { images: [{ url, type: 'image/png' }] })]
  })
  expect(service.requests).not.toContain('GET /base/file/1/preview')
  expect(images).toMatchObject([{ data: base64('own') }])
})

test('questions that another agent has answered meanwhile are followed further', async () => {
  const { service } = agent
  service.beforeQuestions = (taskId) => {
    service.beforeQuestions = () => undefined
    service.questions.delete(taskId)
    const task = service.tasks.get(taskId)
    if (!task) throw new Error('no task')
    delete task.questionsOpen
    service.updateTask(taskId, { status: 'completed', progress: 100, output: {} })
  }
  const { data } = await ask(() => [openQuestion(ids[0])])
  expect(data).toMatchObject({ status: 'completed', next_step: expect.stringMatching(/^Done/) })
})

test('questions that a service counts but does not list are not waited for', async () => {
  const { service } = agent
  service.beforeQuestions = (taskId) => void service.questions.delete(taskId)
  const { data, questions } = await ask(() => [openQuestion(ids[0]), openQuestion(ids[1])])
  expect(questions).toEqual([])
  expect(data['next_step']).toMatch(/^Not finished; it waits for answers to 2 questions\. Call get_task /)
  service.beforeQuestions = () => undefined
})

test('a resource, and a server that cannot answer, state what a task waits for', async () => {
  const { data } = await ask(() => [openQuestion(ids[0])])
  const uri = `media://tasks/${String(data['task_id'])}`
  const { contents } = await agent.client.readResource({ uri })
  const [content] = contents
  const state = JSON.parse(content && 'text' in content ? content.text : '') as Record<string, unknown>
  expect(state['next_step']).toBe(
    `Not finished; it waits for answers to 1 question. Call get_task with task_id "${String(data['task_id'])}" to get it.`,
  )
  const { service } = agent
  await using reader = await startInProcessAgent('modern', undefined, { service, tools: { readOnly: true } })
  const rows = (await reader.call('list_tasks')).data['tasks'] as Record<string, unknown>[]
  const waiting = rows.filter(({ questions }) => questions !== undefined)
  expect(waiting[0]).toMatchObject({ questions: '1 open' })
  const own = (await agent.call('list_tasks')).data['tasks'] as Record<string, unknown>[]
  expect(own[0]).toMatchObject({ questions: expect.stringContaining('answer_questions answers them') })
})
