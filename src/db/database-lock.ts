import { hostname } from 'node:os'
import type { Client } from 'pg'
import { MediaError } from '../contract/errors.ts'
import { errorCode } from '../platform/system-error.ts'
import { describeDatabase, causeMessage, databaseUnavailable, type DatabaseLocation } from './location.ts'

/** How long the server may take to answer, ms. */
const connectTimeoutMs = 10_000

/** How long a service that is just leaving may take, ms. */
const databaseLockTimeoutMs = 2_000

/** Our lock among a database's advisory locks: `reel` in ASCII, and what of ours it locks. */
const advisoryLockKey = [0x7265656c, 1] as const

/** PostgreSQL's lock_not_available. */
const lockNotAvailable = '55P03'

/** The right to be a database's one service. */
export interface DatabaseLock extends AsyncDisposable {
  /** Resolves, with the reason, once another service may have the database. */
  readonly lost: Promise<MediaError>
}

/**
 * Takes a database for one service, until disposed or this process or its connection to the server
 * dies; 6401 when another has it, or it cannot be reached. Who holds the data folder holds the
 * SQLite file in it.
 */
export async function lockDatabase(place: DatabaseLocation): Promise<DatabaseLock> {
  if ('path' in place)
    return { lost: new Promise(() => undefined), [Symbol.asyncDispose]: async () => undefined }
  const name = await describeDatabase(place)
  const lost = Promise.withResolvers<MediaError>()
  const client = await connectPostgres(place.url, (error) =>
    lost.resolve(databaseLockLost(name, error)),
  ).catch(async (error: unknown) => {
    throw await databaseUnavailable(place, error)
  })
  try {
    await acquireAdvisoryLock(client)
  } catch (error) {
    const refusal =
      errorCode(error) === lockNotAvailable
        ? databaseInUse(name, await findLockHolder(client))
        : await databaseUnavailable(place, error)
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
    // Tells of a server that vanished without a word.
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
  })
  client.on('error', onError)
  await client.connect()
  return client
}

/** The server gives the lock back within a minute of this machine's silence, instead of two hours. */
async function acquireAdvisoryLock(client: Client): Promise<void> {
  const settings = {
    application_name: `reelwright process ${process.pid} on ${hostname()}`,
    lock_timeout: `${databaseLockTimeoutMs}ms`,
    tcp_keepalives_idle: '30s',
    tcp_keepalives_interval: '10s',
    tcp_keepalives_count: '3',
    // Known to PostgreSQL 14 and later; this connection says nothing for as long as the service lives.
    idle_session_timeout: '0',
  }
  await client.query(
    `select set_config(key, value, false) from json_each_text($1) join pg_settings on name = key`,
    [settings],
  )
  await client.query('select pg_advisory_lock($1, $2)', [...advisoryLockKey])
}

/** What the holder calls itself; null when it has just left or cannot be seen. */
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
  return new MediaError(6401, `the database of ${name} is used by another service${who}`, {
    hint: 'End that service, or give this one a database of its own with DATABASE_URL.',
  })
}

function databaseLockLost(name: string, cause: Error): MediaError {
  return new MediaError(6401, `the hold on the database of ${name} was lost: ${causeMessage(cause)}`, {
    cause,
    hint: 'Start the service again once PostgreSQL answers.',
  })
}
