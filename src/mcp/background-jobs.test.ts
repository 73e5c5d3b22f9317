import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { startContractServer } from '../../test/mcp/contract-server.ts'
import { openSessionWithPausedUpload } from '../../test/mcp/paused-upload.ts'
import { waitUntil } from '../../test/mcp/temporary-folder.ts'
import { videoSplitScreen } from '../../tools/video-split-screen/contract.ts'
import { createClient } from '../client/client.ts'
import { callTool } from './call-tool.ts'
import { workspaceDelivery } from './workspace-delivery.ts'
import { openSession } from './session.ts'
import type { ToolCall, Tool } from './tool.ts'
import { inspectFileTool } from './tools/inspect-tool.ts'
import { operationTool } from './tools/operation-tool.ts'
import { getTaskTool } from './tools/task-tools.ts'
import { BackgroundJobs } from './background-jobs.ts'

const never = new AbortController().signal

function call(signal: AbortSignal): ToolCall {
  return { signal, progress: () => undefined, consent: { canAsk: false, answerTo: () => undefined } }
}

test('a job continues after its caller has left, and returns its result later', async () => {
  using transfers = new BackgroundJobs<string>()
  const work = Promise.withResolvers<string>()
  const transfer = transfers.start(({ progress }) => {
    progress(40)
    progress(20)
    return work.promise
  })
  expect(await transfer.result(AbortSignal.abort())).toBeUndefined()
  expect(transfer.progress).toBe(40)
  work.resolve('done')
  expect(await transfers.get(transfer.id)?.result(never)).toBe('done')
})

test('calls with equal keys share a running job; a later call starts a new one', async () => {
  using transfers = new BackgroundJobs<number>()
  const works = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  let started = 0
  const start = () =>
    transfers.join('key', () => works[started++]?.promise ?? Promise.reject(new Error('too many')))
  const [first, joined] = [start(), start()]
  expect(joined).toBe(first)
  works[0]?.resolve(1)
  expect(await first.result(never)).toBe(1)
  const again = start()
  expect(again).not.toBe(first)
  works[1]?.reject(new Error('broken'))
  await expect(again.result(never)).rejects.toThrow('broken')
})

test('a running job is always found by its id; of ended jobs only the latest 200', async () => {
  using transfers = new BackgroundJobs<number>()
  const work = Promise.withResolvers<number>()
  const long = transfers.start(() => work.promise)
  const short = Array.from({ length: 201 }, (_, index) => transfers.start(async () => index))
  await Promise.all(short.map((transfer) => transfer.result(never)))
  expect(transfers.get(long.id)).toBe(long)
  expect(short.map(({ id }) => transfers.get(id) !== undefined)).toEqual(short.map((_, index) => index > 0))
  expect(transfers.isBusy).toBe(true)
  work.resolve(1)
  await long.result(never)
  expect(transfers.isBusy).toBe(false)
})

test('an upload that outlasts its call continues until the task is created, and get_task joins it', async () => {
  await using opened = await openSessionWithPausedUpload()
  const { service, session, workspace, gate, args } = opened
  const { data } = await operationTool(videoSplitScreen).run(session, args, call(AbortSignal.timeout(200)))
  expect(data).toMatchObject({
    status: 'uploading',
    next_step: expect.stringContaining(String(data['transfer_id'])),
  })
  const { transfer_id } = data
  const save_to = 'elsewhere/final.mp4'
  const still = await getTaskTool.run(session, { transfer_id, save_to, wait_seconds: 0 }, call(never))
  expect(still.data).toMatchObject({ status: 'uploading', transfer_id })
  expect(still.data['next_step']).toContain(`and save_to "${save_to}"`)
  gate.resolve()
  const done = await getTaskTool.run(session, { transfer_id, save_to }, call(never))
  expect(done.data).toMatchObject({
    status: 'completed',
    files: [{ bytes: 4, path: join(workspace, save_to) }],
  })
  expect(service.requests.filter((request) => request === 'POST /base/file/upload')).toHaveLength(1)
  const unknown = getTaskTool.run(session, { transfer_id: 'transfer-0' }, call(never))
  await expect(unknown).rejects.toMatchObject({ code: 6005 })
})

/** Opens a session with consent above 6 credits and a task that costs 7. Its upload waits until the gate is resolved. */
async function openPricedSession() {
  const opened = await openSessionWithPausedUpload({ confirmAbove: 6 })
  opened.service.price = 7
  return {
    ...opened,
    run: (one: ToolCall) => operationTool(videoSplitScreen).run(opened.session, opened.args, one),
  }
}

test('when an upload outlasts its call, get_task reports the price, and a repeated call asks for consent', async () => {
  await using work = await openPricedSession()
  const { service, session, gate, args, run } = work
  const { transfer_id } = (await run(call(AbortSignal.timeout(50)))).data
  const joined = await run(call(AbortSignal.timeout(50)))
  expect(joined.data).toMatchObject({ transfer_id, next_step: expect.stringContaining('force_new') })
  const outside = { ...args, save_to: '/elsewhere' }
  await expect(
    operationTool(videoSplitScreen).run(session, outside, call(AbortSignal.timeout(50))),
    'save_to is checked immediately, also for a joined call',
  ).rejects.toMatchObject({ code: 6016 })
  gate.resolve()
  const priced = await getTaskTool.run(session, { transfer_id }, call(never))
  expect(priced.data).toMatchObject({
    status: 'unconfirmed',
    price_credits: 7,
    next_step: expect.stringMatching(/7 credits.*call video_split_screen again/),
  })
  const asking = { ...call(never), consent: { canAsk: true, answerTo: () => undefined } }
  const { question } = await run(asking)
  expect(question).toMatchObject({ text: expect.stringContaining('7 credits') })
  const otherPrice = {
    ...call(never),
    consent: { canAsk: true, answerTo: (key: string) => key === 'cost_6_credits' },
  }
  expect((await run(otherPrice)).data, 'consent to another price').toMatchObject({ status: 'declined' })
  expect(service.tasks.size).toBe(0)
  const agreed = {
    ...call(never),
    consent: { canAsk: true, answerTo: (key: string) => key === question?.key },
  }
  expect((await run(agreed)).data).toMatchObject({ status: 'completed' })
  expect(service.tasks.size).toBe(1)
})

test('consent given in a repeated call applies to the job that it joins', async () => {
  await using work = await openPricedSession()
  const { service, gate, run } = work
  await run(call(AbortSignal.timeout(50)))
  const agreed = { canAsk: true, answerTo: (key: string) => key === 'cost_7_credits' }
  const { signal } = new AbortController()
  const waiting = Promise.withResolvers<void>()
  vi.spyOn(signal, 'addEventListener').mockImplementationOnce(() => waiting.resolve())
  const joined = run({ ...call(signal), consent: agreed })
  await waiting.promise
  gate.resolve()
  expect((await joined).data).toMatchObject({ status: 'completed' })
  expect(service.tasks.size).toBe(1)
})

test('a preview that outlasts its call continues, and a repeated call returns it', async () => {
  await using service = await startContractServer()
  const { id: file } = await service.addFile('a.mp4', Buffer.from('aaaa'))
  const gate = Promise.withResolvers<void>()
  const caller = new AbortController()
  await using session = openSession({
    version: '0',
    operations: [],
    async connect() {
      const client = createClient(service)
      return {
        ...client,
        async send(request) {
          caller.abort()
          await gate.promise
          return client.send(request)
        },
      }
    },
    delivery: workspaceDelivery({ allowedFolders: [], defaultFolder: '/nonexistent' }),
  })
  const inspect = (signal: AbortSignal) =>
    inspectFileTool.run(session, { file, preview: 'contact_sheet' }, call(signal))
  const first = await inspect(caller.signal)
  expect(first.images).toBeUndefined()
  expect(first.data).toMatchObject({
    name: 'a.mp4',
    next_step: expect.stringContaining('still being rendered'),
  })
  gate.resolve()
  await waitUntil(
    () => service.requests.some((request) => request.endsWith('/preview')),
    'the preview is rendered',
  )
  expect((await inspect(never)).images).toHaveLength(1)
})

test('a lost service is located again, and the call continues there', async () => {
  const first = await startContractServer()
  await using second = await startContractServer()
  const services = [first, second]
  await using session = openSession({
    version: '0',
    operations: [],
    connect: () => Promise.resolve(createClient(services.shift() ?? second)),
    delivery: workspaceDelivery({ allowedFolders: [], defaultFolder: '/nonexistent' }),
  })
  const opened = [
    await first.addFile('a.mp4', Buffer.from('1')),
    await second.addFile('b.mp4', Buffer.from('2')),
  ]
  const nameOf = async (id = '') => {
    const response = await session.client.send({
      method: 'GET',
      address: `/base/file/${id}`,
      idempotent: true,
    })
    return JSON.stringify(await response.body.json())
  }
  expect(await nameOf(opened[0]?.id)).toContain('a.mp4')
  await first[Symbol.asyncDispose]()
  expect(await nameOf(opened[1]?.id)).toContain('b.mp4')
})

test('a call of a tool that hangs returns; a bug is reported without its message', async () => {
  const reported: unknown[] = []
  await using session = openSession({
    version: '0',
    operations: [],
    connect: () => Promise.reject(new Error('unused')),
    delivery: workspaceDelivery({ allowedFolders: [], defaultFolder: '/nonexistent' }),
  })
  const context = {
    mcpReq: { signal: never, notify: () => Promise.resolve() } as never,
    limits: { waitMs: 10, responseMs: 20 },
    canReadLinks: true,
    report: (error: unknown) => void reported.push(error),
  }
  const given = { name: 'x' }
  const hanging: Pick<Tool, 'run'> = { run: () => new Promise(() => undefined) }
  const timedOut = await callTool(session, { tool: hanging, given }, context)
  expect(timedOut).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^6402: .*Retryable: yes$/) }],
  })
  const waiting: Pick<Tool, 'run'> = {
    run: (_session, _given, { signal }) => delay(1000, { data: {} }, { signal }),
  }
  const outOfTime = await callTool(session, { tool: waiting, given }, context)
  expect(outOfTime).toEqual(timedOut)
  const broken: Pick<Tool, 'run'> = {
    run: () => Promise.reject(new Error('password is 123')),
  }
  const bug = await callTool(session, { tool: broken, given }, context)
  expect(JSON.stringify(bug)).toContain('6500: Internal error.')
  expect(JSON.stringify(bug)).not.toContain('123')
  await waitUntil(() => reported.length === 1, 'the bug is reported')
  await expect(callTool(session, { tool: undefined, given }, context)).rejects.toThrow('no tool x')
})
