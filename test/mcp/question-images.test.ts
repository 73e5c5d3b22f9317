import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fakeModule } from '../service/fake-operation.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { type Agent, startInProcessAgent } from './stdio-client.ts'

// Questions with images, by an operation of tests.

let service: TestService
let agent: Agent
beforeAll(async () => {
  service = await startTestService({ operations: [fakeModule] })
  const { baseUrl, apiKey } = await service.account(10)
  agent = await startInProcessAgent('modern', undefined, {
    operations: [fakeModule.operation],
    service: { baseUrl, apiKey } as Agent['service'],
  })
  await mkdir(agent.workspace, { recursive: true })
})
afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

async function ask(name: string, behaviour: string) {
  await writeFile(join(agent.workspace, name), `text of ${name}`)
  return await agent.call('test_copy', { file_id: name, behaviour, wait_seconds: 45 })
}

test('images of questions follow the text, and later questions depend on earlier answers', async () => {
  const first = await ask('one.txt', 'ask twice')
  const images = first.result.content.filter(({ type }) => type === 'image')
  expect(images).toMatchObject([{ mimeType: 'image/jpeg' }])
  expect((images[0] as { data: string }).data).toMatch(/^\/9j\//)
  const [group] = first.data['questions'] as { questions: { question_id: string; images?: number }[] }[]
  expect(group?.questions).toMatchObject([{ input: { lines: ['One', 'Two'] }, images: 1 }])
  const answer = { summary: 'Two numbers.', terms: [] }
  const { task_id } = first.data
  const question_id = group?.questions[0]?.question_id
  const next = await agent.call('answer_questions', {
    ...{ task_id, answers: [{ question_id, answer }], wait_seconds: 45 },
  })
  const [second] = next.data['questions'] as { questions: { question_id: string }[] }[]
  expect(second?.questions).toMatchObject([{ input: { lines: ['Two numbers.'] } }])
  expect(next.result.content.some(({ type }) => type === 'image')).toBe(false)
  const done = await agent.call('answer_questions', {
    ...{ task_id, answers: [{ question_id: second?.questions[0]?.question_id, answer }], wait_seconds: 45 },
  })
  expect(done.data['status']).toBe('completed')
})
