import { expect, test } from 'vitest'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { TaskCreated, TaskList, TaskQuote } from '../../src/contract/task.ts'
import { api, pollUntil } from '../service/api.ts'
import type { TestService } from '../service/in-process.ts'
import { onNewDatabases, onNewMainDatabase } from './on-databases.ts'

/** A clock that tests set forward. */
function createClock() {
  let now = Date.now()
  return { clock: () => now, advance: (seconds: number) => void (now += seconds * 1000) }
}

/** An account with credits and an uploaded file. */
async function openAccount(service: TestService) {
  const calls = api(await service.account(20))
  const { data: file } = await calls.upload('a.txt', 'some bytes')
  const post = async <T>(path: string, behaviour: string, headers: Readonly<Record<string, string>>) => {
    const { data } = await calls.send<T>(fillPath(path, { task_type: 'test_copy' }), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ file_id: file.file_id, behaviour }),
    })
    return data
  }
  return {
    calls,
    create: (behaviour: string, headers: Readonly<Record<string, string>> = {}) =>
      post<TaskCreated>(routes.createTask.path, behaviour, headers),
    quote: (behaviour: string, headers: Readonly<Record<string, string>> = {}) =>
      post<TaskQuote>(routes.quoteTask.path, behaviour, headers),
    /** Waits until so many tasks run. */
    running: (count: number, progress = 0) =>
      pollUntil(
        () => calls.send<TaskList>('/task/list?status=processing'),
        ({ data }) => data.list.length === count && data.list.every((task) => task.progress === progress),
      ),
    async currentWaits(...tasks: TaskCreated[]) {
      const { data } = await calls.send<TaskList>('/task/list?status=queued')
      return tasks.map((task) => queueWait(data.list.find(({ id }) => id === task.task_id)))
    },
  }
}

const queueWait = (task: Partial<Pick<TaskQuote, 'estimated_queue_wait_duration'>> | undefined) =>
  task?.estimated_queue_wait_duration

// This service runs two tasks at a time; each has an estimate of 2 s.
onNewDatabases('estimates', (start) => {
  test('follow from the work ahead in the queue', async () => {
    await using service = await start(createClock())
    const { calls, create, running, currentWaits } = await openAccount(service)
    const began = [await create('wait'), await create('wait')]
    expect(began.map(queueWait), 'a worker is free').toEqual([0, 0])
    await running(2, 10)
    const [first, second, third] = [await create('wait'), await create('wait'), await create('wait')]
    expect([first, second, third].map(queueWait)).toEqual([1.8, 1.8, 3.8])
    expect(third).toMatchObject({ estimated_duration: 2, estimated_total_duration: 5.8 })
    const urgent = await create('wait', { priority: 'u=0' })
    expect(queueWait(urgent), 'it goes before the others').toBe(1.8)
    expect(await currentWaits(urgent, first, second, third)).toEqual([1.8, 1.8, 3.8, 3.8])
    await calls.cancel(urgent.task_id)
    expect(await currentWaits(first, second, third)).toEqual([1.8, 1.8, 3.8])
  })
})

onNewMainDatabase('estimates of the wait', (start) => {
  test('for late tasks grow with the time by which they are late', async () => {
    const { clock, advance } = createClock()
    await using service = await start({ clock })
    const [hostile, victim] = [await openAccount(service), await openAccount(service)]
    for (let count = 0; count < 6; count += 1) await hostile.create('hang', { priority: 'u=0' })
    await hostile.running(2)
    advance(20)
    expect(queueWait(await victim.quote('copy'))).toBe(18.2)
    const created = await victim.create('copy', { priority: 'u=7' })
    expect(created).toMatchObject({ estimated_queue_wait_duration: 18.2, estimated_total_duration: 20.2 })
    advance(10)
    expect(await victim.currentWaits(created)).toEqual([28.2])
    const join = { prefer: 'join-identical' }
    expect(await victim.create('copy', join)).toMatchObject({
      ...{ task_id: created.task_id, joined: true },
      ...{ estimated_queue_wait_duration: 28.2, estimated_total_duration: 30.2 },
    })
    expect(queueWait(await victim.quote('copy', join))).toBe(28.2)
  })

  test('for tasks of a known duration are what remains of it', async () => {
    const { clock, advance } = createClock()
    await using service = await start({ clock })
    const [hostile, victim] = [await openAccount(service), await openAccount(service)]
    for (let round = 0; round < 3; round += 1) {
      const tasks = [await hostile.create('hang'), await hostile.create('hang')]
      await hostile.running(2)
      advance(39)
      for (const { task_id } of tasks) await hostile.calls.stop(task_id)
    }
    await hostile.create('hang')
    await hostile.create('hang')
    await hostile.running(2)
    advance(20)
    expect(queueWait(await victim.create('copy'))).toBe(19)
    const join = { prefer: 'join-identical' }
    expect(queueWait(await hostile.quote('hang', join)), 'it runs').toBe(0)
  })
})
