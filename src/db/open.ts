import type { CustomTypesConfig } from 'pg'
import { Kysely, PostgresDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import { MediaError } from '../contract/errors.ts'
import { migrations } from './migrations.ts'
import { nodeSqliteDialect } from './node-sqlite.ts'
import { causeMessage, databaseUnavailable, type DatabaseLocation } from './location.ts'
import type { Db, DatabaseSchema } from './schema.ts'

/**
 * Opens the database and brings its schema up to date; 6401 with the reason when that fails. A
 * database with a newer schema is refused untouched.
 */
export async function openDatabase(place: DatabaseLocation): Promise<Db> {
  return await connectAndCheck(place, async (db) => {
    if (!(await isSchemaCurrent(db))) await migrate(db)
    return db
  })
}

/**
 * Opens a database that a service may be using, and leaves its schema alone: null where that is not
 * up to date. Else as `openDatabase`.
 */
export async function openCurrentDatabase(place: DatabaseLocation): Promise<Db | null> {
  return await connectAndCheck(place, async (db) => {
    if (await isSchemaCurrent(db)) return db
    await db.destroy()
    return null
  })
}

async function connectAndCheck<T>(place: DatabaseLocation, settle: (db: Db) => Promise<T>): Promise<T> {
  const db = new Kysely<DatabaseSchema>({
    dialect: 'path' in place ? nodeSqliteDialect(place.path) : await postgresDialect(place.url),
  })
  try {
    return await settle(db)
  } catch (error) {
    await db.destroy()
    throw error instanceof MediaError ? error : await databaseUnavailable(place, error)
  }
}

async function postgresDialect(url: string): Promise<PostgresDialect> {
  const { default: pg } = await import('pg')
  // Our bigints are ids of accounts, sizes and milliseconds: all below 2^53.
  const types: CustomTypesConfig = {
    getTypeParser: (oid, format) =>
      oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
  }
  const pool = new pg.Pool({ connectionString: url, max: 10, types })
  // A connection that breaks fails its query and is replaced at the next use. Without listeners, of the pool for
  // idle ones and of each for the time it is used, it would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return new PostgresDialect({ pool })
}

/** Whether the schema is this version's, or older; throws for a newer one. */
async function isSchemaCurrent(db: Db): Promise<boolean> {
  const applied = await appliedMigrations(db)
  const unknown = applied.filter((name) => !Object.hasOwn(migrations, name))
  if (unknown.length > 0) {
    throw new MediaError(6500, `the database was made by a newer version (${unknown.join(', ')})`, {
      hint: 'Update reelwright, or point it at another data folder.',
      retryable: false,
    })
  }
  return applied.length === Object.keys(migrations).length
}

async function migrate(db: Db): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (error === undefined) return
  throw new Error(`its tables cannot be brought up to date: ${causeMessage(error)}`, { cause: error })
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
