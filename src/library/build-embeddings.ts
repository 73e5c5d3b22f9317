import { sql } from 'kysely'
import type { Logger } from 'pino'
import { libraryScopes } from '../contract/library.ts'
import { causeMessage } from '../db/location.ts'
import type { Db, WriteTransaction } from '../db/schema.ts'
import { dimensions } from './dot-products.ts'
import { addEmbeddings, findUnembedded, hasEmbeddings } from './embeddings.ts'
import { lockChanges } from './records.ts'
import { isPostgres } from './word-index.ts'

/** Materials whose vectors are added in one transaction: up to 64 vectors each, while an import waits. */
const batchMaterials = 16

interface BuildContext {
  readonly db: Db
  readonly log: Logger
}

/**
 * Prepares a PostgreSQL database to search the vectors of the library with pgvector, if it has the extension, and logs which
 * search is used. Vectors of an existing library are added in the background; until then, and without the extension, they are
 * scanned. An interrupted build continues at the next start. Disposal ends the build.
 */
export async function openEmbeddings({ db, log }: BuildContext): Promise<AsyncDisposable> {
  const stop = new AbortController()
  let building: Promise<void> | undefined
  if (isPostgres(db)) {
    try {
      const version = await createExtension(db)
      if (!(await hasEmbeddings(db))) await changeLibrary(db, createTable)
      log.info(`the vectors of the library are searched by pgvector ${version}`)
      building = build({ db, log }, stop.signal)
    } catch (error) {
      log.info(`the vectors of the library are searched by a scan, without pgvector: ${causeMessage(error)}`)
    }
  }
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await building
    },
  }
}

/** Creates the extension if it is needed. Returns its version. Throws if it is not available. */
async function createExtension(db: Db): Promise<string> {
  const { rows: available } = await sql`select from pg_available_extensions where name = 'vector'`.execute(db)
  if (available.length === 0) throw new Error('the extension is not installed on the server')
  await sql`create extension if not exists vector`.execute(db)
  const { rows } = await sql<{ version: string }>`
    select extversion as version from pg_extension where extname = 'vector'`.execute(db)
  const version = rows[0]?.version ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  // The first version with indexes that are graphs.
  if (major === 0 && minor < 5) throw new Error(`version ${version} is older than 0.5`)
  return version
}

/** Runs a transaction while no other one changes materials or their vectors. */
async function changeLibrary<Result>(
  db: Db,
  change: (trx: WriteTransaction) => Promise<Result>,
): Promise<Result> {
  return await db.transaction().execute(async (trx) => {
    await lockChanges(trx)
    return await change(trx)
  })
}

async function createTable(trx: WriteTransaction): Promise<void> {
  // A table that lost its column with an extension that was dropped.
  await sql`drop table if exists material_embeddings`.execute(trx)
  await sql`create table material_embeddings (
    material_id bigint not null,
    part bigint not null,
    scope text not null,
    embedding vector(${sql.lit(dimensions)}) not null,
    primary key (material_id, part),
    foreign key (material_id, part) references material_vectors (material_id, part) on delete cascade
  )`.execute(trx)
}

async function build({ db, log }: BuildContext, signal: AbortSignal): Promise<void> {
  try {
    const added = await addMissing(db, signal)
    await createIndexes(db, signal)
    if (added > 0) log.info({ materials: added }, 'the vectors of the library were added to pgvector')
  } catch (error) {
    if (!signal.aborted)
      log.error({ err: error }, 'the vectors of the library could not be added to pgvector')
  }
}

/** Adds the vectors that the table does not contain. Returns the number of their materials. */
async function addMissing(db: Db, signal: AbortSignal): Promise<number> {
  for (let [after, added] = [0, 0]; ;) {
    signal.throwIfAborted()
    const ids = await changeLibrary(db, async (trx) => {
      const batch = await findUnembedded(trx, { after, limit: batchMaterials })
      await addEmbeddings(trx, batch)
      return batch
    })
    const last = ids.at(-1)
    if (last === undefined) return added
    after = last
    added += ids.length
  }
}

/** Creates the indexes after the vectors were added, which is faster. */
async function createIndexes(db: Db, signal: AbortSignal): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx)
    const cancel = () => void sql`select pg_cancel_backend(${rows[0]?.pid})`.execute(db).catch(() => {})
    signal.addEventListener('abort', cancel)
    try {
      signal.throwIfAborted()
      // An index for each scope, so that no result is of another one.
      for (const scope of libraryScopes)
        await sql`create index if not exists ${sql.ref(`material_embeddings_${scope}`)} on material_embeddings
          using hnsw (embedding vector_ip_ops) where scope = ${sql.lit(scope)}`.execute(trx)
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  })
}
