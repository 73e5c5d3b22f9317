import { MediaError } from '../contract/errors.ts'
import { summarizeList } from '../contract/format.ts'
import { maxListedMissing } from '../contract/upload.ts'
import type { FileRow, UploadRow } from '../db/schema.ts'
import { failpoint } from '../platform/failpoint.ts'
import { renewOrInsertFile } from './records.ts'
import type { StoredBytes } from './store.ts'
import {
  uploadMutex,
  findUpload,
  missingParts,
  uploadNotFound,
  type UploadStorage,
  type UploadKey,
} from './uploads.ts'

/**
 * Turns the parts of an upload into a file. Repeating the call returns the same record. Throws 6024 for an unknown
 * upload, 6027 with the missing parts, 6028 for a wrong size, 6026 for a wrong hash, and 6036.
 */
export async function completeUpload(storage: UploadStorage, key: UploadKey): Promise<FileRow> {
  return await uploadMutex(key.id, async () => {
    const upload = await findUpload(storage, key)
    if (upload.file_id !== null) return await completedFile(storage, upload, upload.file_id)
    const missing = await missingParts(storage.db, upload)
    if (missing.length > 0) throw partsMissing(missing)
    const bytes = await storage.files.assemble(upload.id, upload)
    failpoint('upload.complete.before-commit')
    const row = await recordCompletion(storage, upload, bytes)
    failpoint('upload.complete.after-commit')
    await storage.files.discard(upload.id)
    return row
  })
}

function partsMissing(missing: readonly number[]): MediaError {
  const listed = summarizeList(missing.map(String), maxListedMissing, ', ')
  return new MediaError(6027, `parts are missing: ${listed}`)
}

async function recordCompletion(
  { db, files, clock }: UploadStorage,
  upload: UploadRow,
  bytes: StoredBytes,
): Promise<FileRow> {
  return await db.transaction().execute(async (trx) => {
    const row = await renewOrInsertFile(trx, files, {
      accountId: upload.account_id,
      name: upload.name,
      bytes,
      now: clock(),
    })
    const done = await trx
      .updateTable('uploads')
      .set({ file_id: row.id })
      .where('id', '=', upload.id)
      .returning('id')
      .executeTakeFirst()
    if (!done) throw uploadNotFound(upload.id)
    await trx.deleteFrom('upload_parts').where('upload_id', '=', upload.id).execute()
    return row
  })
}

async function completedFile(
  { db, clock }: UploadStorage,
  { id }: UploadRow,
  fileId: string,
): Promise<FileRow> {
  const row = await db
    .selectFrom('files')
    .selectAll()
    .where('id', '=', fileId)
    .where('expire_at', '>', clock())
    .executeTakeFirst()
  if (!row)
    throw new MediaError(6024, `the upload ${id} is complete, but its file was deleted or has expired`)
  return row
}
