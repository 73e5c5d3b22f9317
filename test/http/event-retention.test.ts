import { expect, test } from 'vitest'
import { listEventsAfter, removeExpiredEvents } from '../../src/tasks/events.ts'
import { api, pollUntil, type Api } from '../service/api.ts'
import { subscribeToAll, connectEventSocket, eventNumbers, createTestTask } from './event-client.ts'
import { onDatabases } from './on-databases.ts'

async function createFinishedTask(calls: Api): Promise<string> {
  const id = await createTestTask(calls)
  await pollUntil(
    () => calls.query('test_copy', id),
    ({ data }) => data.status === 'completed',
  )
  return id
}

onDatabases('events', (service) => {
  test('are kept for 7 days; a client away for longer learns the first available number', async () => {
    const account = await service().account(9)
    const calls = api(account)
    await createFinishedTask(calls)
    const { service: parts } = service().running
    const ageEvents = (days: number) =>
      parts.db
        .updateTable('events')
        .set((eb) => ({ created_at: eb('created_at', '-', days * 24 * 3600 * 1000) }))
        .where('account_id', '=', account.id)
        .execute()
    await ageEvents(4)
    const second = await createFinishedTask(calls)
    const snapshotAfter = async (after: number) => {
      await removeExpiredEvents(parts)
      using client = await connectEventSocket(account)
      client.send({ ...subscribeToAll, after })
      const [snapshot] = await client.waitFor(({ length }) => length > 0)
      return snapshot
    }
    expect(await snapshotAfter(0), 'nothing is old enough').toMatchObject({ event: 'snapshot', seq: 0 })
    await ageEvents(3)
    using reconnected = await connectEventSocket(account)
    await removeExpiredEvents(parts)
    reconnected.send({ ...subscribeToAll, after: 1 })
    expect(await reconnected.waitFor(({ length }) => length === 4)).toMatchObject([
      { event: 'snapshot', seq: 3, task: null },
      { event: 'status', seq: 4, task: { task_id: second } },
      { event: 'status', seq: 5 },
      { event: 'status', seq: 6 },
    ])
    await ageEvents(7)
    expect(await snapshotAfter(4), 'nothing is left').toMatchObject({ event: 'snapshot', seq: 6 })
    expect(await snapshotAfter(6)).toMatchObject({ event: 'snapshot', seq: 6 })
    await createTestTask(calls)
    const received = await reconnected.waitFor((events) => eventNumbers(events).includes(7))
    expect(eventNumbers(received).slice(0, 4)).toEqual([4, 5, 6, 7])
  })

  test('are removed without gaps even when the clock moved backwards', async () => {
    const account = await service().account(9)
    const { service: parts } = service().running
    await createFinishedTask(api(account))
    await parts.db
      .updateTable('events')
      .set({ created_at: 1 })
      .where('account_id', '=', account.id)
      .where('seq', '=', 2)
      .execute()
    await removeExpiredEvents(parts)
    const events = await listEventsAfter(parts.db, { accountId: account.id, seq: 0, limit: 10 })
    expect(events.map(({ seq }) => seq)).toEqual([3])
  })
})
