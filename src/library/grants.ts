import { MediaError } from '../contract/errors.ts'
import type { Db, WriteTransaction } from '../db/schema.ts'
import { isPostgres } from './word-index.ts'

/**
 * Grants materials to an account for ever, within the transaction that completes its search. Throws 6401, which is retryable,
 * if one is no longer found: no copy of it is kept, so that the result may not contain its links.
 */
export async function grantMaterials(
  trx: WriteTransaction,
  {
    accountId,
    ids,
    now,
  }: { readonly accountId: number; readonly ids: readonly number[]; readonly now: number },
): Promise<void> {
  if (ids.length === 0) return
  const active = await trx
    .selectFrom('materials')
    .select('id')
    .where('id', 'in', ids)
    .where('state', '=', 'active')
    .orderBy('id')
    // A removal waits for the grant, or the grant for the removal.
    .$if(isPostgres(trx), (rows) => rows.forKeyShare())
    .execute()
  if (active.length < new Set(ids).size) {
    throw new MediaError(6401, 'the library was changed during the search', { hint: 'Search again.' })
  }
  await trx
    .insertInto('material_grants')
    .values(active.map(({ id }) => ({ account_id: accountId, material_id: id, granted_at: now })))
    .onConflict((conflict) => conflict.columns(['account_id', 'material_id']).doNothing())
    .execute()
}

/** Returns those of the materials that are granted to the account. */
export async function findGranted(
  db: Db,
  { accountId, ids }: { readonly accountId: number; readonly ids: readonly number[] },
): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('material_grants')
    .select('material_id')
    .where('account_id', '=', accountId)
    .where('material_id', 'in', ids)
    .execute()
  return new Set(rows.map(({ material_id: id }) => id))
}
