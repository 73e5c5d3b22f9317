import { expect, test } from 'vitest'
import { accountBalance } from '../../src/accounts/ledger.ts'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { TaskCreated } from '../../src/contract/task.ts'
import { removeExpiredIdempotencyKeys } from '../../src/tasks/idempotency.ts'
import { api, pollUntil, type Api } from '../service/api.ts'
import { onDatabases } from './on-databases.ts'

const day = 24 * 3600 * 1000

function createUnder(calls: Api, key: string, body: unknown, type = 'test_copy') {
  return calls.send<TaskCreated>(fillPath(routes.createTask.path, { task_type: type }), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  })
}

onDatabases('Idempotency-Key', (service) => {
  const db = () => service().running.service.db
  const setUp = async (credits = 9) => {
    const account = await service().account(credits)
    const calls = api(account)
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    return { account, calls, fileId: file.file_id, body: { file_id: file.file_id } }
  }
  const tasksOf = (accountId: number) =>
    db().selectFrom('tasks').select('id').where('account_id', '=', accountId).execute()
  const keysOf = (accountId: number) =>
    db().selectFrom('idempotency_keys').select('key').where('account_id', '=', accountId).execute()

  test('a repeated creation returns the first response and charges nothing', async () => {
    const { account, calls, body } = await setUp()
    const first = await createUnder(calls, 'a', body)
    expect(first).toMatchObject({ status: 200, code: 200, data: { status: 'queued' } })
    await pollUntil(
      () => calls.query('test_copy', first.data.task_id),
      ({ data }) => data.status === 'completed',
    )
    expect(await createUnder(calls, 'a', body)).toEqual(first)
    // An explicit default value is the same request.
    expect(await createUnder(calls, 'a', { behaviour: 'copy', ...body, other: 1 })).toEqual(first)
    expect(await tasksOf(account.id)).toHaveLength(1)
    expect(await accountBalance(db(), account.id)).toBe(8)
  })

  test('the first response is returned although its file was deleted', async () => {
    const { calls, body, fileId } = await setUp()
    const first = await createUnder(calls, 'a', body)
    await db().updateTable('files').set({ expire_at: 0 }).where('id', '=', fileId).execute()
    expect(await createUnder(calls, 'a', body)).toEqual(first)
    expect((await createUnder(calls, 'b', body)).code).toBe(6004)
  })

  test('another body or task type under the same key returns 6016', async () => {
    const { account, calls, body } = await setUp()
    await createUnder(calls, 'a', body)
    const response = await createUnder(calls, 'a', { ...body, behaviour: 'wait' })
    expect(response).toMatchObject({ status: 400, code: 6016, data: null })
    expect(response.msg).toContain('Idempotency-Key')
    expect((await createUnder(calls, 'a', body, 'other_type')).code).toBe(6016)
    expect(await tasksOf(account.id)).toHaveLength(1)
  })

  test('equal concurrent creations create exactly one task, even with credits for one', async () => {
    const { account, calls, body } = await setUp(1)
    const responses = await Promise.all(Array.from({ length: 12 }, () => createUnder(calls, 'once', body)))
    expect(responses.map(({ code }) => code)).toEqual(Array(12).fill(200))
    expect(new Set(responses.map(({ data }) => data.task_id)).size).toBe(1)
    expect(await tasksOf(account.id)).toHaveLength(1)
    expect(await accountBalance(db(), account.id)).toBe(0)
  })

  test('different concurrent creations create exactly one task', async () => {
    const { account, calls, body } = await setUp()
    const responses = await Promise.all(
      ['copy', 'wait'].map((behaviour) => createUnder(calls, 'once', { ...body, behaviour })),
    )
    expect(responses.map(({ code }) => code).toSorted((a, b) => a - b)).toEqual([200, 6016])
    expect(await tasksOf(account.id)).toHaveLength(1)
  })

  test('a rejected creation is not stored', async () => {
    const { account, calls, body } = await setUp(0)
    expect((await createUnder(calls, 'a', {})).code).toBe(6013)
    expect((await createUnder(calls, 'a', { file_id: '1234567890123456789' })).code).toBe(6004)
    expect((await createUnder(calls, 'a', body)).code).toBe(6202)
    expect(await keysOf(account.id)).toEqual([])
  })

  test('each account has its own keys', async () => {
    const [one, other] = [await setUp(), await setUp()]
    const first = await createUnder(one.calls, 'shared', one.body)
    const second = await createUnder(other.calls, 'shared', other.body)
    expect([first.code, second.code]).toEqual([200, 200])
    expect(first.data.task_id).not.toBe(second.data.task_id)
  })

  test('a key expires after 24 hours, even before it is removed', async () => {
    const { account, calls, body } = await setUp()
    const ageKeys = () =>
      db()
        .updateTable('idempotency_keys')
        .set((eb) => ({ created_at: eb('created_at', '-', day) }))
        .where('account_id', '=', account.id)
        .execute()
    const first = await createUnder(calls, 'a', body)
    await ageKeys()
    const second = await createUnder(calls, 'a', { ...body, behaviour: 'refuse' })
    expect(second.code).toBe(200)
    expect(second.data.task_id).not.toBe(first.data.task_id)
    expect(await createUnder(calls, 'a', { ...body, behaviour: 'refuse' })).toEqual(second)

    await createUnder(calls, 'old', body)
    await ageKeys()
    await createUnder(calls, 'young', body)
    await removeExpiredIdempotencyKeys(service().running.service)
    expect(await keysOf(account.id)).toEqual([{ key: 'young' }])
  })

  test('a key is 1 to 255 visible characters', async () => {
    const { calls, body } = await setUp()
    for (const key of ['x', '!', '~', '"quoted"', 'k'.repeat(255)]) {
      expect([key, (await createUnder(calls, key, body)).code]).toEqual([key, 200])
    }
    for (const key of ['', 'k'.repeat(256), 'two words', 'schlüssel', 'tab\there']) {
      const response = await createUnder(calls, key, body)
      expect([key, response]).toMatchObject([key, { status: 400, code: 6016, data: null }])
      expect(response.msg).toContain('Idempotency-Key')
    }
  })
})
