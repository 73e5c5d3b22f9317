import { readFile } from 'node:fs/promises'
import { MediaError } from '../contract/errors.ts'
import { lockBlake3 } from '../db/queries.ts'
import type { Db, FileRow, WriteTransaction } from '../db/schema.ts'
import type { FileStore } from './store.ts'

/** Where files are recorded, and where their bytes are. */
export interface FileStorage {
  readonly db: Db
  readonly files: FileStore
}

/** Of a file that is gone what names the pictures that were kept of it. */
export type RemovedFile = Pick<FileRow, 'account_id' | 'blake3' | 'ext'>

/**
 * Sees that bytes are there until the end of a transaction that records them: what was stored before it may
 * have been freed since. Throws 6036, retryable, where they are not.
 */
export async function requireContent(trx: WriteTransaction, files: FileStore, blake3: string): Promise<void> {
  await lockBlake3(trx, blake3)
  if (await files.has(blake3)) return
  throw new MediaError(6036, 'the bytes were removed with another file as they came')
}

/** All of a file; whoever asks sees that it is not too large. */
export async function readFileBytes(
  files: FileStore,
  row: FileRow,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  return await files.withLocalPath(row, (path) => readFile(path, { signal }))
}

/** All of a file as text; whoever asks sees that it is not too large. */
export async function readFileText(files: FileStore, row: FileRow, signal?: AbortSignal): Promise<string> {
  return await files.withLocalPath(row, (path) => readFile(path, { encoding: 'utf8', signal }))
}

/** Whether a record names these bytes, of whichever account; one that lost them to retention does not. */
export async function isContentReferenced(db: Db, blake3: string): Promise<boolean> {
  const row = await db
    .selectFrom('files')
    .select('id')
    .where('blake3', '=', blake3)
    .where('removed_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether one of an account's files keeps these bytes. */
export async function accountHasContent(
  db: Db,
  { accountId, blake3 }: { accountId: number; blake3: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('files')
    .select('id')
    .where('account_id', '=', accountId)
    .where('blake3', '=', blake3)
    .where('removed_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Frees bytes unless a record names them. In a transaction after the one that took the last name: what
 * stops between them leaves bytes without a record, which the next start frees, and never the reverse.
 */
export async function removeUnreferencedContent({ db, files }: FileStorage, blake3: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockBlake3(trx, blake3)
    if (!(await isContentReferenced(trx, blake3))) await files.remove(blake3)
  })
}
