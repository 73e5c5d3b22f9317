import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TaskList } from '../../src/contract/task.ts'
import { limits, listParameters, listStates, taskListFields, taskListItemFields } from '../contract/common.ts'
import { wrongFields } from '../contract/laws.ts'
import { api, pollUntil, type ApiResponse, type Api } from '../service/api.ts'
import { onDatabases } from './on-databases.ts'

// Document 1, 2.5 and 4.4, row by row, on tasks in every state.

onDatabases('the task list', (service) => {
  let account: { apiKey: string; baseUrl: string }
  let calls: Api
  /** Task ids by their state. */
  const ids: Record<string, string> = {}
  let newestFirst: string[]

  const list = (query = ''): Promise<ApiResponse<TaskList>> => calls.send(`/task/list${query}`)
  const idsOf = ({ data }: ApiResponse<TaskList>) => data.list.map(({ id }) => id)

  beforeAll(async () => {
    account = await service().account(20)
    calls = api(account)
    const { data: file } = await calls.upload('a.txt', 'some bytes')
    const create = async (behaviour: string) =>
      (await calls.create('test_copy', { file_id: file.file_id, behaviour })).data.task_id
    const waitForState = async (id: string, state: string) => {
      await pollUntil(
        () => calls.query('test_copy', id),
        ({ data }) => data.status === state,
      )
      return id
    }
    ids['completed'] = await waitForState(await create('copy'), 'completed')
    ids['failed'] = await waitForState(await create('refuse'), 'failed')
    // Two running tasks keep the others waiting.
    ids['processing'] = await waitForState(await create('wait'), 'processing')
    const other = await waitForState(await create('wait'), 'processing')
    ids['queued'] = await create('copy')
    ids['cancelled'] = await create('copy')
    await calls.cancel(ids['cancelled'])
    newestFirst = [...Object.values(ids), other].toSorted().toReversed()
  })

  test('without a query: all of the account, newest first, the first page of 20', async () => {
    const response = await list()
    expect(response).toMatchObject({ status: 200, code: 200, msg: 'success' })
    expect(wrongFields(taskListFields, { ...response.data })).toEqual([])
    expect(response.data).toMatchObject({ total: 6, page: 1, page_size: limits.pageSize })
    expect(idsOf(response)).toEqual(newestFirst)
  })

  test('every item has the documented fields, whatever its state', async () => {
    const { data } = await list()
    for (const item of data.list) expect(wrongFields(taskListItemFields, { ...item })).toEqual([])
    const item = (state: string) => data.list.find(({ id }) => id === ids[state])
    const named = { priority: 'normal', task_type_key: 'test_copy', task_type_name: 'Test copy' }
    expect(item('completed')).toMatchObject({ ...named, status: 'completed', progress: 100 })
    expect(item('queued')).toMatchObject({
      ...named,
      status: 'queued',
      progress: 0,
      actual_duration: null,
      process_start_time: null,
      finish_time: null,
    })
    expect(item('processing')).toMatchObject({
      actual_duration: expect.any(Number),
      process_start_time: expect.any(String),
      finish_time: null,
    })
    expect(item('cancelled')).toMatchObject({ process_start_time: null, finish_time: expect.any(String) })
    const done = item('completed')
    const processingMs = Date.parse(done?.finish_time ?? '') - Date.parse(done?.process_start_time ?? '')
    expect(done?.actual_duration).toBeCloseTo(processingMs / 1000, 6)
  })

  test.for(listStates)('status=%s returns only those', async (status) => {
    const response = await list(`?status=${status}`)
    expect(response.data.list.length).toBeGreaterThan(0)
    expect(new Set(response.data.list.map((item) => item.status))).toEqual(new Set([status]))
    expect(response.data.total).toBe(response.data.list.length)
    expect(idsOf(response)).toContain(ids[status])
  })

  test.for(['asr', 'video_stabilizer', 'video_split_screen', 'no-such.type'])(
    'task_type=%s, which has no tasks here, returns an empty list',
    async (type) => {
      const { status, code, data } = await list(`?task_type=${type}`)
      expect({ status, code, data }).toEqual({
        status: 200,
        code: 200,
        data: { list: [], total: 0, page: 1, page_size: 20 },
      })
    },
  )

  test('filters can be combined', async () => {
    expect((await list('?task_type=test_copy')).data.total).toBe(6)
    expect(idsOf(await list('?task_type=test_copy&status=failed'))).toEqual([ids['failed']])
    expect((await list('?task_type=asr&status=failed')).data.total).toBe(0)
  })

  test('pages of any size add up to the list', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 100 }), async (size) => {
        const listedIds: string[] = []
        for (let page = 1; page <= Math.ceil(6 / size) + 1; page++) {
          const response = await list(`?page=${page}&page_size=${size}`)
          expect(response.data).toMatchObject({ total: 6, page, page_size: size })
          listedIds.push(...idsOf(response))
        }
        expect(listedIds).toEqual(newestFirst)
      }),
      { numRuns: 10 },
    )
  })

  describe.each(listParameters)('$at', ({ at, values = [], accepts = values, refuses = [] }) => {
    const withValue = (value: unknown) => list(`?${at}=${encodeURIComponent(String(value))}`)

    test.for(accepts)('%j is accepted', async (value) => {
      expect((await withValue(value)).code).toBe(200)
    })

    test.for(refuses)('%j is rejected', async (value) => {
      const response = await withValue(value)
      expect(response).toMatchObject({ status: 400, code: 6016, data: null })
      expect(response.msg).toContain(at)
    })
  })

  test('another account cannot list the tasks', async () => {
    const others = api(await service().account(1))
    expect((await others.send<TaskList>('/task/list')).data).toMatchObject({ list: [], total: 0 })
  })
})
