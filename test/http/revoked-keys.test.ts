import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { revokeKey } from '../../src/accounts/keys.ts'
import { routes } from '../../src/contract/routes.ts'
import { api } from '../service/api.ts'
import type { TestService } from '../service/in-process.ts'
import { connectEventSocket, createTestTask, type EventClient, subscribeToAll } from './event-client.ts'
import { onDatabases, onOneDatabase } from './on-databases.ts'
import { envelope, openConnection, sendRequest } from './raw-http.ts'
import { startSecondApp } from './second-app.ts'

/** A clock that a test sets forward. */
function clockOf({ running }: TestService) {
  let offset = 0
  const clock = () => Date.now() + offset
  return { service: { ...running.service, clock }, advance: (ms: number) => void (offset += ms) }
}

async function revoke({ running }: TestService, keyId: string): Promise<void> {
  await revokeKey(running.service.db, keyId, Date.now())
}

/** Waits until a socket closes; returns the code and reason of the service. */
async function closeOf({ socket }: EventClient) {
  const [event] = (await once(socket, 'close')) as [{ code: number; reason: string }]
  return [event.code, event.reason]
}

const closedForKey = [1008, 'the API key was revoked or has expired']

onDatabases('an event socket', (service) => {
  test('is closed with 1008 when its key is revoked, without a message', async () => {
    const account = await service().account(9)
    const other = await service().account(9)
    const { baseUrl } = await startSecondApp(service().running.service, { timeouts: { keyCheckMs: 50 } })
    using client = await connectEventSocket({ ...account, baseUrl })
    using bystander = await connectEventSocket({ ...other, baseUrl })
    client.send(subscribeToAll)
    await client.waitFor(({ length }) => length === 1)
    await revoke(service(), account.keyId)
    expect(await closeOf(client)).toEqual(closedForKey)
    bystander.send(subscribeToAll)
    await bystander.waitFor(({ length }) => length === 1)
  })

  test('is closed at its next subscription, before an event', async () => {
    const account = await service().account(9)
    using client = await connectEventSocket(account)
    const taskId = await createTestTask(api(account))
    await revoke(service(), account.keyId)
    client.send({ action: 'subscribe', task_id: taskId })
    expect(await closeOf(client)).toEqual(closedForKey)
    expect(client.events).toEqual([])
  })

  test('that was opened with a ticket is closed when the key of the ticket expires', async () => {
    const account = await service().account(9)
    const { service: later, advance } = clockOf(service())
    await service()
      .running.service.db.updateTable('api_keys')
      .set({ expire_at: Date.now() + 3_600_000 })
      .where('id', '=', account.keyId)
      .execute()
    const { baseUrl } = await startSecondApp(later, { timeouts: { keyCheckMs: 50 } })
    const { data } = await api({ ...account, baseUrl }).send<{ ticket: string }>(routes.eventTicket.path, {
      method: 'POST',
    })
    using client = await connectEventSocket({ baseUrl, ticket: data.ticket })
    client.send(subscribeToAll)
    await client.waitFor(({ length }) => length === 1)
    advance(3_600_001)
    expect(await closeOf(client)).toEqual(closedForKey)
  })

  test('answers messages in their order', async () => {
    const account = await service().account(9)
    using client = await connectEventSocket(account)
    const ids = [await createTestTask(api(account)), await createTestTask(api(account))]
    for (const task_id of ids) client.send({ action: 'subscribe', task_id })
    client.send({ action: 'nothing' })
    const received = await client.waitFor((events) => events.some(({ event }) => event === 'error'))
    const snapshots = received.flatMap((one) => (one.event === 'snapshot' ? (one.task?.task_id ?? []) : []))
    expect(snapshots).toEqual(ids.slice(0, snapshots.length))
  })
})

onOneDatabase((service) => {
  test('a running download is cut when its key is revoked; one by a link continues', async () => {
    const account = await service().account(9)
    const { baseUrl } = await startSecondApp(service().running.service, { timeouts: { keyCheckMs: 50 } })
    // More than the buffers of the connection hold.
    const { data: file } = await api(account).upload('a.txt', Buffer.alloc(64 * 2 ** 20, 'a'))
    const path = `/base/file/${file.file_id}/download`
    const { data: link } = await api(account).send<{ url: string }>(`/base/file/${file.file_id}/link`, {
      method: 'POST',
    })
    const download = await begin(baseUrl + path, { authorization: account.apiKey })
    const linked = await begin(baseUrl + link.url, {})
    await revoke(service(), account.keyId)
    await expect(lengthOf(download)).rejects.toThrow(/aborted|reset/)
    expect(await lengthOf(linked)).toBe(64 * 2 ** 20)
  })

  test('a running upload is cut, and the part is not stored', async () => {
    const account = await service().account(9)
    const { baseUrl } = await startSecondApp(service().running.service, { timeouts: { keyCheckMs: 50 } })
    const { data: upload } = await api(account).send<{ upload_id: string }>(routes.initUpload.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ filename: 'a.txt', size: 1000 }),
    })
    using line = await openConnection(baseUrl)
    line.socket.write(
      `PUT /base/file/upload/chunk/${upload.upload_id}/0 HTTP/1.1\r\nHost: localhost\r\n` +
        `Authorization: ${account.apiKey}\r\nContent-Length: 1000\r\n\r\nhalf of it`,
    )
    await revoke(service(), account.keyId)
    await line.closed
    expect(await line.waitForText(/$/)).not.toContain('200')
  })

  test('a ticket of the page does not sign in with a key that was revoked since', async () => {
    const account = await service().account(0)
    const { data } = await api(account).send<{ ticket: string }>(routes.pageTicket.path, { method: 'POST' })
    await revoke(service(), account.keyId)
    const response = await sendRequest(account.baseUrl + routes.pageLogin.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ticket: data.ticket }),
    })
    expect(envelope(response)).toMatchObject({ status: 401, code: 6502 })
  })
})

/** Starts a download and returns its response unread. */
async function begin(url: string, headers: Record<string, string>): Promise<IncomingMessage> {
  // The end of the connection is an error of the response, and may also be one of the request.
  const request = get(url, { headers, agent: false }).on('error', () => undefined)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

async function lengthOf(response: IncomingMessage): Promise<number> {
  let length = 0
  for await (const chunk of response) length += (chunk as Buffer).length
  return length
}
