import { hostname } from 'node:os'
import type { Client } from 'pg'
import { MediaError } from '../contract/errors.ts'
import { errorCode } from '../platform/system-error.ts'
import { describeDatabase, causeMessage, databaseUnavailable, type DatabaseLocation } from './location.ts'

/** Connection timeout, ms. */
const connectTimeoutMs = 10_000

/** Wait for the lock, ms: a service that is shutting down releases it within this time. */
const databaseLockTimeoutMs = 2_000

/** Key of the advisory lock: `reel` in ASCII, then the number of the lock. */
const advisoryLockKey = [0x7265656c, 1] as const

/** SQLSTATE lock_not_available. */
const lockNotAvailable = '55P03'

/** Exclusive use of a database by one service. */
export interface DatabaseLock extends AsyncDisposable {
  /** Resolves with the reason when the lock is lost and another service may use the database. */
  readonly lost: Promise<MediaError>
}

/**
 * Locks a database for one service until the lock is disposed, or the process or its connection ends. Throws 6401
 * when another service holds the lock or the server is unreachable. A SQLite file needs no lock: the lock on its
 * data folder protects it.
 */
export async function lockDatabase(location: DatabaseLocation): Promise<DatabaseLock> {
  if ('path' in location)
    return { lost: new Promise(() => undefined), [Symbol.asyncDispose]: async () => undefined }
  const name = await describeDatabase(location)
  const lost = Promise.withResolvers<MediaError>()
  const client = await connectPostgres(location.url, (error) =>
    lost.resolve(databaseLockLost(name, error)),
  ).catch(async (error: unknown) => {
    throw await databaseUnavailable(location, error)
  })
  try {
    await acquireAdvisoryLock(client)
  } catch (error) {
    const refusal =
      errorCode(error) === lockNotAvailable
        ? databaseInUse(name, await findLockHolder(client))
        : await databaseUnavailable(location, error)
    await client.end()
    throw refusal
  }
  return { lost: lost.promise, [Symbol.asyncDispose]: () => client.end() }
}

async function connectPostgres(url: string, onError: (error: Error) => void): Promise<Client> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    // Detects a server that disappeared without closing the connection.
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
  })
  client.on('error', onError)
  await client.connect()
  return client
}

/**
 * Takes the lock. With these keep-alive settings the server releases it about a minute after this machine disappears,
 * instead of two hours.
 */
async function acquireAdvisoryLock(client: Client): Promise<void> {
  const settings = {
    application_name: `reelwright process ${process.pid} on ${hostname()}`,
    lock_timeout: `${databaseLockTimeoutMs}ms`,
    tcp_keepalives_idle: '30s',
    tcp_keepalives_interval: '10s',
    tcp_keepalives_count: '3',
    // PostgreSQL 14 and later: this connection stays idle for the lifetime of the service.
    idle_session_timeout: '0',
  }
  await client.query(
    `select set_config(key, value, false) from json_each_text($1) join pg_settings on name = key`,
    [settings],
  )
  await client.query('select pg_advisory_lock($1, $2)', [...advisoryLockKey])
}

/** Application name of the lock's holder; null when it has just left or is not visible. */
async function findLockHolder(client: Client): Promise<string | null> {
  const found = client.query<{ name: string | null }>(
    `select a.application_name as name
      from pg_locks l join pg_database d on d.oid = l.database join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and d.datname = current_database()
        and l.classid = $1 and l.objid = $2 and l.objsubid = 2`,
    [...advisoryLockKey],
  )
  return await found.then(
    ({ rows }) => rows[0]?.name ?? null,
    () => null,
  )
}

function databaseInUse(name: string, holder: string | null): MediaError {
  const who = holder === null ? '' : ` (${holder})`
  return new MediaError(6401, `another service uses the database of ${name}${who}`, {
    hint: 'Stop that service, or set DATABASE_URL to another database.',
  })
}

function databaseLockLost(name: string, cause: Error): MediaError {
  return new MediaError(6401, `the lock on the database of ${name} was lost: ${causeMessage(cause)}`, {
    cause,
    hint: 'Start the service again when PostgreSQL is reachable.',
  })
}
