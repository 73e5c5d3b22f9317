import { retentionDays } from '../contract/file.ts'
import { lockAccount } from '../db/queries.ts'
import { freeBytes, keepsBytes, type FreedFile, type Shelf } from './bytes.ts'
import { findNeeding } from './needing.ts'

/** Which files are to go. */
interface Old {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Days that a file is kept since it was uploaded, renewed or made; left out, until it expires. */
  readonly keepDays?: number
  /** Left out, those of all. */
  readonly accountId?: number
  /** Told of each file as it goes. */
  readonly onFreed?: ((file: FreedFile) => void) | undefined
  /** Ends the work early. */
  readonly signal?: AbortSignal
}

interface Freed {
  readonly files: number
  /** Bytes that the files of their accounts no longer take. */
  readonly bytes: number
}

const dayMs = 24 * 3600 * 1000

/**
 * Frees the bytes of old files that no live task needs. Their records stay, expired: uploaded again, a file
 * keeps its id.
 */
export async function freeOld(shelf: Shelf, { now, signal, onFreed, ...old }: Old): Promise<Freed> {
  const expiringBy = now + (retentionDays - (old.keepDays ?? retentionDays)) * dayMs
  const files = await shelf.db
    .selectFrom('files')
    .select(['id', 'account_id', 'blake3', 'ext', 'size'])
    .where('expire_at', '<=', expiringBy)
    .where('removed_at', 'is', null)
    .$if(old.accountId !== undefined, (query) => query.where('account_id', '=', Number(old.accountId)))
    .execute()
  const freed = { files: 0, bytes: 0 }
  for (const file of files) {
    if (signal?.aborted) break
    if (!(await markRemoved(shelf, file, { now, expiringBy }))) continue
    freed.files += 1
    onFreed?.(file)
    await freeBytes(shelf, file.blake3)
    // Whether another account has the same bytes must not show.
    const { account_id: accountId, blake3 } = file
    if (!(await keepsBytes(shelf.db, { accountId, blake3 }))) freed.bytes += file.size
  }
  return freed
}

/** False for a file that was renewed or deleted meanwhile, or is needed. */
async function markRemoved(
  { db }: Shelf,
  { id, account_id }: { id: string; account_id: number },
  { now, expiringBy }: { now: number; expiringBy: number },
): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    await lockAccount(trx, account_id)
    if (await findNeeding(trx, id)) return false
    const row = await trx
      .updateTable('files')
      .set({ removed_at: now, expire_at: now })
      .where('id', '=', id)
      .where('expire_at', '<=', expiringBy)
      .where('removed_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    return row !== undefined
  })
}
