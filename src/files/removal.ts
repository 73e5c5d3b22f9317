import { MediaError } from '../contract/errors.ts'
import { retentionDays } from '../contract/file.ts'
import { lockAccount } from '../db/queries.ts'
import type { Db, FileRow } from '../db/schema.ts'
import { failpoint } from '../platform/failpoint.ts'
import {
  accountHasContent,
  type FileStorage,
  findReferencedContents,
  type RemovedFile,
  removeUnreferencedContent,
} from './content.ts'
import { findActiveTaskUsing, findOwnFile } from './records.ts'
import type { FileStore } from './store.ts'
import { isUploadOpen } from './uploads.ts'

/**
 * Deletes a file of the account, and its content when no other record references it. Throws 6004 for an unknown
 * file, 6008 while a task needs it.
 */
export async function deleteFile(
  storage: FileStorage,
  file: { accountId: number; id: string; now: number },
): Promise<FileRow> {
  const deleted = await storage.db.transaction().execute(async (trx) => {
    // Task creation takes the same lock: either it finds the file deleted, or this finds the task.
    await lockAccount(trx, file.accountId)
    const row = await findOwnFile(trx, file)
    const task = await findActiveTaskUsing(trx, row.id)
    if (task)
      throw new MediaError(6008, `${row.name} is an input of the task ${task.id}, which is ${task.status}`)
    await trx.deleteFrom('task_files').where('file_id', '=', row.id).execute()
    await trx.deleteFrom('files').where('id', '=', row.id).execute()
    return row
  })
  failpoint('file.deleted')
  await removeUnreferencedContent(storage, deleted.blake3)
  return deleted
}

/** Selects the files to remove. */
interface RemoveOldFilesOptions {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Days to keep a file after it was uploaded, renewed or created; by default until it expires. */
  readonly keepDays?: number
  /** By default all accounts. */
  readonly accountId?: number
  /** Called with each removed file. */
  readonly onRemoved?: ((file: RemovedFile) => void) | undefined
  /** Stops early. */
  readonly signal?: AbortSignal
}

interface RemoveOldFilesResult {
  readonly files: number
  /** Storage freed for the accounts, bytes. */
  readonly bytes: number
}

const retentionDayMs = 24 * 3600 * 1000

/**
 * Removes the content of old files that no unfinished task needs. Their records stay as expired, so that a file
 * keeps its id when uploaded again.
 */
export async function removeFilesByAge(
  storage: FileStorage,
  { now, signal, onRemoved, ...old }: RemoveOldFilesOptions,
): Promise<RemoveOldFilesResult> {
  const expiringBy = now + (retentionDays - (old.keepDays ?? retentionDays)) * retentionDayMs
  const files = await storage.db
    .selectFrom('files')
    .select(['id', 'account_id', 'blake3', 'ext', 'size'])
    .where('expire_at', '<=', expiringBy)
    .where('removed_at', 'is', null)
    .$if(old.accountId !== undefined, (query) => query.where('account_id', '=', Number(old.accountId)))
    .execute()
  const freed = { files: 0, bytes: 0 }
  for (const file of files) {
    if (signal?.aborted) break
    if (!(await markRemoved(storage, file, { now, expiringBy }))) continue
    freed.files += 1
    onRemoved?.(file)
    await removeUnreferencedContent(storage, file.blake3)
    // Counted per account, so as not to reveal content of other accounts.
    const { account_id: accountId, blake3 } = file
    if (!(await accountHasContent(storage.db, { accountId, blake3 }))) freed.bytes += file.size
  }
  return freed
}

/** Marks a file as removed. Returns false when it was renewed or deleted meanwhile, or a task needs it. */
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
 * Removes content and parts without a record, which a crash can leave behind. Only for the service that uses the store,
 * before it accepts requests; commands may import into the library meanwhile.
 */
export async function removeOrphans(db: Db, files: FileStore): Promise<void> {
  const referenced = await findReferencedContents(db)
  for await (const { blake3 } of files.list()) {
    // An import into the library may record it meanwhile, and locks it for that: the removal checks again.
    if (!referenced.has(blake3)) await removeUnreferencedContent({ db, files }, blake3)
  }
  for await (const id of files.listUploads()) {
    if (!(await isUploadOpen(db, id))) await files.discard(id)
  }
}
