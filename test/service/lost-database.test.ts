import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { sql } from 'kysely'
import { databaseFailure } from '../../src/db/failure.ts'
import { openDatabase } from '../../src/db/open.ts'
import { hasPostgres, newDatabase } from '../postgres.ts'

/** Proxy for a server, whose connections can be cut. */
async function startLine(port: number) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const upstream = connect(port, '127.0.0.1')
    for (const end of [socket, upstream]) sockets.add(end.on('error', () => undefined))
    socket.pipe(upstream).pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async closeConnections() {
      server.close()
      for (const end of sockets) end.destroy()
      await once(server, 'close')
    },
  }
}

test.skipIf(!hasPostgres)(
  'a lost or unreachable PostgreSQL is reported by name (Debian package postgresql)',
  async () => {
    const address = new URL(await newDatabase())
    const direct = await openDatabase({ url: address.href })
    onTestFinished(() => direct.destroy())
    const line = await startLine(Number(address.port))
    address.port = String(line.port)
    const db = await openDatabase({ url: address.href })
    onTestFinished(() => db.destroy())
    const failing = sql`select pg_sleep(600)`.execute(db).catch((error: unknown) => error)
    // A response on another connection shows that the query is running.
    await sql`select 1`.execute(db)
    await line.closeConnections()
    // The server would only notice at the end of the query.
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query like 'select pg_sleep%'`.execute(
      direct,
    )
    const failure = databaseFailure(await failing)
    expect(failure).toMatchObject({ code: 6401, message: 'the database is not reachable', retryable: true })
    const unreachable = await sql`select 1`.execute(db).catch((error: unknown) => error)
    expect(databaseFailure(unreachable)).toMatchObject({
      code: 6401,
      message: 'the database is not reachable',
    })
    expect(databaseFailure(new Error('the array is not sorted'))).toBeUndefined()
  },
)
