import { MediaError } from '../contract/errors.ts'
import { extensionOf } from '../contract/file-kind.ts'
import {
  type FileDetails,
  type FileList,
  type FileListQuery,
  type FileRecord,
  retentionDays,
} from '../contract/file.ts'
import { isOwnId, newId, toTimestamp } from '../contract/fields.ts'
import { downloadUrl } from '../contract/routes.ts'
import { isTerminal, taskStates } from '../contract/task.ts'
import { lockAccount, readPage } from '../db/queries.ts'
import type { Db, FileRow, WriteTransaction } from '../db/schema.ts'
import { failpoint } from '../platform/failpoint.ts'
import { accountHasContent, type FileStorage, removeUnreferencedContent, requireContent } from './content.ts'
import { type BoundedFileStorage, checkQuota } from './storage-limits.ts'
import type { FileStore, StoredBytes } from './store.ts'

const retentionMs = retentionDays * 24 * 3600 * 1000

interface NewFileRecord {
  readonly accountId: number
  readonly name: string
  readonly bytes: StoredBytes
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Inserts a file record with a given id. Throws 6036 when the content was removed. */
export async function insertFileRecord(
  trx: WriteTransaction,
  files: FileStore,
  file: NewFileRecord & { readonly id: string },
): Promise<FileRow> {
  await requireContent(trx, files, file.bytes.blake3)
  return await trx
    .insertInto('files')
    .values({
      id: file.id,
      account_id: file.accountId,
      name: file.name,
      size: file.bytes.size,
      blake3: file.bytes.blake3,
      ext: extensionOf(file.name),
      facts: null,
      created_at: file.now,
      expire_at: file.now + retentionMs,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * Records an upload. Renews and reuses the account's own record with the same content and extension. Throws 6036,
 * or 6002 when new content exceeds the account's quota; the content is removed then.
 */
export async function recordUpload(storage: BoundedFileStorage, file: NewFileRecord): Promise<FileRow> {
  try {
    const row = await storage.db.transaction().execute(async (trx) => {
      const { accountId, bytes } = file
      await lockAccount(trx, accountId)
      if (!(await accountHasContent(trx, { accountId, blake3: bytes.blake3 }))) {
        await checkQuota({ ...storage, db: trx }, { accountId, size: bytes.size })
      }
      const recorded = await renewOrInsertFile(trx, storage.files, file)
      failpoint('upload.before-commit')
      return recorded
    })
    failpoint('upload.after-commit')
    return row
  } catch (error) {
    if (error instanceof MediaError && error.code === 6002)
      await removeUnreferencedContent(storage, file.bytes.blake3)
    throw error
  }
}

/** Records content as if it had been uploaded again; null when the account has no unexpired file with it. */
export async function recordExistingContent(
  { db, files }: FileStorage,
  file: NewFileRecord,
): Promise<FileRow | null> {
  return await db.transaction().execute(async (trx) => {
    await lockAccount(trx, file.accountId)
    const held = await trx
      .selectFrom('files')
      .select('id')
      .where('account_id', '=', file.accountId)
      .where('blake3', '=', file.bytes.blake3)
      .where('size', '=', file.bytes.size)
      .where('expire_at', '>', file.now)
      .limit(1)
      .executeTakeFirst()
    return held ? await renewOrInsertFile(trx, files, file) : null
  })
}

/**
 * Renews or inserts a file record. The transaction must not have written before. Throws 6036 when the content was
 * removed.
 */
export async function renewOrInsertFile(
  trx: WriteTransaction,
  files: FileStore,
  file: NewFileRecord,
): Promise<FileRow> {
  // Serialises equal concurrent uploads: the second finds the record of the first.
  await lockAccount(trx, file.accountId)
  const known = await trx
    .selectFrom('files')
    .select('id')
    .where('account_id', '=', file.accountId)
    .where('blake3', '=', file.bytes.blake3)
    .where('ext', '=', extensionOf(file.name))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (!known) return await insertFileRecord(trx, files, { ...file, id: newId(file.now) })
  await requireContent(trx, files, file.bytes.blake3)
  return await trx
    .updateTable('files')
    .set({ expire_at: file.now + retentionMs, removed_at: null })
    .where('id', '=', known.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Finds a file of the account. Throws 6004 when it is missing, expired or of another account. */
export async function findOwnFile(
  db: Db,
  file: { accountId: number; id: string; now: number },
): Promise<FileRow> {
  const row = await findAnyFile(db, file)
  if (row.account_id !== file.accountId) throw fileNotFound(file.id)
  return row
}

/** Finds a file of any account, for access by a signed link. Throws 6004 when it is missing or expired. */
export async function findAnyFile(db: Db, { id, now }: { id: string; now: number }): Promise<FileRow> {
  const row =
    isOwnId(id) &&
    (await db
      .selectFrom('files')
      .selectAll()
      .where('id', '=', id)
      .where('expire_at', '>', now)
      .executeTakeFirst())
  if (!row) throw fileNotFound(id)
  return row
}

function fileNotFound(id: string): MediaError {
  return new MediaError(6004, `file ${JSON.stringify(id)} does not exist or has expired`)
}

/** Converts a row to the API's file record. */
export function toFileRecord(row: FileRow, now: number): FileRecord {
  return {
    file_id: row.id,
    original_name: row.name,
    size: row.size,
    blake3_id: row.blake3,
    base_ext: row.ext,
    download_url: downloadUrl(row.id),
    created_at: toTimestamp(row.created_at),
    expire_at: toTimestamp(row.expire_at),
    is_expired: row.expire_at <= now,
  }
}

/** Converts a row to the API's file details. */
export function toFileDetails(row: FileRow, now: number): FileDetails {
  return { ...toFileRecord(row, now), upload_user_id: row.account_id }
}

/** Lists the account's unexpired files, newest first, optionally those of one task. `now` in ms since 1970. */
export async function listFiles(
  db: Db,
  { accountId, now }: { accountId: number; now: number },
  query: FileListQuery,
): Promise<FileList> {
  let rows = db
    .selectFrom('files')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('expire_at', '>', now)
  if (query.task_id !== undefined) {
    const taskId = isOwnId(query.task_id) ? query.task_id : ''
    rows = rows.where('id', 'in', (eb) =>
      eb.selectFrom('task_files').select('file_id').where('task_id', '=', taskId),
    )
  }
  const { list, ...page } = await readPage(rows, query)
  return { list: list.map((row) => toFileRecord(row, now)), ...page }
}

const activeStates = taskStates.filter((state) => !isTerminal(state))

/** Finds an unfinished task with this file as an input; undefined when there is none. */
export async function findActiveTaskUsing(db: Db, fileId: string) {
  return await db
    .selectFrom('task_files')
    .innerJoin('tasks', 'tasks.id', 'task_files.task_id')
    .select(['tasks.id', 'tasks.status'])
    .where('file_id', '=', fileId)
    .where('role', '=', 'input')
    .where('status', 'in', activeStates)
    .limit(1)
    .executeTakeFirst()
}
