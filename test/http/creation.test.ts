import { expect, test } from 'vitest'
import { accountBalance } from '../../src/accounts/ledger.ts'
import type { OperationModule } from '../../src/contract/operation.ts'
import type { TaskList } from '../../src/contract/task.ts'
import { api, pollUntil } from '../service/api.ts'
import { fakeModule } from '../service/fake-operation.ts'
import { startSecondApp } from './second-app.ts'
import { onDatabases } from './on-databases.ts'

onDatabases('creation', (service) => {
  const db = () => service().running.service.db

  /** Starts the service with an operation whose plan runs a callback. */
  const startWithPlan = async (onPlan: () => Promise<unknown>) => {
    const module: OperationModule = {
      ...fakeModule,
      async plan() {
        await onPlan()
        return { plan: () => ({ credits: 1, seconds: 2 }) }
      },
    }
    const { service: parts } = service().running
    return startSecondApp({ ...parts, operations: new Map([[module.operation.name, module]]) })
  }

  test.for([
    [
      'expires',
      (id: string) => db().updateTable('files').set({ expire_at: 0 }).where('id', '=', id).execute(),
    ],
    ['is deleted', (id: string) => db().deleteFrom('files').where('id', '=', id).execute()],
  ] as const)('with a file that %s after it was checked returns 6004', async ([, onPlan]) => {
    const account = await service().account(5)
    const { data: file } = await api(account).upload('a.txt', 'some bytes')
    const { baseUrl } = await startWithPlan(() => onPlan(file.file_id))
    const response = await api({ ...account, baseUrl }).create('test_copy', { file_id: file.file_id })
    expect(response).toMatchObject({ status: 404, code: 6004, data: null })
    expect(await accountBalance(db(), account.id)).toBe(5)
    expect(
      await db().selectFrom('tasks').select('id').where('account_id', '=', account.id).execute(),
    ).toEqual([])
  })

  test('stores the key that created the task', async () => {
    const account = await service().account(5)
    const calls = api(account)
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const { data: task } = await calls.create('test_copy', { file_id: file.file_id })
    const { key_id } = await db()
      .selectFrom('tasks')
      .select('key_id')
      .where('id', '=', task.task_id)
      .executeTakeFirstOrThrow()
    const key = await db()
      .selectFrom('api_keys')
      .select('id')
      .where('account_id', '=', account.id)
      .executeTakeFirstOrThrow()
    expect(key_id).toBe(key.id)
  })

  test('estimates the duration from earlier tasks, as does the list', async () => {
    const account = await service().account(20)
    const calls = api(account)
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const create = async () => (await calls.create('test_copy', { file_id: file.file_id })).data
    expect(await create(), 'as planned while nothing is known').toMatchObject({ estimated_duration: 2 })
    for (let turn = 0; turn < 5; turn++) {
      const { task_id } = await create()
      await pollUntil(
        () => calls.query('test_copy', task_id),
        ({ data }) => data.status === 'completed',
      )
    }
    // Each is recorded with a duration of 7 s.
    await db()
      .updateTable('tasks')
      .set((eb) => ({ started_at: eb('finished_at', '-', 7_000) }))
      .where('status', '=', 'completed')
      .execute()
    const created = await create()
    expect(created).toMatchObject({ estimated_duration: 7 })
    expect(created.estimated_total_duration).toBe(7 + (created.estimated_queue_wait_duration ?? 0))
    const { data } = await calls.send<TaskList>('/task/list?page_size=1')
    expect(data.list[0]).toMatchObject({
      id: created.task_id,
      estimated_duration: 7,
      estimated_queue_wait_duration: created.estimated_queue_wait_duration,
    })
  })
})
