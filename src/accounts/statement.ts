import { isOwnId } from '../contract/id.ts'
import type { LedgerPage, LedgerQuery } from '../contract/ledger.ts'
import { toMoment } from '../contract/time.ts'
import { readPage } from '../db/read-page.ts'
import type { Db } from '../db/schema.ts'

/** What credits came to an account and went, newest first; with a task id that task's alone, none for what is no id. */
export async function listEntries(db: Db, accountId: number, query: LedgerQuery): Promise<LedgerPage> {
  let rows = db.selectFrom('ledger').selectAll().where('account_id', '=', accountId)
  if (query.task_id !== undefined) {
    rows = rows.where('task_id', '=', isOwnId(query.task_id) ? query.task_id : '')
  }
  const { list, ...page } = await readPage(rows, query)
  const told = list.map(({ id, kind, amount, task_id, created_at }) => ({
    ...{ id, kind, amount, task_id },
    create_time: toMoment(created_at),
  }))
  return { list: told, ...page }
}
