import type { Updateable } from 'kysely'
import { MediaError } from '../contract/errors.ts'
import { isOwnId, newId } from '../contract/fields.ts'
import {
  partBytes,
  partCount,
  sessionHours,
  toSessionTimestamp,
  type UploadSession,
  type UploadStatus,
} from '../contract/upload.ts'
import { lockAccount } from '../db/queries.ts'
import type { Db, UploadRow } from '../db/schema.ts'
import { failpoint } from '../platform/failpoint.ts'
import { keyedMutex } from '../platform/concurrency.ts'
import type { FileStorage as BytesShelf } from './content.ts'
import { checkDiskSpace, checkQuota, type BoundedFileStorage } from './storage-limits.ts'

/** What uploads need of the service. */
export interface UploadStorage extends BytesShelf {
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** An upload as its account names it. */
export interface UploadKey {
  readonly accountId: number
  /** As the client gave it. */
  readonly id: string
}

const sessionMs = sessionHours * 3_600_000

/** An upload of which nothing came for so long does not keep the service alive: it goes on after a restart, ms. */
const activeUploadMs = 5 * 60_000

/** Completing an upload, giving up one of its parts and removing it wait for each other, by upload. */
export const uploadMutex = keyedMutex()

/** A file that is to come in parts. */
interface DeclaredUpload {
  readonly accountId: number
  readonly name: string
  readonly size: number
  readonly blake3: string | null
}

/**
 * Begins an upload in parts, or finds the open one of the same bytes under the same name, so that it can go on;
 * `isNew` tells which. 6002 for a new one that does not fit in the account's quota or on the disk.
 */
export async function beginUpload(
  shelf: UploadStorage & BoundedFileStorage,
  file: DeclaredUpload,
): Promise<{ upload: UploadRow; isNew: boolean }> {
  const now = shelf.clock()
  const begun = await shelf.db.transaction().execute(async (trx) => {
    await lockAccount(trx, file.accountId)
    const open = await findOpenUpload(trx, file, now)
    if (open) return { upload: open, isNew: false }
    const bounded = { ...shelf, db: trx }
    await checkDiskSpace(bounded, file.size)
    await checkQuota(bounded, file)
    const upload = await trx
      .insertInto('uploads')
      .values({
        id: newId(now),
        account_id: file.accountId,
        name: file.name,
        size: file.size,
        part_size: partBytes,
        blake3: file.blake3,
        file_id: null,
        created_at: now,
        expire_at: now + sessionMs,
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    return { upload, isNew: true }
  })
  failpoint('upload.begun')
  return begun
}

/** Undefined too where nobody said which bytes are to come. */
async function findOpenUpload(db: Db, file: DeclaredUpload, now: number): Promise<UploadRow | undefined> {
  if (file.blake3 === null) return undefined
  return await db
    .selectFrom('uploads')
    .selectAll()
    .where('account_id', '=', file.accountId)
    .where('name', '=', file.name)
    .where('size', '=', file.size)
    .where('blake3', '=', file.blake3)
    .where('file_id', 'is', null)
    .where('expire_at', '>', now)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Finds an upload, completed ones included; 6024 when it is missing, expired or another account's. */
export async function findUpload(
  { db, clock }: UploadStorage,
  { accountId, id }: UploadKey,
): Promise<UploadRow> {
  const row =
    isOwnId(id) &&
    (await db
      .selectFrom('uploads')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .where('expire_at', '>', clock())
      .executeTakeFirst())
  if (!row) throw uploadNotFound(id)
  return row
}

/** Whether an upload is neither completed nor gone. */
export async function isUploadOpen(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('uploads')
    .select('id')
    .where('id', '=', id)
    .where('file_id', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

export function uploadNotFound(id: string): MediaError {
  return new MediaError(6024, `there is no upload ${JSON.stringify(id)}, or it has expired`)
}

/** What an upload is changed by when something comes of it. */
export function renewedExpiry(now: number): Updateable<UploadRow> {
  return { expire_at: now + sessionMs }
}

/** An upload's state; being asked renews it. */
export async function readUploadStatus(shelf: UploadStorage, key: UploadKey): Promise<UploadStatus> {
  const { id } = await findUpload(shelf, key)
  const upload = await shelf.db
    .updateTable('uploads')
    .set(renewedExpiry(shelf.clock()))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!upload) throw uploadNotFound(id)
  const missing = await missingParts(shelf.db, upload)
  const session = toUploadSession(upload)
  return { ...session, size: upload.size, received: session.total_parts - missing.length, missing }
}

/** Indexes of the parts that are not stored, ascending. */
export async function missingParts(db: Db, upload: UploadRow): Promise<number[]> {
  if (upload.file_id !== null) return []
  const rows = await db.selectFrom('upload_parts').select('part').where('upload_id', '=', upload.id).execute()
  const stored = new Set(rows.map(({ part }) => part))
  const all = Array.from({ length: toUploadSession(upload).total_parts }, (_, index) => index)
  return all.filter((index) => !stored.has(index))
}

/** An upload as init answers it. */
export function toUploadSession({ id, size, part_size, expire_at }: UploadRow): UploadSession {
  return {
    upload_id: id,
    part_size,
    total_parts: partCount({ size, partSize: part_size }),
    expires_at: toSessionTimestamp(expire_at),
  }
}

/** Forgets an upload and frees its parts; quiet when there is none. The file of a completed one stays. */
export async function abortUpload({ db, files }: UploadStorage, { accountId, id }: UploadKey): Promise<void> {
  if (!isOwnId(id)) return
  await uploadMutex(id, async () => {
    const gone = await db
      .deleteFrom('uploads')
      .where('id', '=', id)
      .where('account_id', '=', accountId)
      .returning('id')
      .executeTakeFirst()
    if (!gone) return
    failpoint('upload.aborted')
    await files.discard(id)
  })
}

/** Removes the uploads of which nothing came for longer than a session lives. */
export async function removeExpiredUploads({ db, files, clock }: UploadStorage): Promise<void> {
  const expired = await db.selectFrom('uploads').select('id').where('expire_at', '<=', clock()).execute()
  for (const { id } of expired) {
    await uploadMutex(id, async () => {
      const gone = await db
        .deleteFrom('uploads')
        .where('id', '=', id)
        .where('expire_at', '<=', clock())
        .returning('id')
        .executeTakeFirst()
      if (gone) await files.discard(id)
    })
  }
}

/** Whether an upload is being made: between its parts the service should stay. */
export async function hasActiveUpload({ db, clock }: Pick<UploadStorage, 'db' | 'clock'>): Promise<boolean> {
  const row = await db
    .selectFrom('uploads')
    .select('id')
    .where('file_id', 'is', null)
    .where('expire_at', '>', clock() + sessionMs - activeUploadMs)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
