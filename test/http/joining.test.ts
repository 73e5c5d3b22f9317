import { expect, test } from 'vitest'
import { accountBalance } from '../../src/accounts/ledger.ts'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { TaskCreated, TaskQuote } from '../../src/contract/task.ts'
import { api, pollUntil, type Api } from '../service/api.ts'
import type { TestService } from '../service/in-process.ts'
import { onDatabases, onMainDatabase } from './on-databases.ts'

const prefer = 'join-identical'

function post<T>(calls: Api, path: string, { body, headers }: { body: unknown; headers?: object }) {
  return calls.send<T>(fillPath(path, { task_type: 'test_copy' }), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

const create = (calls: Api, body: unknown, headers: object = { prefer }) =>
  post<TaskCreated>(calls, routes.createTask.path, { body, headers })
const quote = (calls: Api, body: unknown, headers: object = {}) =>
  post<TaskQuote>(calls, routes.quoteTask.path, { body, headers })

/** Returns a function that creates an account with credits and a file. */
const onAccounts =
  (service: () => TestService) =>
  async (credits = 9) => {
    const account = await service().account(credits)
    const calls = api(account)
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const balance = () => accountBalance(service().running.service.db, account.id)
    return { calls, balance, body: { file_id: file.file_id, behaviour: 'wait' } }
  }

onDatabases('Prefer: join-identical', (service) => {
  const setUp = onAccounts(service)

  test('a creation joins only an equal unfinished task', async () => {
    const { calls, balance, body } = await setUp()
    const first = await create(calls, body)
    expect(first.data).not.toHaveProperty('joined')
    const { task_id } = first.data
    expect((await create(calls, { other: 1, ...body })).data).toMatchObject({ task_id, joined: true })
    expect(await balance()).toBe(8)

    const separate = await create(calls, body, { prefer: 'respond-async' })
    expect(separate.data.task_id).not.toBe(task_id)
    const different = await create(calls, { ...body, behaviour: 'copy' })
    expect(different.data).not.toHaveProperty('joined')
    expect(await balance()).toBe(6)

    for (const id of [task_id, separate.data.task_id]) await calls.stop(id)
    await pollUntil(
      () => calls.query('test_copy', task_id),
      ({ data }) => data.status !== 'processing' && data.status !== 'queued',
    )
    const later = await create(calls, body)
    expect(later.data).not.toHaveProperty('joined')
    await calls.stop(later.data.task_id)
  })

  test('equal concurrent creations create one task, even with credits for one', async () => {
    const { calls, balance, body } = await setUp(1)
    const responses = await Promise.all(Array.from({ length: 8 }, () => create(calls, body)))
    expect(responses.map(({ code }) => code)).toEqual(Array(8).fill(200))
    expect(new Set(responses.map(({ data }) => data.task_id)).size).toBe(1)
    expect(responses.filter(({ data }) => data.joined)).toHaveLength(7)
    expect(await balance()).toBe(0)
    await calls.stop(responses[0]?.data.task_id ?? '')
  })

  test('a repeated joining creation returns the same task, finished or not', async () => {
    const { calls, body } = await setUp()
    const { data: first } = await create(calls, body)
    const headers = { prefer, 'idempotency-key': 'mine' }
    expect((await create(calls, body, headers)).data).toMatchObject({ task_id: first.task_id, joined: true })
    await calls.stop(first.task_id)
    expect((await create(calls, body, headers)).data.task_id).toBe(first.task_id)
  })
})

onMainDatabase('Prefer: join-identical, further requests:', (service) => {
  const setUp = onAccounts(service)

  test('another account does not join', async () => {
    const [one, two] = [await setUp(), await setUp()]
    const { data } = await create(one.calls, one.body)
    const other = await create(two.calls, two.body)
    expect(other.data.task_id).not.toBe(data.task_id)
    for (const [{ calls }, id] of [[one, data.task_id] as const, [two, other.data.task_id] as const])
      await calls.stop(id)
  })

  test('a quote returns the price, creates nothing and is validated like a creation', async () => {
    const { calls, balance, body } = await setUp()
    const quoted = await quote(calls, body)
    expect(quoted.data).toEqual({
      credits: 1,
      estimated_duration: expect.any(Number),
      estimated_queue_wait_duration: expect.any(Number),
      estimated_total_duration: expect.any(Number),
    })
    expect(await balance()).toBe(9)
    const { data } = await calls.send<{ total: number }>(routes.listTasks.path)
    expect(data.total).toBe(0)
    expect((await quote(calls, {})).code).toBe(6013)
    expect((await quote(calls, { file_id: '1234567890123456789' })).code).toBe(6004)

    const { data: task } = await create(calls, body)
    expect((await quote(calls, body, { prefer })).data.credits, 'to join costs nothing').toBe(0)
    expect((await quote(calls, body)).data.credits).toBe(1)
    await calls.stop(task.task_id)
  })
})
