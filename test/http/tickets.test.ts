import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { revokeKeys } from '../../src/accounts/keys.ts'
import { removeExpiredEventTickets } from '../../src/accounts/tickets.ts'
import { eventTicket } from '../../src/contract/routes.ts'
import { api } from '../service/api.ts'
import { startSecondApp } from './second-app.ts'
import { subscribeToAll, connectEventSocket } from './event-client.ts'
import { onDatabases } from './on-databases.ts'
import { openConnection } from './raw-http.ts'

onDatabases('tickets', (service) => {
  const db = () => service().running.service.db
  const requestTicket = async (account: { baseUrl: string; apiKey: string }) => {
    const response = await api(account).send('/task/events/ticket', { method: 'POST' })
    expect(response).toMatchObject({ status: 200, code: 200 })
    return eventTicket.parse(response.data)
  }
  /** HTTP status of the upgrade: 101 when the socket opens. */
  const openEventSocket = async (query: string, headers = '') => {
    using line = await openConnection(service().baseUrl)
    line.socket.write(
      `GET /task/events${query} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${headers}\r\n`,
    )
    return Number(/^HTTP\/1\.1 (\d+)/.exec(await line.waitForText(/\r\n\r\n/))?.[1])
  }

  test('a ticket opens one socket, for the account that requested it', async () => {
    const account = await service().account(1)
    const { ticket, expires_at } = await requestTicket(account)
    expect(Buffer.from(ticket, 'base64url')).toHaveLength(32)
    const validFor = Date.parse(expires_at) - Date.now()
    expect(validFor).toBeGreaterThan(50_000)
    expect(validFor).toBeLessThanOrEqual(60_000)
    using client = await connectEventSocket({ baseUrl: service().baseUrl, ticket })
    client.send(subscribeToAll)
    expect(await client.waitFor(({ length }) => length === 1)).toEqual([
      { event: 'snapshot', seq: 0, task: null },
    ])
    expect(await openEventSocket(`?ticket=${ticket}`)).toBe(401)
  })

  test('of two concurrent sockets with one ticket one opens', async () => {
    const { ticket } = await requestTicket(await service().account(0))
    const statuses = await Promise.all([1, 2, 3, 4].map(() => openEventSocket(`?ticket=${ticket}`)))
    expect(statuses.toSorted((a, b) => a - b)).toEqual([101, 401, 401, 401])
  })

  test('a ticket is valid only for the socket, and other requests do not use it up', async () => {
    const account = await service().account(0)
    const { ticket } = await requestTicket(account)
    for (const path of ['/task/events', '/task/list', '/base/capabilities', '/task/events/ticket']) {
      const response = await fetch(`${service().baseUrl}${path}?ticket=${ticket}`)
      expect([path, response.status]).toEqual([path, 401])
    }
    expect(await openEventSocket(`?ticket=${ticket}`)).toBe(101)
  })

  test('a wrong ticket is rejected although the key is valid', async () => {
    const { apiKey } = await service().account(0)
    const wrong = await openEventSocket('?ticket=wrong', `Authorization: ${apiKey}\r\n`)
    expect([wrong, await openEventSocket('?ticket='), await openEventSocket('')]).toEqual([401, 401, 401])
  })

  test('a ticket expires after a minute, and with its key', async () => {
    const account = await service().account(0)
    const old = await requestTicket(account)
    await db()
      .updateTable('tickets')
      .set((eb) => ({ expire_at: eb('expire_at', '-', 60_001) }))
      .where('account_id', '=', account.id)
      .execute()
    expect(await openEventSocket(`?ticket=${old.ticket}`)).toBe(401)
    const { ticket } = await requestTicket(account)
    await removeExpiredEventTickets(db(), Date.now())
    const remaining = await db()
      .selectFrom('tickets')
      .selectAll()
      .where('account_id', '=', account.id)
      .execute()
    expect(remaining).toHaveLength(1)
    expect(JSON.stringify(remaining)).not.toContain(ticket)
    await revokeKeys(db(), { accountId: account.id, name: 'test', now: Date.now() })
    expect(await openEventSocket(`?ticket=${ticket}`)).toBe(401)
  })

  test('the log never contains a ticket', async () => {
    const account = await service().account(0)
    const { ticket } = await requestTicket(account)
    const { db: real, ...rest } = service().running.service
    const broken = new Proxy(real, {
      get(target, name) {
        if (name === 'deleteFrom') throw new Error(`GET /task/events?ticket=${ticket} failed`)
        return Reflect.get(target, name)
      },
    })
    const { baseUrl } = await startSecondApp({ ...rest, db: broken })
    using client = await connectEventSocket({ baseUrl, ticket })
    if (client.socket.readyState !== client.socket.CLOSED) await once(client.socket, 'close')
    const log = await readFile(join(service().dataDir, 'log'), 'utf8')
    expect(log).toContain('ticket=[redacted]')
    expect(log).not.toContain(ticket)
  })
})
