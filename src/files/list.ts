import type { FileList, FileListQuery } from '../contract/file.ts'
import { isOwnId } from '../contract/id.ts'
import type { Db } from '../db/schema.ts'
import { toRecord } from './records.ts'

/** Lists the account's files that have not expired, newest first, or one task's of them; `now` in ms since 1970. */
export async function listFiles(
  db: Db,
  { accountId, now }: { accountId: number; now: number },
  query: FileListQuery,
): Promise<FileList> {
  let rows = db.selectFrom('files').where('account_id', '=', accountId).where('expire_at', '>', now)
  if (query.task_id !== undefined) {
    const taskId = isOwnId(query.task_id) ? query.task_id : ''
    rows = rows.where('id', 'in', (eb) =>
      eb.selectFrom('task_files').select('file_id').where('task_id', '=', taskId),
    )
  }
  const { total } = await rows.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const page = await rows
    .selectAll()
    .orderBy('id', 'desc')
    .limit(query.page_size)
    .offset((query.page - 1) * query.page_size)
    .execute()
  return {
    list: page.map((row) => toRecord(row, now)),
    total,
    page: query.page,
    page_size: query.page_size,
  }
}
