import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import {
  CreateTaskResultV2Schema,
  GetTaskResultV2Schema,
  UpdateTaskResultV2Schema,
} from '@modelcontextprotocol/ext-tasks/core/v2'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { tasksExtension } from '../../src/mcp/task-extension.ts'
import { api, pollUntil } from '../service/api.ts'
import type { TestAccount } from '../service/in-process.ts'
import { startContractServer } from './contract-server.ts'
import type { EntryOptions } from './entry.ts'
import {
  requestMeta,
  postModernRequest,
  startHttpServerFixture,
  type HttpServerFixture,
} from './http-server-fixture.ts'
import { temporaryFolder } from './temporary-folder.ts'

// The SDK's client rejects task results, so these tests send raw JSON-RPC messages.

/** A JSON-RPC response. */
interface JsonRpcResponse {
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** What the tests read of a task that asks. */
interface AskingSnapshot {
  readonly questions: readonly { readonly questions: readonly { readonly question_id: string }[] }[]
}

type SendRequest = (
  method: string,
  params: Record<string, unknown>,
  extensions?: Record<string, object>,
) => Promise<JsonRpcResponse>

const declared = { [tasksExtension]: {} }

/** Polls a task until it has the given status. */
async function untilStatus(
  send: SendRequest,
  taskId: unknown,
  status: string,
): Promise<Record<string, unknown>> {
  const queryTask = async () => {
    const { result = {} } = await send('tasks/get', { taskId })
    expect(GetTaskResultV2Schema.safeParse(result).error).toBeUndefined()
    return result
  }
  return await pollUntil(queryTask, (result) => result['status'] === status)
}

describe('over HTTP', () => {
  let fixture: HttpServerFixture
  beforeAll(async () => {
    fixture = await startHttpServerFixture()
  })
  afterAll(() => fixture[Symbol.asyncDispose]())

  const createSender =
    ({ apiKey }: Pick<TestAccount, 'apiKey'>): SendRequest =>
    async (method, params, extensions = declared) => {
      const response = await postModernRequest(fixture.url, apiKey, {
        method,
        params: { ...params, _meta: requestMeta(extensions) },
      })
      return (await response.json()) as JsonRpcResponse
    }

  async function open() {
    const account = await fixture.service.account(10)
    const { data: file } = await api(account).upload('a.txt', 'words')
    const send = createSender(account)
    const startTask = async (behaviour: string) => {
      const params = { name: 'test_copy', arguments: { file_id: file.file_id, behaviour } }
      return (await send('tools/call', params)).result ?? {}
    }
    return { send, startTask, file }
  }

  test('an operation returns its task immediately, and the task returns the result', async () => {
    const { send, startTask } = await open()
    const started = await startTask('copy')
    expect(CreateTaskResultV2Schema.safeParse(started).error).toBeUndefined()
    expect(started).toMatchObject({ resultType: 'task', ttlMs: null, pollIntervalMs: 2000 })
    const done = await untilStatus(send, started['taskId'], 'completed')
    expect(done).toMatchObject({ resultType: 'complete', createdAt: started['createdAt'] })
    const result = done['result'] as Record<string, Record<string, unknown>>
    expect(result).toMatchObject({
      resultType: 'complete',
      structuredContent: { status: 'completed', progress: 100 },
    })
    for (const name of ['status', 'next_step']) expect(result['structuredContent']).toHaveProperty(name)
    const [file] = (result['structuredContent']?.['files'] ?? []) as { url: string }[]
    expect(await (await fetch(file?.url ?? '')).text()).toBe('words')
  })

  test('discovery lists the extension; a client that does not declare it never receives a task', async () => {
    const { send, startTask, file } = await open()
    const { result } = await send('server/discover', {}, {})
    expect(result?.['capabilities']).toMatchObject({ extensions: { [tasksExtension]: {} } })
    const plain = await send('tools/call', { name: 'test_copy', arguments: { file_id: file.file_id } }, {})
    expect(plain.result).toMatchObject({ resultType: 'complete', structuredContent: { status: 'completed' } })
    const { taskId } = await startTask('wait')
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const { error } = await send(method, { taskId, inputResponses: {} }, {})
      expect(error).toMatchObject({ code: -32_021, data: { requiredCapabilities: { extensions: declared } } })
    }
    expect((await send('tasks/cancel', { taskId })).error).toBeUndefined()
  })

  test('task subscriptions require the extension, and return no notifications', async () => {
    const { send } = await open()
    const params = { notifications: { taskIds: ['1'] } }
    const { error } = await send('subscriptions/listen', params, {})
    expect(error).toMatchObject({ code: -32_021, data: { requiredCapabilities: { extensions: declared } } })
    const account = await fixture.service.account(0)
    const message = { method: 'subscriptions/listen', params: { ...params, _meta: requestMeta(declared) } }
    const response = await (await postModernRequest(fixture.url, account.apiKey, message)).text()
    expect(response).toContain('"notifications":{}')
  })

  test('get_task and other tools return ordinary results', async () => {
    const { send, startTask } = await open()
    const { taskId } = await startTask('wait')
    const params = { name: 'get_task', arguments: { task_id: taskId, wait_seconds: 0 } }
    const { result } = await send('tools/call', params)
    expect(result).toMatchObject({ resultType: 'complete', structuredContent: { task_id: taskId } })
    await send('tasks/cancel', { taskId })
  })

  test('cancelling stops the task and reports it as cancelled; a repeated cancellation changes nothing', async () => {
    const { send, startTask } = await open()
    const { taskId } = await startTask('wait')
    const { result } = await send('tasks/cancel', { taskId })
    expect(UpdateTaskResultV2Schema.safeParse(result).error).toBeUndefined()
    await untilStatus(send, taskId, 'cancelled')
    expect((await send('tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' })
    expect((await send('tasks/update', { taskId, inputResponses: { x: {} } })).result).toMatchObject({
      resultType: 'complete',
    })
  })

  test('a failed operation is a completed task with an error result', async () => {
    const { send, startTask } = await open()
    const { taskId } = await startTask('refuse')
    const done = await untilStatus(send, taskId, 'completed')
    expect(done['result']).toMatchObject({
      isError: true,
      structuredContent: { status: 'failed', error: { code: 6017 } },
    })
  })

  test('the call of a task that asks completes with the questions, and get_task continues the task', async () => {
    const { send, startTask } = await open()
    const { taskId } = await startTask('ask')
    const asked = await untilStatus(send, taskId, 'completed')
    const result = asked['result'] as { structuredContent: AskingSnapshot; content: { type: string }[] }
    expect(result.structuredContent).toMatchObject({ status: 'queued', task_id: taskId })
    expect(result.content.map(({ type }) => type)).toContain('image')
    const [question] = result.structuredContent.questions[0]?.questions ?? []
    const answers = [{ question_id: question?.question_id, answer: { summary: 'Two numbers.', terms: [] } }]
    const params = { name: 'answer_questions', arguments: { task_id: taskId, answers, wait_seconds: 45 } }
    const { result: answered } = await send('tools/call', params)
    expect(answered).toMatchObject({ structuredContent: { status: 'completed' } })
    expect(await untilStatus(send, taskId, 'completed')).toMatchObject({
      result: { structuredContent: { status: 'completed' } },
    })
  })

  test('a rejected request returns a result, not a task', async () => {
    const { send } = await open()
    const { result } = await send('tools/call', { name: 'test_copy', arguments: {} })
    expect(result).toMatchObject({ resultType: 'complete', isError: true })
  })

  test('an unknown task, or one of another account, returns invalid params', async () => {
    const { startTask } = await open()
    const { send } = await open()
    const { taskId } = await startTask('copy')
    for (const id of [taskId, '1', 'nobody', '../../base/enums', '']) {
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
        expect([id, (await send(method, { taskId: id, inputResponses: {} })).error?.code]).toEqual([
          id,
          -32_602,
        ])
      }
    }
  })
})

test('over stdio, tasks work the same way, and the results are saved', async () => {
  await using service = await startContractServer()
  await using folder = await temporaryFolder()
  const { baseUrl, apiKey } = service
  const entry: EntryOptions = { baseUrl, apiKey, defaultFolder: folder.path, allowedFolders: [] }
  const server = spawn(process.execPath, [join(import.meta.dirname, 'entry.ts'), JSON.stringify(entry)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void server.kill())
  const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]()
  let id = 0
  const send: SendRequest = async (method, params, extensions = declared) => {
    id += 1
    const message = { jsonrpc: '2.0', id, method, params: { ...params, _meta: requestMeta(extensions) } }
    server.stdin.write(`${JSON.stringify(message)}\n`)
    for (;;) {
      const { value } = await lines.next()
      const reply = JSON.parse(String(value)) as JsonRpcResponse & { id?: number }
      if (reply.id === id) return reply
    }
  }
  const listen = await send('subscriptions/listen', { notifications: { taskIds: ['1'] } }, {})
  expect(listen.error?.code).toBe(-32_021)
  const ended = await Promise.all(
    ['left.mp4', 'right.mp4'].map((name) => service.addFile(name, Buffer.from(name))),
  )
  service.onCreate = () => undefined
  const params = {
    name: 'video_split_screen',
    arguments: { clips: ended.map((file) => ({ file_id: file.id })) },
  }
  const { result: started } = await send('tools/call', params)
  expect(CreateTaskResultV2Schema.safeParse(started).error).toBeUndefined()
  expect(started).toMatchObject({
    status: 'working',
    statusMessage: 'queued 0 %',
    createdAt: '2026-01-02T03:04:05.000Z',
  })
  const taskId = String(started?.['taskId'])
  service.updateTask(taskId, { status: 'processing', progress: 40 })
  expect((await send('tasks/get', { taskId })).result).toMatchObject({ statusMessage: 'processing 40 %' })
  const output = { file_id: ended[0]?.id, download_url: `/base/file/${ended[0]?.id}/download` }
  service.updateTask(taskId, { status: 'completed', progress: 100, output })
  const done = await untilStatus(send, taskId, 'completed')
  expect(done['result']).toMatchObject({
    structuredContent: { files: [{ path: expect.stringMatching(/reelwright-output.*left\.mp4$/) }] },
  })
})
