import { sql } from 'kysely'
import type { Db, WriteTransaction } from '../db/schema.ts'
import type { LibraryScope } from '../contract/library.ts'
import { vectorText } from './embeddings.ts'
import { exactCosines } from './exact-cosines.ts'
import {
  LibrarySpaces,
  type LibraryState,
  type MaterialIndex,
  nearestVectors,
  type NearestOptions,
  readLibraryState,
} from './material-index.ts'
import type { ScannedVector } from './vector-table.ts'

/** Vectors that a search of the graph collects, at most as many as pgvector allows: of those, deleted ones are left out. */
const collectedVectors = '1000'

/** Bound of the error of a cosine, which the extension computes in float32. */
const cosineError = 0.0001

/** The active materials and their vectors in a PostgreSQL database with pgvector, once its table is complete. */
export class DatabaseIndex implements MaterialIndex {
  readonly #db: Db
  #state: LibraryState = { changedAt: 0, active: 0 }
  #spaces = new LibrarySpaces()

  constructor(db: Db) {
    this.#db = db
  }

  get size(): number {
    return this.#state.active
  }

  space(scope: LibraryScope): string | undefined {
    return this.#spaces.get(scope)
  }

  async refresh(): Promise<void> {
    const state = await readLibraryState(this.#db)
    if (state.changedAt === this.#state.changedAt && state.active === this.#state.active) return
    const spaces = await this.#db
      .selectFrom('material_vectors')
      .innerJoin('materials', 'materials.id', 'material_id')
      .select(['scope', 'space'])
      .distinct()
      .where('state', '=', 'active')
      .execute()
    const found = new LibrarySpaces()
    for (const { scope, space } of spaces) found.add(scope, space)
    this.#spaces = found
    this.#state = state
  }

  async nearest(
    query: Float32Array,
    { scope, others }: NearestOptions,
  ): Promise<ReadonlyMap<number, number>> {
    const text = vectorText(query)
    const found = await this.#db.transaction().execute(async (trx) => {
      const near = await findNearest(trx, text, scope)
      return others.length === 0 ? near : [...near, ...(await compare(trx, text, others))]
    })
    return await exactCosines(this.#db, query, { found, error: cosineError })
  }
}

/** Finds the nearest vectors by the index of the scope, or by comparing all if its deleted vectors leave too few. */
async function findNearest(
  trx: WriteTransaction,
  query: string,
  scope: LibraryScope,
): Promise<ScannedVector[]> {
  // Estimates of costs leave out the reading of large values, so that sorting all vectors would appear cheaper.
  await configure(trx, { enable_sort: 'off', 'hnsw.ef_search': collectedVectors })
  const near = await readNearest(trx, query, scope)
  if (near.length === nearestVectors) return near
  await configure(trx, { enable_sort: 'on', enable_indexscan: 'off' })
  const all = await readNearest(trx, query, scope)
  await configure(trx, { enable_indexscan: 'on' })
  return all
}

/** Changes settings until the end of the transaction. */
async function configure(trx: WriteTransaction, settings: Readonly<Record<string, string>>): Promise<void> {
  const calls = Object.entries(settings).map(([name, value]) => sql`set_config(${name}, ${value}, true)`)
  await sql`select ${sql.join(calls)}`.execute(trx)
}

async function readNearest(
  trx: WriteTransaction,
  query: string,
  scope: LibraryScope,
): Promise<ScannedVector[]> {
  // The negative product: vectors have length 1. Only a literal scope selects its partial index.
  const { rows } = await sql<ScannedVector>`
    select material_id as id, part, -distance as cosine from (
      select material_id, part, embedding <#> ${query} as distance from material_embeddings
      where scope = ${sql.lit(scope)} order by distance limit ${nearestVectors}
    ) as nearest`.execute(trx)
  return rows
}

/** Returns the cosines of all vectors of some materials. */
async function compare(
  trx: WriteTransaction,
  query: string,
  ids: readonly number[],
): Promise<ScannedVector[]> {
  const { rows } = await sql<ScannedVector>`
    select material_id as id, part, -(embedding <#> ${query}) as cosine from material_embeddings
    where material_id in (${sql.join(ids)})`.execute(trx)
  return rows
}
