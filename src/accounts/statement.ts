import { isOwnId } from '../contract/id.ts'
import type { LedgerPage, LedgerQuery } from '../contract/ledger.ts'
import { toMoment } from '../contract/time.ts'
import type { Db } from '../db/schema.ts'

/** What credits came to an account and went, newest first; with a task id that task's alone, none for what is no id. */
export async function listEntries(db: Db, accountId: number, query: LedgerQuery): Promise<LedgerPage> {
  let rows = db.selectFrom('ledger').where('account_id', '=', accountId)
  if (query.task_id !== undefined) {
    rows = rows.where('task_id', '=', isOwnId(query.task_id) ? query.task_id : '')
  }
  const { total } = await rows.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()
  const page = await rows
    .selectAll()
    .orderBy('id', 'desc')
    .limit(query.page_size)
    .offset((query.page - 1) * query.page_size)
    .execute()
  const list = page.map(({ id, kind, amount, task_id, created_at }) => ({
    ...{ id, kind, amount, task_id },
    create_time: toMoment(created_at),
  }))
  return { list, total, page: query.page, page_size: query.page_size }
}
