import { lockAccount } from '../db/lock.ts'
import { freeBytes, type Shelf } from './bytes.ts'
import { findNeeding } from './needing.ts'

/**
 * Frees the bytes of expired files that no live task needs. Their records stay: uploaded again, a file keeps
 * its id. Ends early when `signal` aborts.
 */
export async function freeExpired(
  shelf: Shelf,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<void> {
  const expired = await shelf.db
    .selectFrom('files')
    .select(['id', 'account_id'])
    .where('expire_at', '<=', now)
    .where('removed_at', 'is', null)
    .execute()
  for (const file of expired) {
    if (signal.aborted) return
    const blake3 = await markRemoved(shelf, file, now)
    if (blake3 !== undefined) await freeBytes(shelf, blake3)
  }
}

/** Answers what its bytes are named; undefined for a file that was renewed or deleted meanwhile, or is needed. */
async function markRemoved(
  { db }: Shelf,
  { id, account_id }: { id: string; account_id: number },
  now: number,
): Promise<string | undefined> {
  return await db.transaction().execute(async (trx) => {
    await lockAccount(trx, account_id)
    if (await findNeeding(trx, id)) return undefined
    const row = await trx
      .updateTable('files')
      .set({ removed_at: now })
      .where('id', '=', id)
      .where('expire_at', '<=', now)
      .where('removed_at', 'is', null)
      .returning('blake3')
      .executeTakeFirst()
    return row?.blake3
  })
}
