import { expect, test } from 'vitest'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { TaskCreated, TaskList } from '../../src/contract/task.ts'
import { api, pollUntil } from '../service/api.ts'
import { onDatabases } from './on-databases.ts'

// This service runs two tasks at a time; each has an estimate of 2 s and stays at 10 %.
onDatabases('estimates', (service) => {
  test('follow from the work ahead in the queue', async () => {
    const account = await service().account(9)
    const calls = api(account)
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const create = async (urgency = 3): Promise<TaskCreated> => {
      const { data } = await calls.send<TaskCreated>(
        fillPath(routes.createTask.path, { task_type: 'test_copy' }),
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', priority: `u=${urgency}` },
          body: JSON.stringify({ file_id: file.file_id, behaviour: 'wait' }),
        },
      )
      return data
    }
    const queueWait = ({ estimated_queue_wait_duration }: TaskCreated) => estimated_queue_wait_duration
    const currentWaits = async (...tasks: TaskCreated[]) => {
      const { data } = await calls.send<TaskList>('/task/list?status=queued')
      const rows = tasks.map((task) => data.list.find(({ id }) => id === task.task_id))
      return rows.map((row) => row?.estimated_queue_wait_duration)
    }

    const running = [await create(), await create()]
    expect(running.map(queueWait), 'a worker is free').toEqual([0, 0])
    await pollUntil(
      () => calls.send<TaskList>('/task/list'),
      ({ data }) => data.list.every(({ progress }) => progress === 10),
    )
    const [first, second, third] = [await create(), await create(), await create()]
    expect([first, second, third].map(queueWait)).toEqual([1.8, 1.8, 3.8])
    expect(third).toMatchObject({ estimated_duration: 2, estimated_total_duration: 5.8 })
    const urgent = await create(0)
    expect(queueWait(urgent), 'it goes before the others').toBe(1.8)
    expect(await currentWaits(urgent, first, second, third)).toEqual([1.8, 1.8, 3.8, 3.8])
    await calls.cancel(urgent.task_id)
    expect(await currentWaits(first, second, third)).toEqual([1.8, 1.8, 3.8])
  })
})
