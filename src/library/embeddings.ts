import { sql } from 'kysely'
import type { Db, WriteTransaction } from '../db/schema.ts'
import { toFloats } from './exact-cosines.ts'
import { isPostgres } from './word-index.ts'

// The table `material_embeddings` exists where PostgreSQL has pgvector (see `build-embeddings.ts`). It contains the vectors of
// the active materials in the type of the extension.

/** Vectors that are inserted at once, as texts of up to 20 KB. */
const chunkRows = 64

/** Writes a vector as the extension reads it. */
export function vectorText(values: Float32Array): string {
  return `[${values.join(',')}]`
}

/** Whether the database has the table. Its column is lost when the extension is dropped. */
export async function hasEmbeddings(db: Db): Promise<boolean> {
  if (!isPostgres(db)) return false
  const { rows } = await sql`select from pg_attribute
    where attrelid = to_regclass('material_embeddings') and attname = 'embedding' and not attisdropped`.execute(
    db,
  )
  return rows.length > 0
}

/** Adds the vectors of those of the materials that are active. */
export async function addEmbeddings(trx: WriteTransaction, ids: readonly number[]): Promise<void> {
  if (ids.length === 0 || !(await hasEmbeddings(trx))) return
  const rows = await trx
    .selectFrom('material_vectors')
    .innerJoin('materials', 'materials.id', 'material_id')
    .select(['material_id', 'part', 'scope', 'vector'])
    .where('material_id', 'in', ids)
    .where('state', '=', 'active')
    .execute()
  for (let first = 0; first < rows.length; first += chunkRows) {
    const values = rows
      .slice(first, first + chunkRows)
      .map(
        ({ material_id: id, part, scope, vector }) =>
          sql`(${id}, ${part}, ${scope}, ${vectorText(toFloats(vector))})`,
      )
    await sql`insert into material_embeddings (material_id, part, scope, embedding)
      values ${sql.join(values)} on conflict do nothing`.execute(trx)
  }
}

/** Removes the vectors of a material, which is then not found by them. */
export async function removeEmbeddings(trx: WriteTransaction, id: number): Promise<void> {
  if (await hasEmbeddings(trx))
    await sql`delete from material_embeddings where material_id = ${id}`.execute(trx)
}

/** Returns active materials above an id with vectors that the table does not contain, in their order. */
export async function findUnembedded(
  db: Db,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select material_id as id from material_vectors join materials on materials.id = material_id
    where material_id > ${after} and state = 'active' and not exists (
      select from material_embeddings as present
      where present.material_id = material_vectors.material_id and present.part = material_vectors.part
    )
    group by material_id order by material_id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Whether the table contains all vectors and has its indexes. Then every change of the library keeps it complete. */
export async function areEmbeddingsComplete(db: Db): Promise<boolean> {
  if (!(await hasEmbeddings(db)) || !(await hasIndexes(db))) return false
  return (await findUnembedded(db, { after: 0, limit: 1 })).length === 0
}

/** Whether the index that is built last exists. */
async function hasIndexes(db: Db): Promise<boolean> {
  const { rows } =
    await sql`select from pg_class where oid = to_regclass('material_embeddings_audio')`.execute(db)
  return rows.length > 0
}
