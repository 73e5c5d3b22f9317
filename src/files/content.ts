import { readFile } from 'node:fs/promises'
import { MediaError } from '../contract/errors.ts'
import { lockBlake3 } from '../db/queries.ts'
import type { Db, FileRow, WriteTransaction } from '../db/schema.ts'
import type { FileStore } from './store.ts'

/** The database with file records and the store with their content. */
export interface FileStorage {
  readonly db: Db
  readonly files: FileStore
}

/** The fields of a removed file that identify its cached previews. */
export type RemovedFile = Pick<FileRow, 'account_id' | 'blake3' | 'ext'>

/**
 * Locks the content until the end of a transaction that records it. Throws 6036 (retryable) when it was removed
 * since it was stored.
 */
export async function requireContent(trx: WriteTransaction, files: FileStore, blake3: string): Promise<void> {
  await lockBlake3(trx, blake3)
  if (await files.has(blake3)) return
  throw new MediaError(6036, 'the content was deleted with another file during the upload')
}

/** Reads a whole file. The caller checks its size. */
export async function readFileBytes(
  files: FileStore,
  row: FileRow,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  return await files.withLocalPath(row, (path) => readFile(path, { signal }))
}

/**
 * Whether any account has a file record, an unfinished task an inline image, or a material of the library a picture,
 * preview or kept original with this content. Records whose content retention removed do not count.
 */
export async function isContentReferenced(db: Db, blake3: string): Promise<boolean> {
  const image = await db
    .selectFrom('task_images')
    .select('task_id')
    .where('blake3', '=', blake3)
    .limit(1)
    .executeTakeFirst()
  if (image || (await isMaterialContent(db, blake3))) return true
  const row = await db
    .selectFrom('files')
    .select('id')
    .where('blake3', '=', blake3)
    .where('removed_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Columns of a material that name content. */
const materialContents = ['cover', 'preview', 'thumb', 'kept', 'kept_accompaniment'] as const

async function isMaterialContent(db: Db, blake3: string): Promise<boolean> {
  const material = await db
    .selectFrom('materials')
    .select('id')
    .where((eb) => eb.or(materialContents.map((content) => eb(content, '=', blake3))))
    .limit(1)
    .executeTakeFirst()
  return material !== undefined
}

/** The hashes for which `isContentReferenced` is true, in a few queries. */
export async function findReferencedContents(db: Db): Promise<ReadonlySet<string>> {
  const images = await db.selectFrom('task_images').select('blake3').execute()
  const files = await db.selectFrom('files').select('blake3').where('removed_at', 'is', null).execute()
  const materials = await db.selectFrom('materials').select(materialContents).execute()
  const referenced = new Set([...images, ...files].map(({ blake3 }) => blake3))
  for (const material of materials) {
    for (const column of materialContents) {
      const blake3 = material[column]
      if (blake3 !== null) referenced.add(blake3)
    }
  }
  return referenced
}

/** Whether the account has a file record with this content. */
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
 * Removes content unless a file record references it. Call it after the transaction that removed the last record:
 * a crash in between leaves orphaned content, which the next start removes, and never a record without content.
 */
export async function removeUnreferencedContent({ db, files }: FileStorage, blake3: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockBlake3(trx, blake3)
    if (!(await isContentReferenced(trx, blake3))) await files.remove(blake3)
  })
}
