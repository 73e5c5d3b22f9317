import { expect, test } from 'vitest'
import { openSessionWithPausedUpload } from '../../test/mcp/paused-upload.ts'
import { waitUntil } from '../../test/mcp/temporary-folder.ts'
import { videoSplitScreen } from '../../tools/video-split-screen/contract.ts'
import { type CallContext, callToolAsTask } from './call-tool.ts'
import { mediaTaskSource } from './media-tasks.ts'
import { operationTool } from './tools/operation-tool.ts'

/** A call that waits for so many ms. */
function callOf(wait: number): CallContext {
  const mcpReq = { signal: new AbortController().signal, notify: async () => undefined }
  return {
    mcpReq: mcpReq as unknown as CallContext['mcpReq'],
    limits: { wait, answer: 25_000 },
    report: (error) => expect.unreachable(String(error)),
  }
}

async function uploading() {
  const held = await openSessionWithPausedUpload()
  const { service, session, gate } = held
  const context = callOf(100)
  const given = { name: 'video_split_screen', arguments: held.args }
  const tool = operationTool(videoSplitScreen)
  const ask = (one: CallContext) => callToolAsTask(session, { tool, given }, one)
  const begun = await ask(context)
  const tasks = mediaTaskSource({ session, report: context.report })
  const taskId = String(begun['taskId'])
  return {
    begun,
    ask,
    service,
    gate,
    tasks,
    taskId,
    get: () => tasks.get(taskId, context.mcpReq),
    async nextMessage(pattern: RegExp) {
      while (!pattern.test((await tasks.get(taskId, context.mcpReq)).statusMessage ?? '')) {
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    async ended() {
      let task = await tasks.get(taskId, context.mcpReq)
      while (task.status === 'working') {
        // What it waits for comes with a turn of the event loop.
        await new Promise((resolve) => setImmediate(resolve))
        task = await tasks.get(taskId, context.mcpReq)
      }
      return task
    },
    [Symbol.asyncDispose]: () => held[Symbol.asyncDispose](),
  }
}

test('an upload that outlasts its call is a task, under the same id to the end', async () => {
  await using work = await uploading()
  expect(work.begun).toMatchObject({ resultType: 'task', status: 'working', statusMessage: /^uploading/ })
  expect(work.taskId).toMatch(/^transfer-/)
  work.gate.resolve()
  await waitUntil(() => work.service.tasks.size === 1, 'the task is made')
  const task = await work.ended()
  expect(task).toMatchObject({
    taskId: work.taskId,
    status: 'completed',
    result: { structuredContent: { status: 'completed', files: [{ bytes: 4 }] } },
  })
})

test('an upload whose task cannot be made is a completed task with the error for a result', async () => {
  await using work = await uploading()
  work.service.onCreate = () => {
    throw new Error('broken')
  }
  work.gate.resolve()
  const task = await work.ended()
  expect(task).toMatchObject({ status: 'completed', result: { isError: true } })
  await work.tasks.cancel(work.taskId)
  await work.tasks.update(work.taskId, {})
  expect(await work.get()).toMatchObject({ status: 'completed', result: { isError: true } })
})

test('a task that cannot be asked about just now is no task that ended', async () => {
  await using work = await uploading()
  work.service.onCreate = () => undefined
  work.gate.resolve()
  await work.nextMessage(/^queued/)
  work.service.beforeResponse = (_request, response) => response.destroy()
  await expect(work.get()).rejects.toThrow(/^6401: .*Retryable: yes/)
  work.service.beforeResponse = () => undefined
  await work.nextMessage(/^queued/)
})

test('a submitted task is returned as a snapshot if the task itself cannot be queried', async () => {
  await using work = await uploading()
  work.service.onCreate = () => undefined
  work.gate.resolve()
  await work.nextMessage(/^queued/)
  let isGone = false
  work.service.beforeResponse = ({ url = '' }, response) => {
    if (isGone) response.destroy()
    // The last request of a call.
    isGone ||= url.startsWith('/task/list')
  }
  const [id] = work.service.tasks.keys()
  const answer = await work.ask(callOf(20_000))
  expect(answer).not.toHaveProperty('resultType')
  expect(answer).toMatchObject({ structuredContent: { task_id: id, status: 'queued' } })
})

test('a task cancelled during its upload is stopped right after its creation', async () => {
  await using work = await uploading()
  work.service.onCreate = () => undefined
  await work.tasks.cancel(work.taskId)
  work.gate.resolve()
  await waitUntil(() => [...work.service.tasks.values()][0]?.status === 'cancelled', 'it is cancelled')
  expect((await work.get()).status).toBe('cancelled')
})
