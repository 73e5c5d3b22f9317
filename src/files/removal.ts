import { MediaError } from '../contract/errors.ts'
import { retentionDays } from '../contract/file.ts'
import { lockAccount } from '../db/queries.ts'
import type { Db, FileRow } from '../db/schema.ts'
import { failpoint } from '../platform/failpoint.ts'
import {
  accountHasContent,
  type FileStorage,
  isContentReferenced,
  type RemovedFile,
  removeUnreferencedContent,
} from './content.ts'
import { findActiveTaskUsing, findOwnFile } from './records.ts'
import type { FileStore } from './store.ts'
import { isUploadOpen } from './uploads.ts'

/** Deletes one of the account's files, and its bytes where no other record names them; 6004, and 6008 while a task needs it. */
export async function deleteFile(
  shelf: FileStorage,
  file: { accountId: number; id: string; now: number },
): Promise<FileRow> {
  const deleted = await shelf.db.transaction().execute(async (trx) => {
    // As creation does: a task either sees the file gone, or is seen here.
    await lockAccount(trx, file.accountId)
    const row = await findOwnFile(trx, file)
    const task = await findActiveTaskUsing(trx, row.id)
    if (task)
      throw new MediaError(6008, `${row.name} is needed by the task ${task.id}, which is ${task.status}`)
    await trx.deleteFrom('task_files').where('file_id', '=', row.id).execute()
    await trx.deleteFrom('files').where('id', '=', row.id).execute()
    return row
  })
  failpoint('file.deleted')
  await removeUnreferencedContent(shelf, deleted.blake3)
  return deleted
}

/** Which files are to go. */
interface RemoveOldFilesOptions {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Days that a file is kept since it was uploaded, renewed or made; left out, until it expires. */
  readonly keepDays?: number
  /** Left out, those of all. */
  readonly accountId?: number
  /** Told of each file as it goes. */
  readonly onRemoved?: ((file: RemovedFile) => void) | undefined
  /** Ends the work early. */
  readonly signal?: AbortSignal
}

interface RemoveOldFilesResult {
  readonly files: number
  /** Bytes that the files of their accounts no longer take. */
  readonly bytes: number
}

const retentionDayMs = 24 * 3600 * 1000

/**
 * Frees the bytes of old files that no live task needs. Their records stay, expired: uploaded again, a file
 * keeps its id.
 */
export async function removeOldFiles(
  shelf: FileStorage,
  { now, signal, onRemoved: onFreed, ...old }: RemoveOldFilesOptions,
): Promise<RemoveOldFilesResult> {
  const expiringBy = now + (retentionDays - (old.keepDays ?? retentionDays)) * retentionDayMs
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
    await removeUnreferencedContent(shelf, file.blake3)
    // Whether another account has the same bytes must not show.
    const { account_id: accountId, blake3 } = file
    if (!(await accountHasContent(shelf.db, { accountId, blake3 }))) freed.bytes += file.size
  }
  return freed
}

/** False for a file that was renewed or deleted meanwhile, or is needed. */
async function markRemoved(
  { db }: FileStorage,
  { id, account_id }: { id: string; account_id: number },
  { now, expiringBy }: { now: number; expiringBy: number },
): Promise<boolean> {
  return await db.transaction().execute(async (trx) => {
    await lockAccount(trx, account_id)
    if (await findActiveTaskUsing(trx, id)) return false
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

/**
 * Frees bytes that no record names: what was stored as a process died before its commit, or was to be
 * freed after it. Only for a service that holds the store alone and has not begun to accept.
 */
export async function removeOrphans(db: Db, files: FileStore): Promise<void> {
  for await (const { blake3 } of files.list()) {
    if (!(await isContentReferenced(db, blake3))) await files.remove(blake3)
  }
  for await (const id of files.listUploads()) {
    if (!(await isUploadOpen(db, id))) await files.discard(id)
  }
}
