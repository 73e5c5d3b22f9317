import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { createTask, fetchTask, waitForTask } from '../../src/client/tasks.ts'
import { wrongFields } from '../contract/laws.ts'
import { messageCreatedFields, messageEnvelopeFields, taskRecordFields } from '../contract/common.ts'
import { api } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { fakeModule, messageEnvelopeModule } from '../service/fake-operation.ts'
import { sendRequest } from './raw-http.ts'

// Document 1, 2.1: piano_audio_enhance, piano_audio_to_midi and music_visualizer.

type Json = Record<string, unknown>

let service: TestService
beforeAll(async () => {
  service = await startTestService({ operations: [fakeModule, messageEnvelopeModule] })
})
afterAll(() => service[Symbol.asyncDispose]())

test('an operation with the message envelope returns {code: 0, message, data}; its errors have the common form', async () => {
  const account = await service.account(9)
  const { data: file } = await api(account).upload('a.txt', 'some bytes')
  const headers = { authorization: account.apiKey, 'content-type': 'application/json' }
  const send = async (path: string, body?: unknown) => {
    const method = body === undefined ? 'GET' : 'POST'
    const response = await sendRequest(service.baseUrl + path, {
      method,
      headers,
      body: JSON.stringify(body),
    })
    return { status: response.status, body: JSON.parse(response.bytes.toString()) as Json }
  }

  const creation = await send('/task/test_message', { file_id: file.file_id })
  expect(creation.status).toBe(200)
  expect(wrongFields(messageEnvelopeFields, creation.body)).toEqual([])
  expect(creation.body).toMatchObject({ code: 0, message: 'success' })
  const data = creation.body['data'] as Json
  expect(wrongFields(messageCreatedFields, data)).toEqual([])

  const path = `/task/test_message/${String(data['task_id'])}`
  const query = await send(path)
  expect(query.status).toBe(200)
  expect(wrongFields(messageEnvelopeFields, query.body)).toEqual([])
  expect(query.body).toMatchObject({ code: 0, message: 'success' })
  expect(wrongFields(taskRecordFields, query.body['data'] as Json)).toEqual([])

  // Failures and endpoints shared by all operations have the common form.
  expect(await send('/task/test_message', {})).toMatchObject({
    status: 400,
    body: { code: 6013, msg: expect.any(String), data: null },
  })
  expect(await send('/task/test_message/1234567890123456789')).toMatchObject({
    status: 404,
    body: { code: 6005, msg: expect.any(String), data: null },
  })
  expect((await send('/task/list?task_type=test_message')).body).toMatchObject({ code: 200, msg: 'success' })
  expect((await send('/task/test_copy', { file_id: file.file_id })).body).toMatchObject({ code: 200 })
})

test('the client accepts both envelopes from any operation', async () => {
  const account = await service.account(9)
  const { data: file } = await api(account).upload('a.txt', 'some bytes')
  const client = createClient(account)
  for (const task_type of ['test_copy', 'test_message']) {
    const task = await createTask(client, { task_type, body: { file_id: file.file_id } })
    expect(task).toMatchObject({ task_type, status: 'queued' })
    const done = await waitForTask(client, task, { signal: new AbortController().signal })
    expect(done).toMatchObject({ task_type, status: 'completed', progress: 100 })
    expect(await fetchTask(client, task)).toEqual(done)
  }
  const rejection = createTask(client, {
    task_type: 'test_message',
    body: { file_id: '1234567890123456789' },
  })
  await expect(rejection).rejects.toMatchObject({ code: 6004 })
})
