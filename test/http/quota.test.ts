import { expect, test } from 'vitest'
import { insertKey, revokeKeys } from '../../src/accounts/keys.ts'
import { accountBalance, keyQuota } from '../../src/accounts/ledger.ts'
import type { Capabilities } from '../../src/contract/catalog.ts'
import { routes } from '../../src/contract/routes.ts'
import { newKey } from '../../src/platform/hosting.ts'
import { api, pollUntil } from '../service/api.ts'
import { fakeModule } from '../service/fake-operation.ts'
import { startTestService } from '../service/in-process.ts'
import { onDatabases } from './on-databases.ts'

onDatabases('the quota of a key', (service) => {
  const db = () => service().running.service.db
  const setUp = async (credits: number, quota?: number) => {
    const account = await service().account(credits, quota)
    const calls = api(account)
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const create = (behaviour = 'copy', by = calls) =>
      by.create('test_copy', { file_id: file.file_id, behaviour })
    return { account, calls, create }
  }

  test('limits the total cost of its tasks and appears in capabilities', async () => {
    const { account, calls, create } = await setUp(9, 2)
    await create()
    const { data } = await calls.send<Capabilities>(routes.capabilities.path)
    expect(data.credits).toEqual({ balance: 8, quota: { limit: 2, spent: 1 } })
    await create()
    const rejection = await create()
    expect(rejection).toMatchObject({ status: 402, code: 6201, data: null })
    expect(rejection.msg).toBe('this task costs 1 credit, and the quota of this key has 0')
    expect(await accountBalance(db(), account.id)).toBe(7)
  })

  test('is checked before the balance, and an insufficient balance does not use it', async () => {
    const { account, create } = await setUp(0, 1)
    expect((await create()).code).toBe(6202)
    expect(await keyQuota(db(), account.keyId)).toEqual({ limit: 1, spent: 0 })
    expect((await (await setUp(0, 0)).create()).code).toBe(6201)
  })

  test('is never exceeded by concurrent creations', async () => {
    const { account, create } = await setUp(30, 7)
    const responses = await Promise.all(Array.from({ length: 20 }, () => create()))
    expect(responses.filter(({ code }) => code === 200)).toHaveLength(7)
    expect(responses.filter(({ code }) => code === 6201)).toHaveLength(13)
    expect(await keyQuota(db(), account.keyId)).toEqual({ limit: 7, spent: 7 })
    expect(await accountBalance(db(), account.id)).toBe(23)
  })

  test('is restored by a cancelled or failed task, even after the key is revoked', async () => {
    const { account, calls, create } = await setUp(9, 5)
    const { data: failing } = await create('refuse')
    await pollUntil(
      () => calls.query('test_copy', failing.task_id),
      ({ data }) => data.status === 'failed',
    )
    expect(await keyQuota(db(), account.keyId)).toEqual({ limit: 5, spent: 0 })

    const { data: stopped } = await create('wait')
    const other = newKey()
    await insertKey(db(), { accountId: account.id, name: 'other', raw: other, now: Date.now() })
    await revokeKeys(db(), { accountId: account.id, name: 'test', now: Date.now() })
    expect((await create()).code).toBe(6502)
    await api({ ...account, apiKey: other }).stop(stopped.task_id)
    expect(await keyQuota(db(), account.keyId)).toEqual({ limit: 5, spent: 0 })
    expect(await accountBalance(db(), account.id)).toBe(9)
  })

  test('applies per key; a key without one can use the whole balance', async () => {
    const { account, create } = await setUp(3, 1)
    const raw = newKey()
    await insertKey(db(), { accountId: account.id, name: 'free', raw, now: Date.now() })
    const free = api({ ...account, apiKey: raw })
    expect((await create()).code).toBe(200)
    expect((await create('copy', free)).code).toBe(200)
    expect((await create()).code).toBe(6201)
    expect((await create('copy', free)).code).toBe(200)
    expect((await create('copy', free)).code).toBe(6202)
    expect((await free.send<Capabilities>(routes.capabilities.path)).data.credits).toEqual({ balance: 0 })
  })

  test('an expired key is rejected', async () => {
    const { account } = await setUp(1)
    const [raw, now] = [newKey(), Date.now()]
    const key = { accountId: account.id, name: 'session', raw, now }
    await insertKey(db(), { ...key, expireAt: now + 60_000 })
    const list = () => api({ ...account, apiKey: raw }).send(routes.listTasks.path)
    expect((await list()).code).toBe(200)
    await db().updateTable('api_keys').set({ expire_at: now }).where('name', '=', 'session').execute()
    expect(await list()).toMatchObject({ status: 401, code: 6502, data: null })
  })
})

test.each([6201, 6202] as const)(
  'an operation that declares only %i returns it for quota and balance',
  async (code) => {
    const module = {
      ...fakeModule,
      operation: { ...fakeModule.operation, errorAliases: { 6201: code, 6202: code } },
    }
    await using service = await startTestService({ operations: [module] })
    const createRejected = async (credits: number, quota: number) => {
      const calls = api(await service.account(credits, quota))
      const { data: file } = await calls.upload('a.txt', 'some bytes')
      return await calls.create('test_copy', { file_id: file.file_id })
    }
    expect(await createRejected(9, 0)).toMatchObject({
      code,
      status: 402,
      msg: expect.stringContaining('quota of this key has 0'),
    })
    expect(await createRejected(0, 9)).toMatchObject({
      code,
      status: 402,
      msg: expect.stringContaining('account has 0'),
    })
  },
)
