import { describe, expect, test } from 'vitest'
import { accountBalance } from '../../src/accounts/ledger.ts'
import { wrongFields } from '../contract/laws.ts'
import { taskRecordFields } from '../contract/common.ts'
import { api, pollUntil, type Api } from '../service/api.ts'
import type { TestService } from '../service/in-process.ts'
import { checkInvariants } from '../service/invariants.ts'
import { findTestProcesses, waitUntilExited } from '../service/processes.ts'
import { subscribeToAll, connectEventSocket, eventStates } from './event-client.ts'
import { onDatabases, onMainDatabase } from './on-databases.ts'

// A failed attempt waits long, so that its task can be stopped before the next one.
const options = { retryDelaysMs: [60_000, 60_000] }

/** Calls and checks of a suite on a service. */
function openSuite(service: () => TestService) {
  const balance = (id: number) => accountBalance(service().running.service.db, id)
  const setUp = async (credits: number) => {
    const account = await service().account(credits)
    const calls = api(account)
    const { data: file } = await calls.upload('a.txt', `bytes of ${account.id}`)
    const create = async (behaviour: string) =>
      (await calls.create('test_copy', { file_id: file.file_id, behaviour })).data.task_id
    return { account, calls, create }
  }
  const check = () => checkInvariants(service().running.service.db, service().running.service.files)
  return { balance, setUp, check }
}

const waitForState = (calls: Api, id: string, state: string) =>
  pollUntil(
    () => calls.query('test_copy', id),
    ({ data }) => data.status === state,
  )

onDatabases(
  'stopping',
  (service) => {
    const { balance, setUp, check } = openSuite(service)

    test('a running task fails with 6009, is refunded, and its processes end', async () => {
      const { account, calls, create } = await setUp(5)
      using client = await connectEventSocket(account)
      client.send(subscribeToAll)
      await client.waitFor(({ length }) => length === 1)
      const id = await create('outlive')
      const programs = await pollUntil(
        () => findTestProcesses(service().dataDir),
        (pids) => pids.length === 1,
      )
      const response = await calls.stop(id)
      expect(response).toMatchObject({ status: 200, code: 200 })
      expect(wrongFields(taskRecordFields, { ...response.data })).toEqual([])
      const error = { code: 6009, message: 'the task was stopped on request', retryable: false }
      expect(response.data).toMatchObject({ status: 'failed', output_result: { error } })
      expect((await calls.query('test_copy', id)).data).toEqual(response.data)
      expect(await balance(account.id)).toBe(5)
      await client.waitFor((received) => eventStates(received).includes('failed'))
      expect(eventStates(client.events)).toEqual(['queued', 'processing', 'failed'])
      await waitUntilExited(programs)
      await check()
    })

    test('a finished task is unchanged: 6007', async () => {
      const { calls, create } = await setUp(9)
      const completed = await create('copy')
      const failed = await create('refuse')
      await waitForState(calls, completed, 'completed')
      await waitForState(calls, failed, 'failed')
      const stopped = await create('wait')
      await calls.stop(stopped)
      for (const id of [completed, failed, stopped]) {
        const before = await calls.query('test_copy', id)
        const response = await calls.stop(id)
        expect(response).toMatchObject({ status: 409, code: 6007, data: null })
        expect(response.msg).toContain(before.data.status)
        expect(await calls.query('test_copy', id)).toEqual(before)
      }
      await check()
    })

    describe('racing', () => {
      test('with completion: exactly one wins', async () => {
        const { account, calls, create } = await setUp(8)
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, async (_, index) => {
            const id = await create('copy')
            if (index % 2 === 0)
              await pollUntil(
                () => calls.query('test_copy', id),
                ({ data }) => data.status !== 'queued',
              )
            const { code } = await calls.stop(id)
            const end = await calls.ended('test_copy', id)
            expect([code, end.data.status]).toSatisfy(
              ([status, state]) => (status === 200) === (state !== 'completed'),
            )
            return end.data.status
          }),
        )
        const completed = outcomes.filter((state) => state === 'completed').length
        expect(await balance(account.id)).toBe(8 - completed)
        await check()
      })

      test('with itself: one stop succeeds, the others find it ended', async () => {
        const { account, calls, create } = await setUp(4)
        const id = await create('wait')
        await waitForState(calls, id, 'processing')
        const codes = (await Promise.all([1, 2, 3, 4].map(() => calls.stop(id)))).map(({ code }) => code)
        expect(codes.toSorted((a, b) => a - b)).toEqual([200, 6007, 6007, 6007])
        expect(await balance(account.id)).toBe(4)
        await check()
      })
    })
  },
  options,
)

onMainDatabase(
  'stopping, in further states',
  (service) => {
    const { balance, setUp, check } = openSuite(service)

    test('the next task can start at once, and the end of the stopped worker changes nothing', async () => {
      const { account, calls, create } = await setUp(9)
      const stopped: string[] = []
      for (let turn = 0; turn < 3; turn++) {
        const id = await create('wait')
        await waitForState(calls, id, 'processing')
        expect((await calls.stop(id)).code).toBe(200)
        stopped.push(id)
      }
      const copied = await create('copy')
      await waitForState(calls, copied, 'completed')
      for (const id of stopped) {
        expect((await calls.query('test_copy', id)).data).toMatchObject({
          status: 'failed',
          output_result: { error: { code: 6009 } },
        })
      }
      expect(await balance(account.id)).toBe(8)
      await check()
    })

    test('a waiting task is cancelled, also before its second attempt', async () => {
      const { account, calls, create } = await setUp(9)
      const broken = await create('break')
      await pollUntil(
        () =>
          service()
            .running.service.db.selectFrom('tasks')
            .select('attempts')
            .where('id', '=', broken)
            .executeTakeFirstOrThrow(),
        ({ attempts }) => attempts === 1,
      )
      expect((await calls.stop(broken)).data).toMatchObject({ status: 'cancelled' })
      const running = [await create('wait'), await create('wait')]
      for (const id of running) await waitForState(calls, id, 'processing')
      const queued = await create('copy')
      expect((await calls.stop(queued)).data).toMatchObject({ status: 'cancelled', output_result: null })
      for (const id of running) await calls.stop(id)
      expect(await balance(account.id)).toBe(9)
      await check()
    })

    test('an unknown task and one of another account return 6005', async () => {
      const [owner, other] = [await setUp(3), await setUp(0)]
      const id = await owner.create('wait')
      for (const unknown of [id, '1234567890123456789', 'x', '\0']) {
        expect(await other.calls.stop(unknown)).toMatchObject({ status: 404, code: 6005, data: null })
      }
      expect((await owner.calls.stop(id)).code).toBe(200)
    })

    test('cancelling a running task suggests stopping it', async () => {
      const { calls, create } = await setUp(3)
      const id = await create('wait')
      await waitForState(calls, id, 'processing')
      expect(await calls.cancel(id)).toMatchObject({ code: 6007, hint: expect.stringContaining('/stop') })
      await calls.stop(id)
    })
  },
  options,
)
