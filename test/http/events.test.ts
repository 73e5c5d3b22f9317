import { once } from 'node:events'
import { expect, test } from 'vitest'
import type { TaskRecord } from '../../src/contract/task.ts'
import { listEventsAfter, TaskEvents } from '../../src/tasks/events.ts'
import { api, pollUntil } from '../service/api.ts'
import { seededRandom } from '../service/kill-rounds.ts'
import { startSecondApp } from './second-app.ts'
import {
  subscribeToAll,
  connectEventSocket,
  eventNumbers,
  createTestTask,
  eventStates,
} from './event-client.ts'
import { onDatabases, onMainDatabase, onOneDatabase } from './on-databases.ts'
import { openConnection } from './raw-http.ts'

onDatabases('events', (service) => {
  test('of one task: a snapshot, then every change of its state', async () => {
    const account = await service().account(9)
    using client = await connectEventSocket(account)
    await createTestTask(api(account))
    const taskId = await createTestTask(api(account))
    await createTestTask(api(account))
    client.send({ action: 'subscribe', task_id: taskId })
    const received = await client.waitFor((events) =>
      events.some(
        ({ event, ...rest }) => event !== 'error' && 'task' in rest && rest.task?.status === 'completed',
      ),
    )
    const [first, ...others] = received
    expect(first).toMatchObject({ event: 'snapshot', task: { task_id: taskId } })
    for (const one of others) expect(one).toMatchObject({ task: { task_id: taskId } })
    // The state in the snapshot is not repeated as an event.
    const path = ['queued', 'processing', 'completed']
    const began = first?.event === 'snapshot' ? (first.task?.status ?? '') : ''
    expect([began, ...eventStates(received)]).toEqual(path.slice(path.indexOf(began)))
    expect(eventNumbers(received)).toEqual(eventNumbers(received).toSorted((a, b) => a - b))
  })

  test('of all tasks: from now, or after an event number', async () => {
    const account = await service().account(9)
    const calls = api(account)
    using early = await connectEventSocket(account)
    early.send(subscribeToAll)
    expect(await early.waitFor(({ length }) => length === 1)).toEqual([
      { event: 'snapshot', seq: 0, task: null },
    ])
    const taskId = await createTestTask(calls)
    const received = await early.waitFor((events) => eventStates(events).includes('completed'))
    expect(eventNumbers(received)).toEqual([1, 2, 3])
    expect(eventStates(received)).toEqual(['queued', 'processing', 'completed'])

    using late = await connectEventSocket(account)
    late.send({ ...subscribeToAll, after: 1 })
    expect(await late.waitFor(({ length }) => length === 3)).toMatchObject([
      { event: 'snapshot', seq: 1, task: null },
      { event: 'status', seq: 2, task: { task_id: taskId, status: 'processing' } },
      { event: 'status', seq: 3, task: { task_id: taskId, status: 'completed', progress: 100 } },
    ])
    using beyond = await connectEventSocket(account)
    beyond.send({ ...subscribeToAll, after: 1000 })
    expect(await beyond.waitFor(({ length }) => length === 1)).toMatchObject([{ event: 'snapshot', seq: 3 }])
  })
})

onMainDatabase('events of several connections', (service) => {
  test('include progress between status changes', async () => {
    const account = await service().account(9)
    using client = await connectEventSocket(account)
    client.send(subscribeToAll)
    const taskId = await createTestTask(api(account), 'wait')
    const received = await client.waitFor((events) => events.some(({ event }) => event === 'progress'))
    expect(received.at(-1)).toMatchObject({
      event: 'progress',
      task: { task_id: taskId, status: 'processing', progress: 10 },
    })
    expect(eventStates(received).at(-1)).toBe('processing')
  })

  test('arrive without gaps or repeats across reconnects', async () => {
    const account = await service().account(30)
    const calls = api(account)
    const work = Promise.all(
      Array.from({ length: 3 }, async () => {
        for (let turn = 0; turn < 5; turn++) await createTestTask(calls)
      }),
    )
    const random = seededRandom(20_261_121)
    const receivedNumbers: number[] = []
    let lastSeq = 0
    while (lastSeq < 45) {
      using client = await connectEventSocket(account)
      client.send({ ...subscribeToAll, after: lastSeq })
      const enough = Math.floor(random() * 8)
      await client.waitFor((received) => eventNumbers(received).length >= Math.min(enough, 45 - lastSeq))
      receivedNumbers.push(...eventNumbers(client.events))
      lastSeq = receivedNumbers.at(-1) ?? lastSeq
    }
    await work
    expect(receivedNumbers).toEqual(Array.from({ length: 45 }, (_, index) => index + 1))
  })

  test('are sent in order even when commits are announced out of order', async () => {
    const account = await service().account(3)
    const calls = api(account)
    // A service that learns of commits only from this test.
    const events = new TaskEvents()
    const app = await startSecondApp({ ...service().running.service, events })
    using client = await connectEventSocket({ ...app, apiKey: account.apiKey })
    client.send(subscribeToAll)
    await client.waitFor(({ length }) => length === 1)
    const taskId = await createTestTask(calls)
    await pollUntil(
      () => calls.query('test_copy', taskId),
      ({ data }) => data.status === 'completed',
    )
    const { db } = service().running.service
    const [queued, processing, completed] = await listEventsAfter(db, {
      accountId: account.id,
      seq: 0,
      limit: 3,
    })
    if (!queued || !processing || !completed) throw new Error('something was not recorded')
    events.publish(account.id, { event: 'status', ...processing })
    events.publish(account.id, { event: 'status', ...queued })
    events.publish(account.id, { event: 'progress', task: { ...processing.task, progress: 42 } })
    events.publish(account.id, { event: 'status', ...completed })
    const received = await client.waitFor(({ length }) => length === 5)
    expect(received.slice(1)).toMatchObject([
      { event: 'status', seq: 1, task: { status: 'queued' } },
      { event: 'status', seq: 2, task: { status: 'processing' } },
      { event: 'progress', task: { task_id: taskId, progress: 42 } },
      { event: 'status', seq: 3, task: { status: 'completed' } },
    ])
  })

  test('of another account are not sent, and its tasks are unknown', async () => {
    const [account, other] = [await service().account(5), await service().account(5)]
    using client = await connectEventSocket(other)
    client.send(subscribeToAll)
    await client.waitFor(({ length }) => length === 1)
    const taskId = await createTestTask(api(account))
    for (const id of [taskId, '\0', '1234567890123456789']) client.send({ action: 'subscribe', task_id: id })
    await client.waitFor(({ length }) => length === 4)
    const unknown = { event: 'error', code: 6005 }
    expect(client.events).toMatchObject([{ event: 'snapshot', seq: 0 }, unknown, unknown, unknown])
  })
})

onOneDatabase((service) => {
  test.for([
    ['not JSON', '{"action"'],
    ['another action', { action: 'dance' }],
    ['a number as an id', { action: 'subscribe', task_id: 1_234_567_890 }],
    ['an invalid number', { ...subscribeToAll, after: -1 }],
  ] as const)('a message that is %s gets a response, and the connection stays', async ([, message]) => {
    using client = await connectEventSocket(await service().account(1))
    client.send(message)
    expect(await client.waitFor(({ length }) => length === 1)).toMatchObject([{ event: 'error', code: 6016 }])
    client.send(subscribeToAll)
    await client.waitFor((received) => received.at(-1)?.event === 'snapshot')
  })

  test('a message that is too large closes the connection', async () => {
    using client = await connectEventSocket(service())
    client.send('x'.repeat(5000))
    const [closed] = (await once(client.socket, 'close')) as [CloseEvent]
    expect(closed.code).toBe(1009)
  })

  test('a connection can subscribe to at most 100 tasks', async () => {
    const account = await service().account(1)
    using client = await connectEventSocket(account)
    const ids = [await createTestTask(api(account), 'wait')]
    const { db } = service().running.service
    const row = await db
      .selectFrom('tasks')
      .selectAll()
      .where('id', '=', ids[0] ?? '')
      .executeTakeFirstOrThrow()
    for (let turn = 1; turn < 101; turn++) ids.push(String(BigInt(row.id) + BigInt(turn)))
    await db
      .insertInto('tasks')
      .values(ids.slice(1).map((id) => ({ ...row, id })))
      .execute()
    for (const id of ids) client.send({ action: 'subscribe', task_id: id })
    const received = await client.waitFor((events) => events.some(({ event }) => event === 'error'))
    expect(received.filter(({ event }) => event === 'snapshot')).toHaveLength(100)
    expect(received.find(({ event }) => event === 'error')).toMatchObject({ code: 6016 })
  })

  test.for([
    ['no key', {}],
    ['a wrong key', { authorization: 'wrong' }],
    ['an origin', { origin: 'http://localhost' }],
  ] as const)('a client with %s is refused', async ([, headers]) => {
    using client = await openConnection(service().baseUrl)
    const lines = Object.entries({ authorization: 'none', ...headers }).map(
      ([name, value]) => `${name}: ${value}`,
    )
    client.socket.write(`${handshake}${lines.join('\r\n')}\r\n\r\n`)
    expect(await client.waitForText(/\}$/)).toMatch(/^HTTP\/1\.1 401 [^]*"code":6502/)
    await client.closed
  })

  test('a plain request gets an error about the WebSocket', async () => {
    const response = await api(service()).send('/task/events')
    expect(response).toMatchObject({ status: 400, code: 6016, msg: 'this endpoint is a WebSocket' })
  })

  test('a client that does not answer pings is disconnected', async () => {
    const { apiKey } = service()
    const app = await startSecondApp(service().running.service, { idleTimeoutMs: 200 })
    using unresponsive = await openConnection(app.baseUrl)
    unresponsive.socket.write(`${handshake}authorization: ${apiKey}\r\n\r\n`)
    expect(await unresponsive.waitForText(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 101 /)
    await unresponsive.closed
  })

  test('a client that does not read is disconnected', async () => {
    const account = await service().account(1)
    const { events } = service().running.service
    using unread = await openConnection(service().baseUrl)
    unread.socket.write(`${handshake}authorization: ${account.apiKey}\r\n\r\n`)
    await unread.waitForText(/\r\n\r\n/)
    unread.socket.write(maskedText(JSON.stringify(subscribeToAll)))
    await unread.waitForText(/"snapshot"/)
    unread.socket.pause()
    // More than fits into the system's buffers.
    const task = { task_id: '1', output_result: { text: 'x'.repeat(300_000) } } as unknown as TaskRecord
    for (let turn = 0; turn < 90; turn++) events.publish(account.id, { event: 'progress', task })
    for (let turn = 0; turn < 10_000; turn++) events.publish(account.id, { event: 'status', seq: 0, task })
    unread.socket.resume()
    await unread.closed
    expect(unread.socket.bytesRead, 'it was cut off before it had read all').toBeLessThan(90 * 300_000)
  })

  test('the service stops although a client does not close its socket', async () => {
    const app = await startSecondApp(service().running.service)
    using unresponsive = await openConnection(app.baseUrl)
    unresponsive.socket.write(`${handshake}authorization: ${service().apiKey}\r\n\r\n`)
    await unresponsive.waitForText(/\r\n\r\n/)
    await app.app.close()
    await unresponsive.closed
    expect(unresponsive.socket.destroyed).toBe(true)
  })
})

const handshake =
  'GET /task/events HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'

/** A text frame of a client (RFC 6455, section 5.2) with a mask of zeros; at most 125 bytes. */
function maskedText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)])
}
