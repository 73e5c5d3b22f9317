import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountBalance } from '../../src/accounts/ledger.ts'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { TaskCreated, TaskList } from '../../src/contract/task.ts'
import { api, pollUntil, type Api } from '../service/api.ts'
import { synchronousModule, fakeModule } from '../service/fake-operation.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { subscribeToAll, connectEventSocket } from './event-client.ts'
import { onMainDatabase, onNewDatabases } from './on-databases.ts'

const type = 'test_answer'

type Result = Record<'task_id' | 'file_id' | 'download_url', string>

function createSynchronous<T = Result>(
  calls: Api,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  return calls.send<T>(fillPath(routes.createTask.path, { task_type: type }), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

async function prepareAccount(service: TestService, credits = 9) {
  const account = await service.account(credits)
  const calls = api(account)
  const { data: file } = await calls.upload('a.txt', 'some bytes')
  const balance = () => accountBalance(service.running.service.db, account.id)
  return { account, calls, balance, file_id: file.file_id }
}

onNewDatabases('a synchronous operation', (start) => {
  test('records and charges a task without events', async () => {
    await using service = await start({ operations: [synchronousModule, fakeModule] })
    const { account, calls, balance, file_id } = await prepareAccount(service)
    using listener = await connectEventSocket(account)
    listener.send(subscribeToAll)
    await listener.waitFor(({ length }) => length === 1)

    const { status, data } = await createSynchronous(calls, { file_id })
    expect(status).toBe(200)
    expect(Buffer.from(await calls.download(data.file_id)).toString()).toBe('some bytes')
    expect(await balance()).toBe(8)
    const { task_id, ...output_result } = data
    expect((await calls.query(type, task_id)).data).toMatchObject({ status: 'completed', output_result })
    const { list } = (await calls.send<TaskList>(routes.listTasks.path)).data
    expect(list).toMatchObject([{ id: task_id, status: 'completed', task_type_key: type }])

    // The next task's events start at the first number, so none was sent or skipped.
    const { data: other } = await calls.create('test_copy', { file_id })
    const events = await listener.waitFor(({ length }) => length >= 2)
    expect(events[1]).toMatchObject({ event: 'status', seq: 1, task: { task_id: other.task_id } })
  })
})

onMainDatabase(
  'a synchronous operation, in further calls:',
  (service) => {
    test('one that fails returns its failure with the codes of the operation and refunds the credits', async () => {
      const { calls, balance, file_id } = await prepareAccount(service())
      expect(await createSynchronous(calls, {})).toMatchObject({ status: 400, code: 6016, data: null })
      const { data: picture } = await calls.upload('a.png', 'no picture')
      expect(await createSynchronous(calls, { file_id: picture.file_id })).toMatchObject({
        status: 400,
        code: 6016,
      })
      expect(await balance()).toBe(9)
      expect(await createSynchronous(calls, { file_id, behaviour: 'refuse' })).toMatchObject({
        status: 400,
        code: 6016,
        msg: 'this file is always rejected',
      })
      expect(await balance()).toBe(9)
    })

    test('one whose task is stopped returns 6009', async () => {
      const { calls, file_id } = await prepareAccount(service())
      const response = createSynchronous(calls, { file_id, behaviour: 'wait' })
      const tasks = await pollUntil(
        () => calls.send<TaskList>(routes.listTasks.path),
        ({ data }) => data.list[0]?.status === 'processing',
      )
      await calls.stop(tasks.data.list[0]?.id ?? '')
      expect(await response).toMatchObject({ status: 409, code: 6009 })
    })
  },
  { operations: [synchronousModule] },
)

onMainDatabase(
  'a synchronous operation that takes too long',
  (service) => {
    test('returns 6402 on timeout and refunds the credits', async () => {
      const { calls, balance, file_id } = await prepareAccount(service())
      const busy = []
      for (let worker = 0; worker < 2; worker += 1) {
        const { data } = await calls.create('test_copy', { file_id, behaviour: 'wait' })
        busy.push(data.task_id)
      }
      expect(await createSynchronous(calls, { file_id })).toMatchObject({
        status: 500,
        code: 6402,
        retryable: true,
      })
      expect(await balance()).toBe(7)
      const { list } = (await calls.send<TaskList>(routes.listTasks.path)).data
      expect(list[0]).toMatchObject({ status: 'cancelled', task_type_key: type })

      for (const id of busy) await calls.stop(id)
      const key = { 'idempotency-key': 'again' }
      for (let turn = 0; turn < 2; turn += 1) {
        expect(await createSynchronous(calls, { file_id, behaviour: 'wait' }, key)).toMatchObject({
          status: 500,
          code: 6402,
        })
      }
      expect(await balance()).toBe(9)
    })

    test('keeps its task when another call that joined it times out', async () => {
      const { calls, file_id } = await prepareAccount(service())
      const request = { file_id, behaviour: 'wait' }
      const { data } = await createSynchronous<TaskCreated>(calls, request, { prefer: 'respond-async' })
      expect(await createSynchronous(calls, request, { prefer: 'join-identical' })).toMatchObject({
        code: 6402,
      })
      expect((await calls.query(type, data.task_id)).data.status).not.toBe('failed')
      await calls.stop(data.task_id)
    })
  },
  { operations: [synchronousModule, fakeModule], resultTimeoutMs: 300 },
)

describe('a synchronous operation, in calls that do not depend on the database:', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService({ operations: [synchronousModule] })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  test('Prefer: respond-async returns the task at once, which behaves like any other', async () => {
    const { calls, file_id } = await prepareAccount(service)
    const { data } = await createSynchronous<TaskCreated>(
      calls,
      { file_id },
      { prefer: 'join-identical, respond-async' },
    )
    expect(data).toMatchObject({ task_id: expect.any(String), task_type: type, status: 'queued' })
    expect(data).not.toHaveProperty('file_id')
    expect((await calls.ended(type, data.task_id)).data.status).toBe('completed')
  })

  test('a repeated creation returns the same result, a joining one the same task', async () => {
    const { calls, balance, file_id } = await prepareAccount(service)
    const key = { 'idempotency-key': 'one' }
    const first = await createSynchronous(calls, { file_id }, key)
    expect((await createSynchronous(calls, { file_id }, key)).data).toEqual(first.data)
    const request = { file_id, behaviour: 'wait' }
    const { data } = await createSynchronous<TaskCreated>(calls, request, { prefer: 'respond-async' })
    const joined = createSynchronous(calls, request, { prefer: 'join-identical' })
    await pollUntil(
      () => calls.query(type, data.task_id),
      ({ data: task }) => task.status === 'processing',
    )
    await calls.stop(data.task_id)
    expect(await joined).toMatchObject({ code: 6009 })
    expect(await balance()).toBe(8)
  })
})
