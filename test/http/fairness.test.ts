import { expect, test } from 'vitest'
import { insertKey } from '../../src/accounts/keys.ts'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { TaskCreated, TaskList, TaskListItem } from '../../src/contract/task.ts'
import { newKey } from '../../src/platform/hosting.ts'
import { api, pollUntil } from '../service/api.ts'
import type { TestService } from '../service/in-process.ts'
import { soakSize } from '../soak-size.ts'
import { onNewDatabases, onNewMainDatabase } from './on-databases.ts'

/** An account with credits and an uploaded file. */
async function openAccount(service: TestService, credits: number) {
  const account = await service.account(credits)
  const calls = api(account)
  const { data: file } = await calls.upload('a.txt', 'some bytes')
  const create = (behaviour: string, headers: Readonly<Record<string, string>> = {}) =>
    calls.send<TaskCreated>(fillPath(routes.createTask.path, { task_type: 'test_copy' }), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ file_id: file.file_id, behaviour }),
    })
  const list = async (query: string) => (await calls.send<TaskList>(`/task/list?${query}`)).data.list
  return { account, calls, file, create, list }
}

/** Seconds from a time (ISO 8601) to another, by default now. */
function secondsSince(from: string | null, to: string | null = new Date().toISOString()): number {
  return (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1000
}

// The service runs two tasks at a time, and each takes two seconds without reporting progress.
const taskCount = soakSize(40, 300)

onNewMainDatabase(`${taskCount} urgent tasks of one account`, (start) => {
  test('delay a task of another by less than one task, and its wait is reported', async () => {
    await using service = await start()
    const hostile = await openAccount(service, taskCount)
    const [victim, other] = [await openAccount(service, 1), await openAccount(service, 2)]
    // Both workers are busy until all tasks are queued, so that creating them slows none down.
    const blocking = [await other.create('wait'), await other.create('wait')]
    for (let sent = 0; sent < taskCount; sent += 20)
      await Promise.all(Array.from({ length: 20 }, () => hostile.create('work', { priority: 'u=0' })))
    for (const { data } of blocking) await other.calls.stop(data.task_id)
    // Estimates use the history from five tasks on. The remaining time is known best after a start.
    await pollUntil(
      () => hostile.list('status=completed'),
      ({ length }) => length > 5,
      { backOff: true },
    )
    await pollUntil(
      () => hostile.list('status=processing'),
      (running) =>
        running.length === 2 && running.every(({ process_start_time: from }) => secondsSince(from) < 1.2),
    )
    const { data: created } = await victim.create('copy')
    await victim.calls.ended('test_copy', created.task_id)
    const [item] = await victim.list('status=completed')
    const wait = secondsSince(item?.create_time ?? null, item?.process_start_time)

    const isEnded = ({ actual_duration: duration }: TaskListItem) => duration !== null
    const ended = (await hostile.list('status=completed&page_size=100')).filter(isEnded)
    const longest = Math.max(...ended.map(({ actual_duration: duration }) => duration ?? 0))
    expect(longest).toBeGreaterThanOrEqual(2)
    expect(wait).toBeLessThanOrEqual(longest)
    const reported = created.estimated_queue_wait_duration ?? Number.NaN
    expect(reported).toBeGreaterThan(wait / 2)
    expect(reported).toBeLessThan(wait * 2)
    expect((await hostile.list('status=queued&page_size=1')).length, 'the others still wait').toBe(1)
  })
})

onNewDatabases('the queued tasks of a key', (start) => {
  test('are limited, also for concurrent creations, but not those of another key', async () => {
    await using service = await start({ queuedPerKey: 3 })
    const { account, calls, file, create, list } = await openAccount(service, 20)
    await create('wait')
    await create('wait')
    await pollUntil(
      () => list('status=processing'),
      ({ length }) => length === 2,
    )
    const first = await create('copy', { 'idempotency-key': 'first' })
    const results = await Promise.all(Array.from({ length: 5 }, () => create('copy')))
    expect(results.map(({ code }) => code).toSorted((one, other) => one - other)).toEqual([
      200, 200, 6032, 6032, 6032,
    ])
    expect(results.find(({ code }) => code === 6032)?.msg).toMatch(
      /^this key has 3 queued tasks, and at most 3 are allowed/,
    )
    const response = await fetch(`${service.baseUrl}/task/test_copy`, {
      method: 'POST',
      headers: { authorization: account.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ file_id: file.file_id }),
    })
    const { status, headers } = response
    expect([status, headers.get('retry-after')], 'the time after which to try again').toEqual([429, '10'])
    expect(await calls.balance(), 'rejected tasks are not charged').toBe(15)

    expect(await create('copy', { 'idempotency-key': 'first' }), 'a repeated creation').toEqual(first)
    expect(await create('copy', { prefer: 'join-identical' })).toMatchObject({ data: { joined: true } })
    const apiKey = newKey()
    const { db } = service.running.service
    await insertKey(db, { accountId: account.id, name: 'other', raw: apiKey, now: Date.now() })
    const other = api({ baseUrl: service.baseUrl, apiKey })
    expect((await other.create('test_copy', { file_id: file.file_id })).code).toBe(200)

    await calls.cancel(first.data.task_id)
    expect((await create('copy')).code).toBe(200)
  })
})
