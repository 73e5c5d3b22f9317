import { MediaError } from '../contract/errors.ts'
import { lockAccount } from '../db/queries.ts'
import type { FileRow } from '../db/schema.ts'
import { failpoint } from '../platform/failpoint.ts'
import { freeBytes, type Shelf } from './bytes.ts'
import { findNeeding } from './needing.ts'
import { findFile } from './records.ts'

/** Deletes one of the account's files, and its bytes where no other record names them; 6004, and 6008 while a task needs it. */
export async function deleteFile(
  shelf: Shelf,
  file: { accountId: number; id: string; now: number },
): Promise<FileRow> {
  const deleted = await shelf.db.transaction().execute(async (trx) => {
    // As creation does: a task either sees the file gone, or is seen here.
    await lockAccount(trx, file.accountId)
    const row = await findFile(trx, file)
    const task = await findNeeding(trx, row.id)
    if (task)
      throw new MediaError(6008, `${row.name} is needed by the task ${task.id}, which is ${task.status}`)
    await trx.deleteFrom('task_files').where('file_id', '=', row.id).execute()
    await trx.deleteFrom('files').where('id', '=', row.id).execute()
    return row
  })
  failpoint('file.deleted')
  await freeBytes(shelf, deleted.blake3)
  return deleted
}
