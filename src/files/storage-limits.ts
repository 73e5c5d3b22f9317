import { MediaError } from '../contract/errors.ts'
import { describeSize } from '../contract/format.ts'
import type { Db } from '../db/schema.ts'
import type { FileStorage } from './content.ts'

/** File storage with a quota per account. */
export interface BoundedFileStorage extends FileStorage {
  /** Most bytes that the files of one account may use; Infinity for no quota. */
  readonly storageQuota: number
}

/** Disk space reserved for the database and running tasks: 256 MiB. */
const reservedBytes = 2 ** 28

/**
 * Bytes used by an account's files, by questions and kept steps of its tasks that wait for answers, by inline images of its
 * unfinished tasks, and the declared size of its open uploads. Equal content of files counts once.
 */
export async function storageUsed(db: Db, accountId: number): Promise<number> {
  const files = await db
    .selectFrom((from) =>
      from
        .selectFrom('files')
        .select(['blake3', 'size'])
        .distinct()
        .where('account_id', '=', accountId)
        .where('removed_at', 'is', null)
        .as('held'),
    )
    .select(({ fn }) => fn.sum('size').as('bytes'))
    .executeTakeFirstOrThrow()
  const uploads = await db
    .selectFrom('uploads')
    .select(({ fn }) => fn.sum('size').as('bytes'))
    .where('account_id', '=', accountId)
    .where('file_id', 'is', null)
    .executeTakeFirstOrThrow()
  const questions = await db
    .selectFrom('questions')
    .innerJoin('tasks', 'tasks.id', 'questions.task_id')
    .select(({ fn }) => fn.sum('questions.bytes').as('bytes'))
    .where('tasks.account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  const steps = await db
    .selectFrom('tasks')
    .select(({ fn }) => fn.sum('steps_bytes').as('bytes'))
    .where('account_id', '=', accountId)
    .where('steps_bytes', '>', 0)
    .executeTakeFirstOrThrow()
  const images = await db
    .selectFrom('task_images')
    .innerJoin('tasks', 'tasks.id', 'task_images.task_id')
    .select(({ fn }) => fn.sum('size').as('bytes'))
    .where('tasks.account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return [files, uploads, questions, steps, images].reduce((sum, { bytes }) => sum + Number(bytes), 0)
}

/**
 * Throws 6002 when this many more bytes exceed the account's quota. Lock the account first to exclude concurrent
 * uploads.
 */
export async function checkQuota(
  { db, storageQuota }: Pick<BoundedFileStorage, 'db' | 'storageQuota'>,
  { accountId, size }: { accountId: number; size: number },
): Promise<void> {
  if (storageQuota === Infinity) return
  const taken = await storageUsed(db, accountId)
  if (taken + size <= storageQuota) return
  throw new MediaError(
    6002,
    `the file needs ${describeSize(size)}, but the files of this account use ${describeSize(taken)} of ${describeSize(storageQuota)}`,
    {
      hint:
        'Delete files, or remove older ones: reelwright clean --keep-days <days>. Open uploads count too, ' +
        'interrupted ones for 72 hours.',
    },
  )
}

/**
 * Checks the quota before the content arrives, when its size is only known to be between `minBytes` and `maxBytes`.
 * Passes when `minBytes` is 0, or when the account has a file of such a size: the content may be equal and then uses
 * no space.
 */
export async function checkQuotaEarly(
  storage: BoundedFileStorage,
  { accountId, minBytes, maxBytes }: { accountId: number; minBytes: number; maxBytes: number },
): Promise<void> {
  if (minBytes === 0) return
  const sameSize = await storage.db
    .selectFrom('files')
    .select('id')
    .where('account_id', '=', accountId)
    .where('size', '>=', minBytes)
    .where('size', '<=', maxBytes)
    .where('removed_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  if (!sameSize) await checkQuota(storage, { accountId, size: minBytes })
}

/** Throws 6002 when the disk has too little space beside the reserve and the missing bytes of open uploads. */
export async function checkDiskSpace({ db, files }: FileStorage, size: number): Promise<void> {
  const free = await files.freeSpace()
  const promised = await pendingUploadBytes(db)
  if (size + promised + reservedBytes <= free) return
  const reserved = describeSize(promised + reservedBytes)
  throw new MediaError(
    6002,
    `the service has no space for this file: ${describeSize(free)} are free, and tasks and other uploads need ${reserved}`,
    { hint: 'Free space on the service: reelwright clean --keep-days <days> removes older files.' },
  )
}

/** Declared bytes of open uploads that are not stored yet. */
async function pendingUploadBytes(db: Db): Promise<number> {
  const rows = await db
    .selectFrom('uploads')
    .leftJoin('upload_parts', 'upload_parts.upload_id', 'uploads.id')
    .select(['uploads.id', 'uploads.size', 'uploads.part_size'])
    .select(({ fn }) => fn.count('upload_parts.part').as('parts'))
    .where('uploads.file_id', 'is', null)
    .groupBy(['uploads.id', 'uploads.size', 'uploads.part_size'])
    .execute()
  return rows.reduce((sum, row) => sum + Math.max(0, row.size - Number(row.parts) * row.part_size), 0)
}
