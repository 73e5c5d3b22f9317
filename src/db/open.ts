import type { CustomTypesConfig } from 'pg'
import { Kysely, PostgresDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import { MediaError } from '../contract/errors.ts'
import { migrations } from './migrations.ts'
import { nodeSqliteDialect } from './node-sqlite.ts'
import { causeMessage, databaseUnavailable, type DatabaseLocation } from './location.ts'
import type { Db, DatabaseSchema } from './schema.ts'

/**
 * Opens a database and migrates it to the current schema. Throws 6401 when that fails, and 6500 for a newer
 * schema, which is left unchanged.
 */
export async function openDatabase(location: DatabaseLocation): Promise<Db> {
  return await connectAndCheck(location, async (db) => {
    if (!(await isSchemaCurrent(db))) await migrate(db)
    return db
  })
}

/**
 * Opens a database that a service may be using, without migrating it. Returns null when its schema is older.
 * Throws like `openDatabase`.
 */
export async function openCurrentDatabase(location: DatabaseLocation): Promise<Db | null> {
  return await connectAndCheck(location, async (db) => {
    if (await isSchemaCurrent(db)) return db
    await db.destroy()
    return null
  })
}

async function connectAndCheck<T>(location: DatabaseLocation, check: (db: Db) => Promise<T>): Promise<T> {
  const db = new Kysely<DatabaseSchema>({
    dialect: 'path' in location ? nodeSqliteDialect(location.path) : await postgresDialect(location.url),
  })
  try {
    return await check(db)
  } catch (error) {
    await db.destroy()
    throw error instanceof MediaError ? error : await databaseUnavailable(location, error)
  }
}

async function postgresDialect(url: string): Promise<PostgresDialect> {
  const { default: pg } = await import('pg')
  // The bigint columns hold account ids, sizes and milliseconds, all below 2^53.
  const types: CustomTypesConfig = {
    getTypeParser: (oid, format) =>
      oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
  }
  const pool = new pg.Pool({ connectionString: url, max: 10, types })
  // A broken connection fails its query and is replaced at the next use. Without these listeners (on the pool for
  // idle connections, on each client for active ones) its error would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return new PostgresDialect({ pool })
}

/** Whether the schema is current (true) or older (false). Throws 6500 for a newer one. */
async function isSchemaCurrent(db: Db): Promise<boolean> {
  const applied = await appliedMigrations(db)
  const unknown = applied.filter((name) => !Object.hasOwn(migrations, name))
  if (unknown.length > 0) {
    throw new MediaError(6500, `the database was created by a newer version (${unknown.join(', ')})`, {
      hint: 'Update reelwright, or use another data folder.',
      retryable: false,
    })
  }
  return applied.length === Object.keys(migrations).length
}

async function migrate(db: Db): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (error === undefined) return
  throw new Error(`the schema cannot be migrated: ${causeMessage(error)}`, { cause: error })
}

async function appliedMigrations(db: Db): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some((table) => table.name === 'kysely_migration')) return []
  const rows = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute()
  return rows.map((row) => row.name)
}
