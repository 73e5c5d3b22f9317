import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultRetryDelaysMs } from '../../src/tasks/execute.ts'
import { sendRequest, envelope } from '../http/raw-http.ts'
import { api, pollUntil, type Api } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { logged } from './log-lines.ts'

let service: TestService
let calls: Api
let fileId: string
beforeAll(async () => {
  service = await startTestService()
  calls = api(service)
  fileId = (await calls.upload('private.txt', 'some bytes')).data.file_id
})
afterAll(() => service[Symbol.asyncDispose]())

const create = async (behaviour: string) =>
  (await calls.create('test_copy', { file_id: fileId, behaviour })).data.task_id

async function linesOf(id: string, last: string) {
  await logged(service, { task_id: id, msg: last })
  const lines = await logged(service, { task_id: id })
  return lines.filter(({ msg }) => msg !== 'request')
}

test('the life of a task is logged with its ids, credits and times', async () => {
  const id = await create('copy')
  const taskFields = { task_type: 'test_copy', account_id: 1 }
  expect(await linesOf(id, 'task completed')).toMatchObject([
    { msg: 'task created', ...taskFields, request_id: expect.any(String), credits: 1, estimated_ms: 2000 },
    { msg: 'task started', ...taskFields, attempt: 1, waited_ms: expect.any(Number) },
    {
      msg: 'task completed',
      ...taskFields,
      credits: 1,
      ms: expect.any(Number),
      in_all_ms: expect.any(Number),
    },
  ])
})

test('lines of a task contain the request that created or cancelled it', async () => {
  const headers = { authorization: service.apiKey, 'content-type': 'application/json' }
  for (let turn = 0; turn < 2; turn += 1) await create('wait')
  const created = await sendRequest(`${service.baseUrl}/task/test_copy`, {
    method: 'POST',
    headers: { ...headers, 'x-request-id': 'creates' },
    body: JSON.stringify({ file_id: fileId }),
  })
  const { task_id } = envelope<{ task_id: string }>(created).data
  await sendRequest(`${service.baseUrl}/task/${task_id}/cancel`, {
    method: 'POST',
    headers: { ...headers, 'x-request-id': 'cancels' },
  })
  expect(await linesOf(task_id, 'task cancelled')).toMatchObject([
    { msg: 'task created', request_id: 'creates' },
    { msg: 'task cancelled', request_id: 'cancels', refunded: 1 },
  ])
  expect(await logged(service, { request_id: 'cancels', msg: 'request' })).toMatchObject([
    { task_id, route: '/task/:task_id/cancel' },
  ])
})

test('failed attempts are logged with their reason, and the end with the refund', async () => {
  await using other = await startTestService({ retryDelaysMs: defaultRetryDelaysMs })
  const account = api(other)
  const { data: file } = await account.upload('private.txt', 'some bytes')
  const { data: task } = await account.create('test_copy', { file_id: file.file_id, behaviour: 'break' })
  await pollUntil(
    () => account.query('test_copy', task.task_id),
    ({ data }) => data.status === 'failed',
  )
  await logged(other, { task_id: task.task_id, msg: 'task failed' })
  const lines = await logged(other, { task_id: task.task_id })
  const attempts = lines.filter(({ msg }) => !['request', 'task created', 'task started'].includes(msg))
  const failed = { msg: 'attempt failed', level: 40, ms: expect.any(Number), err: { type: 'MediaError' } }
  expect(attempts).toMatchObject([
    { ...failed, attempt: 1 },
    { msg: 'task queued again', attempts: 1, again_in_ms: 1000 },
    { ...failed, attempt: 2 },
    { msg: 'task queued again', attempts: 2, again_in_ms: 5000 },
    { ...failed, attempt: 3 },
    { msg: 'task failed', level: 40, code: 6500, attempts: 3, refunded: 1 },
  ])
  expect(attempts[0]?.['err']).toMatchObject({ stack: expect.stringContaining('a bug with a secret inside') })
})
