import { expect, test } from 'vitest'
import { openSessionWithPausedUpload } from '../../test/mcp/paused-upload.ts'
import { waitUntil } from '../../test/mcp/temporary-folder.ts'
import { videoSplitScreen } from '../../tools/video-split-screen/contract.ts'
import { type CallContext, callToolAsTask } from './call-tool.ts'
import { mediaTaskSource } from './media-tasks.ts'
import { readResource } from './resources.ts'
import type { ToolCall } from './tool.ts'
import { operationTool } from './tools/operation-tool.ts'

/** Creates a call that waits at most this many ms. */
function createCall(waitMs: number): CallContext {
  const mcpReq = { signal: new AbortController().signal, notify: async () => undefined }
  return {
    mcpReq: mcpReq as unknown as CallContext['mcpReq'],
    limits: { waitMs, responseMs: 25_000 },
    canReadLinks: true,
    report: (error) => expect.unreachable(String(error)),
  }
}

const toolCall: ToolCall = {
  signal: new AbortController().signal,
  consent: { canAsk: false, answerTo: () => undefined },
  progress: () => undefined,
}

async function startPausedUpload(changes: Record<string, unknown> = {}) {
  const opened = await openSessionWithPausedUpload()
  const { service, session, gate } = opened
  const context = createCall(100)
  const given = { name: 'video_split_screen', arguments: { ...opened.args, ...changes } }
  const tool = operationTool(videoSplitScreen)
  const callTool = (one: CallContext) => callToolAsTask(session, { tool, given }, one)
  const started = await callTool(context)
  const tasks = mediaTaskSource({ session, report: context.report })
  const taskId = String(started['taskId'])
  return {
    started,
    callTool,
    service,
    session,
    args: opened.args,
    gate,
    tasks,
    taskId,
    get: () => tasks.get(taskId, context.mcpReq),
    async waitForMessage(pattern: RegExp) {
      while (!pattern.test((await tasks.get(taskId, context.mcpReq)).statusMessage ?? '')) {
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    async waitForEnd() {
      let task = await tasks.get(taskId, context.mcpReq)
      while (task.status === 'working') {
        // Its state changes in a later turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve))
        task = await tasks.get(taskId, context.mcpReq)
      }
      return task
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}

test('an upload that outlasts its call is a task that keeps its id until it ends', async () => {
  await using work = await startPausedUpload()
  expect(work.started).toMatchObject({ resultType: 'task', status: 'working', statusMessage: /^uploading/ })
  expect(work.taskId).toMatch(/^transfer-/)
  work.gate.resolve()
  await waitUntil(() => work.service.tasks.size === 1, 'the task is created')
  const task = await work.waitForEnd()
  expect(task).toMatchObject({
    taskId: work.taskId,
    status: 'completed',
    result: { structuredContent: { status: 'completed', files: [{ bytes: 4 }] } },
  })
})

test('the result of a task, and its resource, state what was assumed', async () => {
  await using work = await startPausedUpload({ ratio: 'landscape' })
  work.gate.resolve()
  const task = await work.waitForEnd()
  const assumed = ['ratio was read as output_ratio.', 'output_ratio: "landscape" was read as 16:9.']
  expect(task).toMatchObject({ result: { structuredContent: { status: 'completed', assumed } } })
  const [id] = work.service.tasks.keys()
  const { contents } = await readResource(work.session, `media://tasks/${id}`)
  const [content] = contents
  expect(JSON.parse(content && 'text' in content ? content.text : '')).toMatchObject({ assumed })
})

test('a joined call states how its own arguments were read', async () => {
  await using work = await startPausedUpload({ ratio: 'landscape' })
  const joined = async (changes: Record<string, unknown>) => {
    const given = { ...work.args, ...changes, wait_seconds: 20 }
    return (await operationTool(videoSplitScreen).run(work.session, given, toolCall)).data['assumed']
  }
  const results = [joined({ output_ratio: '16:9' }), joined({ aspect: '16:9' })]
  work.gate.resolve()
  expect(await Promise.all(results)).toEqual([undefined, ['aspect was read as output_ratio.']])
})

test('an upload whose task cannot be created becomes a completed task with an error result', async () => {
  await using work = await startPausedUpload()
  work.service.onCreate = () => {
    throw new Error('broken')
  }
  work.gate.resolve()
  const task = await work.waitForEnd()
  expect(task).toMatchObject({ status: 'completed', result: { isError: true } })
  await work.tasks.cancel(work.taskId)
  await work.tasks.update(work.taskId, {})
  expect(await work.get()).toMatchObject({ status: 'completed', result: { isError: true } })
})

test('a task that cannot be queried is reported as retryable, not as ended', async () => {
  await using work = await startPausedUpload()
  work.service.onCreate = () => undefined
  work.gate.resolve()
  await work.waitForMessage(/^queued/)
  work.service.beforeResponse = (_request, response) => response.destroy()
  await expect(work.get()).rejects.toThrow(/^6401: .*Retryable: yes/)
  work.service.beforeResponse = () => undefined
  await work.waitForMessage(/^queued/)
})

test('a submitted task is returned as a snapshot if the task itself cannot be queried', async () => {
  await using work = await startPausedUpload()
  work.service.onCreate = () => undefined
  work.gate.resolve()
  await work.waitForMessage(/^queued/)
  let isUnreachable = false
  work.service.beforeResponse = ({ url = '' }, response) => {
    if (isUnreachable) response.destroy()
    // The last request of a call.
    isUnreachable ||= url.startsWith('/task/list')
  }
  const [id] = work.service.tasks.keys()
  const response = await work.callTool(createCall(20_000))
  expect(response).not.toHaveProperty('resultType')
  expect(response).toMatchObject({ structuredContent: { task_id: id, status: 'queued' } })
})

test('a task cancelled during its upload is stopped right after its creation', async () => {
  await using work = await startPausedUpload()
  work.service.onCreate = () => undefined
  await work.tasks.cancel(work.taskId)
  work.gate.resolve()
  await waitUntil(() => [...work.service.tasks.values()][0]?.status === 'cancelled', 'it is cancelled')
  expect((await work.get()).status).toBe('cancelled')
})
