import type { FileList, FileListQuery } from '../contract/file.ts'
import { isOwnId } from '../contract/id.ts'
import { readPage } from '../db/queries.ts'
import type { Db } from '../db/schema.ts'
import { toRecord } from './records.ts'

/** Lists the account's files that have not expired, newest first, or one task's of them; `now` in ms since 1970. */
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
  return { list: list.map((row) => toRecord(row, now)), ...page }
}
