import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { hasPostgres, newDatabase } from '../postgres.ts'
import { api, pollUntil } from './api.ts'
import { startTestService } from './in-process.ts'

/** Queries the database directly. */
async function queryRows<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}

const isHolder = `datname = current_database() and application_name like 'reelwright process %'`

describe.skipIf(!hasPostgres)('a PostgreSQL database (Debian package postgresql)', () => {
  test('accepts one service: a second is rejected and does not touch the tasks of the first', async () => {
    const database = { url: await newDatabase() }
    await using first = await startTestService({ database })
    const calls = api(first)
    const { data: file } = await calls.upload('a.txt', 'bytes')
    const { data: task } = await calls.create('test_copy', { file_id: file.file_id, behaviour: 'wait' })
    const running = () => calls.query('test_copy', task.task_id)
    await pollUntil(running, ({ data }) => data.status === 'processing')

    await expect(startTestService({ database })).rejects.toMatchObject({
      code: 6401,
      message: expect.stringMatching(
        new RegExp(
          `^another service uses the database of .*127\\.0\\.0\\.1:\\d+ \\(reelwright process ${process.pid} on .+\\)$`,
        ),
      ),
      hint: expect.stringContaining('DATABASE_URL'),
    })
    expect((await running()).data.status).toBe('processing')
  })

  test('is unlocked by a close and by a failed start', async () => {
    const database = { url: await newDatabase() }
    await (await startTestService({ database }))[Symbol.asyncDispose]()
    await using other = await startTestService()
    await expect(startTestService({ database, port: other.running.port })).rejects.toThrow('cannot listen')
    expect(await queryRows(database.url, `select 1 from pg_stat_activity where ${isHolder}`)).toEqual([])
    await using again = await startTestService({ database })
    expect((await api(again).send('/task/list')).status).toBe(200)
  })

  test('is waited for while the previous service stops', async () => {
    const url = await newDatabase()
    const last = await startTestService({ database: { url } })
    const next = startTestService({ database: { url } })
    const isWaiting = `locktype = 'advisory' and not granted and datname = current_database()`
    const waiting = () =>
      queryRows(
        url,
        `select 1 from pg_locks join pg_database on pg_database.oid = database where ${isWaiting}`,
      )
    await pollUntil(waiting, ({ length }) => length === 1)
    await last[Symbol.asyncDispose]()
    await using service = await next
    expect((await api(service).send('/task/list')).status).toBe(200)
  })

  test('stops its service when the lock is lost; another can start at once', async () => {
    const url = await newDatabase()
    await using service = await startTestService({ database: { url } })
    await queryRows(url, `select pg_terminate_backend(pid) from pg_stat_activity where ${isHolder}`)
    expect(await service.running.lost).toMatchObject({
      code: 6401,
      message: expect.stringMatching(/127\.0\.0\.1:\d+ was lost: terminating connection/),
    })
    await using next = await startTestService({ database: { url } })
    expect((await api(next).send('/task/list')).status).toBe(200)
  })

  test('stays locked despite an idle session timeout of the server', async () => {
    const url = await newDatabase()
    await queryRows(
      url,
      `alter database ${new URL(url).pathname.slice(1)} set idle_session_timeout = '300ms'`,
    )
    await using service = await startTestService({ database: { url } })
    const pooled = () => queryRows(url, `select 1 from pg_stat_activity where datname = current_database()`)
    // Ends the pool's connections, but not this one and the lock's.
    await pollUntil(pooled, ({ length }) => length === 2)
    expect((await api(service).send('/task/list')).status).toBe(200)
    expect(await queryRows(url, `select 1 from pg_stat_activity where ${isHolder}`)).toHaveLength(1)
  })

  test('reports a user without permission to create tables', async () => {
    const address = await newDatabase()
    const url = new URL(address)
    // Roles are global to the server, which other tests use too.
    url.username = `reader_of_${url.pathname.slice(1)}`
    await queryRows(address, `create role ${url.username} login; revoke create on schema public from public`)
    await expect(startTestService({ database: { url: url.href } })).rejects.toMatchObject({
      code: 6401,
      retryable: false,
      message: expect.stringMatching(
        /127\.0\.0\.1:\d+ cannot be used: the schema cannot be migrated: .*permission denied for schema public/,
      ),
    })
  })

  test.for([
    ['a port where nothing listens', { port: '9' }, /at 127\.0\.0\.1:9 cannot be used: connect ECONNREFUSED/],
    ['a missing database', { pathname: '/none' }, /cannot be used: database "none" does not exist/],
    ['a user that is not there', { username: 'nobody' }, /cannot be used: role "nobody" does not exist/],
    ['encryption it does not speak', { search: '?sslmode=verify-full' }, /does not support SSL/],
    ['a missing certificate', { search: '?sslrootcert=/none.pem' }, /PostgreSQL cannot be used: ENOENT/],
  ] as const)('reports %s, never with the password', async ([, change, message]) => {
    const url = Object.assign(new URL(await newDatabase()), { password: 'sekret', ...change })
    const start = startTestService({ database: { url: url.href } })
    await expect(start).rejects.toMatchObject({
      code: 6401,
      message: expect.stringMatching(message),
      hint: expect.stringContaining('DATABASE_URL'),
    })
    await expect(start).rejects.not.toThrow('sekret')
  })
})
