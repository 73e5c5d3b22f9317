import { MediaError } from '../contract/errors.ts'
import { describeSize } from '../contract/format.ts'
import type { Db } from '../db/schema.ts'
import type { FileStorage } from './content.ts'

/** A store whose accounts are bounded. */
export interface BoundedFileStorage extends FileStorage {
  /** Bytes that the files of one account may take; infinite where nobody set a bound. */
  readonly storageQuota: number
}

/** What uploads leave free on the disk for the database and the work of tasks: 256 MiB. */
const reservedBytes = 2 ** 28

/** Bytes that an account's files take, those of uploads under way as declared; equal bytes count once. */
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
  return Number(files.bytes) + Number(uploads.bytes)
}

/** Refuses, 6002, bytes that an account's quota does not hold beside what it has; its row is locked, or may be passed by others at once. */
export async function checkQuota(
  { db, storageQuota }: Pick<BoundedFileStorage, 'db' | 'storageQuota'>,
  { accountId, size }: { accountId: number; size: number },
): Promise<void> {
  if (storageQuota === Infinity) return
  const taken = await storageUsed(db, accountId)
  if (taken + size <= storageQuota) return
  throw new MediaError(
    6002,
    `${describeSize(size)} do not fit: the files of this account take ${describeSize(taken)} of ${describeSize(storageQuota)}`,
    {
      hint:
        'Delete files, or remove older ones: reelwright clean --keep-days <days>. Uploads under way count too, ' +
        'those that broke off for 72 hours.',
    },
  )
}

/**
 * The same of bytes that are still to come, and are between `least` and `most`. Let in is what is too short to be
 * worth it, and what may be bytes that the account has already, which take nothing: their fingerprint is known later.
 */
export async function checkQuotaEarly(
  shelf: BoundedFileStorage,
  { accountId, least, most }: { accountId: number; least: number; most: number },
): Promise<void> {
  if (least === 0) return
  const alike = await shelf.db
    .selectFrom('files')
    .select('id')
    .where('account_id', '=', accountId)
    .where('size', '>=', least)
    .where('size', '<=', most)
    .where('removed_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  if (!alike) await checkQuota(shelf, { accountId, size: least })
}

/** Refuses, 6002, bytes for which the disk has no space beside what uploads under way are still to bring. */
export async function checkDiskSpace({ db, files }: FileStorage, size: number): Promise<void> {
  const free = await files.freeSpace()
  const promised = await pendingUploadBytes(db)
  if (size + promised + reservedBytes <= free) return
  const spoken = describeSize(promised + reservedBytes)
  throw new MediaError(
    6002,
    `the service has no space for this file: ${describeSize(free)} are free, and its work and other uploads need ${spoken}`,
    { hint: 'Free space on the service: reelwright clean --keep-days <days> removes older files.' },
  )
}

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
