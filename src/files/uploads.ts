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
import type { FileStorage } from './content.ts'
import { checkDiskSpace, checkQuota, type BoundedFileStorage } from './storage-limits.ts'

/** The parts of the service that uploads use. */
export interface UploadStorage extends FileStorage {
  /** Milliseconds since 1970. */
  readonly clock: () => number
}

/** Identifies an upload of an account. */
export interface UploadKey {
  readonly accountId: number
  /** As sent by the client. */
  readonly id: string
}

const sessionMs = sessionHours * 3_600_000

/** An upload idle for longer does not keep the service alive, ms. It can resume after a restart. */
const activeUploadMs = 5 * 60_000

/** Serialises completing an upload, overwriting one of its parts and removing it, by upload id. */
export const uploadMutex = keyedMutex()

/** The file that a client wants to upload in parts. */
interface DeclaredUpload {
  readonly accountId: number
  readonly name: string
  readonly size: number
  readonly blake3: string | null
}

/**
 * Creates an upload, or finds the open one of the same content and name, which can be resumed; `isNew` is false
 * then. Throws 6002 when a new one exceeds the quota or the free disk space.
 */
export async function createOrResumeUpload(
  storage: UploadStorage & BoundedFileStorage,
  file: DeclaredUpload,
): Promise<{ upload: UploadRow; isNew: boolean }> {
  const now = storage.clock()
  const begun = await storage.db.transaction().execute(async (trx) => {
    await lockAccount(trx, file.accountId)
    const open = await findOpenUpload(trx, file, now)
    if (open) return { upload: open, isNew: false }
    const bounded = { ...storage, db: trx }
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

/** The open upload of the same content; undefined when there is none or the hash is unknown. */
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

/** Finds an upload, including completed ones. Throws 6024 when it is missing, expired or of another account. */
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

/** Whether an upload exists and is not completed. */
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
  return new MediaError(6024, `upload ${JSON.stringify(id)} does not exist or has expired`)
}

/** Column changes that renew an upload after activity. */
export function renewedExpiry(now: number): Updateable<UploadRow> {
  return { expire_at: now + sessionMs }
}

/** Returns an upload's state and renews it. */
export async function readUploadStatus(storage: UploadStorage, key: UploadKey): Promise<UploadStatus> {
  const { id } = await findUpload(storage, key)
  const upload = await storage.db
    .updateTable('uploads')
    .set(renewedExpiry(storage.clock()))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst()
  if (!upload) throw uploadNotFound(id)
  const missing = await missingParts(storage.db, upload)
  const session = toUploadSession(upload)
  return { ...session, size: upload.size, received: session.total_parts - missing.length, missing }
}

/** Indexes of missing parts, ascending. */
export async function missingParts(db: Db, upload: UploadRow): Promise<number[]> {
  if (upload.file_id !== null) return []
  const rows = await db.selectFrom('upload_parts').select('part').where('upload_id', '=', upload.id).execute()
  const stored = new Set(rows.map(({ part }) => part))
  const all = Array.from({ length: toUploadSession(upload).total_parts }, (_, index) => index)
  return all.filter((index) => !stored.has(index))
}

/** Converts a row to the API's upload session. */
export function toUploadSession({ id, size, part_size, expire_at }: UploadRow): UploadSession {
  return {
    upload_id: id,
    part_size,
    total_parts: partCount({ size, partSize: part_size }),
    expires_at: toSessionTimestamp(expire_at),
  }
}

/**
 * Aborts an upload and removes its parts. Does nothing when it does not exist. The file of a completed upload
 * stays.
 */
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

/** Removes uploads that were inactive for longer than the lifetime of a session. */
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

/** Whether an upload was active in the last minutes, so that the service should keep running. */
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
