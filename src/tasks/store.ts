import type { Caller } from '../accounts/keys.ts'
import { MediaError } from '../contract/errors.ts'
import { isOwnId, toTimestamp } from '../contract/fields.ts'
import type { TaskRecord } from '../contract/task.ts'
import type { Db, TaskRow } from '../db/schema.ts'

/** A task as a query answers it. */
export function toTaskRecord(row: TaskRow): TaskRecord {
  return {
    task_id: row.id,
    id: row.id,
    task_type: row.type,
    status: row.status,
    progress: row.progress,
    output_result: row.output === null ? null : (JSON.parse(row.output) as Record<string, unknown>),
    create_time: toTimestamp(row.created_at),
    update_time: toTimestamp(row.updated_at),
  }
}

/** Answers one of the caller's tasks; 6005 for an unknown one, a foreign one or another type's. */
export async function queryTask(
  db: Db,
  caller: Caller,
  asked: { type: string; id: string },
): Promise<TaskRecord> {
  const row = await ownTask(db, caller, asked.id)
  if (row.type !== asked.type) throw unknownTask(asked.id, ' of this type')
  return toTaskRecord(row)
}

/** One of the caller's tasks together with the number of the account's latest event it reflects; 6005. */
export async function snapshotTask(
  db: Db,
  caller: Caller,
  id: string,
): Promise<{ seq: number; task: TaskRecord }> {
  if (!isOwnId(id)) throw unknownTask(id)
  // One statement, as every move writes both rows in one transaction.
  const row = await db
    .selectFrom('tasks')
    .innerJoin('accounts', 'accounts.id', 'tasks.account_id')
    .selectAll('tasks')
    .select('accounts.event_seq')
    .where('tasks.id', '=', id)
    .where('tasks.account_id', '=', caller.accountId)
    .executeTakeFirst()
  if (!row) throw unknownTask(id)
  return { seq: row.event_seq, task: toTaskRecord(row) }
}

/** The row of one of the caller's tasks; 6005. */
export async function ownTask(db: Db, caller: Caller, id: string): Promise<TaskRow> {
  if (!isOwnId(id)) throw unknownTask(id)
  const row = await db
    .selectFrom('tasks')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', caller.accountId)
    .executeTakeFirst()
  if (!row) throw unknownTask(id)
  return row
}

function unknownTask(id: string, ofType = ''): MediaError {
  return new MediaError(6005, `there is no task ${JSON.stringify(id)}${ofType}`, {
    hint: ofType === '' ? 'Check the task id, or list the tasks.' : undefined,
  })
}
