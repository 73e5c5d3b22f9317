import { sql } from 'kysely'
import type { Db } from '../db/schema.ts'
import type { ScannedVector } from './vector-table.ts'

/** Vectors that are read at once. */
const chunkRows = 256

/**
 * Returns the exact cosine of the best vector of each material. query: of length 1. found: vectors with cosines that are off
 * by less than `error`.
 */
export async function exactCosines(
  db: Db,
  query: Float32Array,
  { found, error }: { readonly found: readonly ScannedVector[]; readonly error: number },
): Promise<ReadonlyMap<number, number>> {
  const cosines = new Map<number, number>()
  const candidates = possiblyBest(found, error)
  for (let first = 0; first < candidates.length; first += chunkRows) {
    const keys = candidates
      .slice(first, first + chunkRows)
      .map(({ id, part }) => sql`(${sql.lit(id)}, ${sql.lit(part)})`)
    // SQLite requires `values` for a list of rows, which PostgreSQL accepts too.
    const { rows } = await sql<{ id: number; vector: Uint8Array }>`
      select material_id as id, vector from material_vectors
      where (material_id, part) in (values ${sql.join(keys)})`.execute(db)
    for (const { id, vector } of rows) {
      const cosine = dotProduct(query, toFloats(vector))
      cosines.set(id, Math.max(cosine, cosines.get(id) ?? -1))
    }
  }
  return cosines
}

/** Returns the vectors of each material that may be its best one, each once. */
function possiblyBest(found: readonly ScannedVector[], error: number): ScannedVector[] {
  const best = new Map<number, number>()
  for (const { id, cosine } of found) best.set(id, Math.max(cosine, best.get(id) ?? -Infinity))
  const candidates = new Map<string, ScannedVector>()
  for (const one of found)
    if (one.cosine >= (best.get(one.id) ?? 0) - 2 * error) candidates.set(`${one.id} ${one.part}`, one)
  return [...candidates.values()]
}

function dotProduct(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let index = 0; index < one.length; index += 1) sum += (one[index] ?? 0) * (other[index] ?? 0)
  return sum
}

/** Copies the bytes of a column, which may start anywhere in their memory. */
export function toFloats(bytes: Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer)
}
