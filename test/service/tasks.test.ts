import { expect, test } from 'vitest'
import { accountBalance } from '../../src/accounts/ledger.ts'
import { onDatabases, onNewMainDatabase } from '../http/on-databases.ts'
import { api, pollUntil } from './api.ts'
import { freeModule } from './fake-operation.ts'
import { soakSize } from '../soak-size.ts'
import type { TestService } from './in-process.ts'
import { checkInvariants } from './invariants.ts'

onDatabases('tasks', (service) => {
  test('a task runs, its result can be downloaded, and its credits stay charged', async () => {
    const calls = api(await service().account(10))
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const created = await calls.create('test_copy', { file_id: file.file_id })
    expect(created).toMatchObject({
      status: 200,
      code: 200,
      msg: 'success',
      data: { task_type: 'test_copy', status: 'queued', estimated_duration: 2 },
    })
    const { data: done } = await calls.ended('test_copy', created.data.task_id)
    expect(done).toMatchObject({ status: 'completed', progress: 100, id: created.data.task_id })
    const result = done.output_result as { file_id: string; download_url: string }
    expect(Buffer.from(await calls.download(result.file_id)).toString()).toBe('some bytes')
    await checkServiceInvariants(service())
  })

  test('an input error fails at once, a bug after three attempts; both are refunded', async () => {
    const account = await service().account(10)
    const calls = api(account)
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const inputErrorTask = await calls.create('test_copy', { file_id: file.file_id, behaviour: 'refuse' })
    const broken = await calls.create('test_copy', { file_id: file.file_id, behaviour: 'break' })
    const inputErrorResult = await calls.ended('test_copy', inputErrorTask.data.task_id)
    expect(inputErrorResult.data).toMatchObject({
      status: 'failed',
      output_result: { error: { code: 6017, message: 'this file is always rejected', retryable: false } },
    })
    const bug = await calls.ended('test_copy', broken.data.task_id)
    expect(bug.data).toMatchObject({ status: 'failed', output_result: { error: { code: 6500 } } })
    expect(JSON.stringify(bug), 'internals stay in the log').not.toContain('secret')
    const rows = await service()
      .running.service.db.selectFrom('tasks')
      .select('attempts')
      .where('account_id', '=', account.id)
      .orderBy('id')
      .execute()
    expect(rows).toEqual([{ attempts: 1 }, { attempts: 3 }])
    expect(await accountBalance(service().running.service.db, account.id)).toBe(10)
    await checkServiceInvariants(service())
  })

  test('tasks and files of another account are unknown, like missing ones', async () => {
    const [owner, other] = [api(await service().account(5)), api(await service().account(5))]
    const { data: file } = await owner.upload('a.txt', 'some bytes')
    const { data: task } = await owner.create('test_copy', { file_id: file.file_id })
    expect(await other.create('test_copy', { file_id: file.file_id })).toMatchObject({
      status: 404,
      code: 6004,
    })
    expect(await other.query('test_copy', task.task_id)).toMatchObject({ status: 404, code: 6005 })
    expect(await other.cancel(task.task_id)).toMatchObject({ status: 404, code: 6005 })
    expect(await owner.query('other_type', task.task_id)).toMatchObject({ status: 404, code: 6005 })
    await owner.ended('test_copy', task.task_id)
    await checkServiceInvariants(service())
  })

  test.for([
    [{}, 400, 6013, /file_id/],
    [{ file_id: null }, 400, 6013, /file_id/],
    [{ file_id: 1_234_567_890 }, 400, 6016, /string/],
    [{ file_id: 'nothing' }, 404, 6004, /nothing/],
    [{ file_id: 'x', behaviour: 'dance' }, 400, 6016, /behaviour/],
    [[], 400, 6016, /object/],
    ['text', 400, 6016, /object/],
  ] as const)(
    'a creation with %j returns %i %i and charges nothing',
    async ([body, status, code, message]) => {
      const account = await service().account(5)
      const response = await api(account).create('test_copy', body)
      expect(response).toMatchObject({ status, code, data: null })
      expect(response.msg).toMatch(message)
      expect(await accountBalance(service().running.service.db, account.id)).toBe(5)
      await checkServiceInvariants(service())
    },
  )

  test('the list is newest first, filtered and paged', async () => {
    const calls = api(await service().account(9))
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const ids: string[] = []
    for (let turn = 0; turn < 5; turn++) {
      ids.push((await calls.create('test_copy', { file_id: file.file_id })).data.task_id)
    }
    for (const id of ids) await calls.ended('test_copy', id)
    const list = async (query: string) =>
      (
        await calls.send<{ list: { id: string }[]; total: number; page: number; page_size: number }>(
          `/task/list${query}`,
        )
      ).data
    const newestFirst = ids.toReversed()
    expect(await list('')).toMatchObject({
      list: newestFirst.map((id) => ({ id, status: 'completed', task_type_key: 'test_copy' })),
      total: 5,
      page: 1,
      page_size: 20,
    })
    expect(await list('?page=2&page_size=2')).toMatchObject({
      list: newestFirst.slice(2, 4).map((id) => ({ id })),
      total: 5,
    })
    expect(await list('?status=failed')).toMatchObject({ list: [], total: 0 })
    expect(await list('?task_type=test_copy&status=completed')).toMatchObject({ total: 5 })
  })

  // Its tasks occupy both workers until the end, so that no later test may need one.
  test('a queued task can be cancelled and is refunded; a running one cannot', async () => {
    const account = await service().account(10)
    const calls = api(account)
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const ids: string[] = []
    for (let turn = 0; turn < 3; turn++) {
      ids.push((await calls.create('test_copy', { file_id: file.file_id, behaviour: 'wait' })).data.task_id)
    }
    const [running = '', , queued = ''] = ids
    await pollUntil(
      () => calls.query('test_copy', running),
      ({ data }) => data.status === 'processing',
    )
    expect(await calls.cancel(queued)).toMatchObject({ code: 200, data: '' })
    const inputErrorTask = { status: 409, code: 6007, data: null }
    const hint = (pattern: RegExp) => ({ ...inputErrorTask, hint: expect.stringMatching(pattern) as string })
    expect(await calls.cancel(queued)).toMatchObject(hint(/refunded/))
    expect(await calls.cancel(running)).toMatchObject(hint(/Wait for it/))
    expect(await accountBalance(service().running.service.db, account.id)).toBe(8)
    await checkServiceInvariants(service())
  })

  const affordable = soakSize(5, 50)
  test(`${4 * affordable} creations of four clients against credits for ${affordable}: exactly these succeed`, async () => {
    const account = await service().account(affordable)
    const { data: file } = await api(account).upload('a.txt', 'some bytes')
    const client = async (): Promise<number[]> => {
      const codes: number[] = []
      for (let turn = 0; turn < affordable; turn++) {
        codes.push(
          (await api(account).create('test_copy', { file_id: file.file_id, behaviour: 'wait' })).code,
        )
      }
      return codes
    }
    const codes = (await Promise.all([client(), client(), client(), client()])).flat()
    expect(codes.filter((code) => code === 200)).toHaveLength(affordable)
    expect(codes.filter((code) => code === 6202)).toHaveLength(3 * affordable)
    expect(await accountBalance(service().running.service.db, account.id)).toBe(0)
    await checkServiceInvariants(service())
  })
})

onNewMainDatabase('tasks of a service with an operation of its own', (start) => {
  test('a free task that fails changes no credits', async () => {
    await using service = await start({ operations: [freeModule] })
    const account = await service.account(1)
    const calls = api(account)
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const { data: task } = await calls.create('test_free', { file_id: file.file_id, behaviour: 'refuse' })
    await pollUntil(
      () => calls.query('test_free', task.task_id),
      ({ data }) => data.status === 'failed',
    )
    const { db } = service.running.service
    const entries = db.selectFrom('ledger').select('kind').where('account_id', '=', account.id)
    expect(await entries.execute()).toEqual([{ kind: 'grant' }])
    await checkServiceInvariants(service)
  })
})

async function checkServiceInvariants(service: TestService): Promise<void> {
  await checkInvariants(service.running.service.db, service.running.service.files)
}
