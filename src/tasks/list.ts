import type { Caller } from '../accounts/keys.ts'
import {
  priorities,
  type TaskList,
  type TaskListItem,
  type TaskListQuery,
  type TaskState,
} from '../contract/task.ts'
import { toTimestamp } from '../contract/fields.ts'
import { readPage } from '../db/queries.ts'
import type { Db, TaskRow } from '../db/schema.ts'
import { expectedWaits } from './estimate.ts'
import type { Service } from './service.ts'

/** Lists the caller's tasks, newest first; a type nobody knows has none. */
export async function listTasks(service: Service, caller: Caller, query: TaskListQuery): Promise<TaskList> {
  let rows = service.db.selectFrom('tasks').selectAll().where('account_id', '=', caller.accountId)
  if (query.status !== undefined) rows = rows.where('status', '=', query.status)
  if (query.task_type !== undefined) rows = rows.where('type', '=', query.task_type)
  const { list, ...page } = await readPage(rows, query)
  const waits = await expectedWaits(service)
  const now = service.clock()
  return {
    list: list.map((row) =>
      toListItem(row, {
        typeName: service.operations.get(row.type)?.operation.title ?? row.type,
        waitMs: waits.get(row.id) ?? row.estimated_wait_ms,
        now,
      }),
    ),
    ...page,
  }
}

interface About {
  readonly typeName: string
  /** Expected from now on while it is queued; afterwards what was expected at its creation. */
  readonly waitMs: number
  readonly now: number
}

function toListItem(row: TaskRow, { typeName, waitMs, now }: About): TaskListItem {
  const worked = row.started_at === null ? null : (row.finished_at ?? now) - row.started_at
  return {
    id: row.id,
    status: row.status,
    priority: priorities[row.priority] ?? 'normal',
    progress: row.progress,
    estimated_duration: row.estimated_ms / 1000,
    estimated_queue_wait_duration: waitMs / 1000,
    actual_duration: worked === null ? null : worked / 1000,
    process_start_time: row.started_at === null ? null : toTimestamp(row.started_at),
    finish_time: row.finished_at === null ? null : toTimestamp(row.finished_at),
    create_time: toTimestamp(row.created_at),
    task_type_key: row.type,
    task_type_name: typeName,
  }
}

/** Numbers of the caller's tasks that are not finished. */
export async function countTasks(db: Db, accountId: number): Promise<{ queued: number; processing: number }> {
  const rows = await db
    .selectFrom('tasks')
    .select(['status', (eb) => eb.fn.countAll<number>().as('count')])
    .where('account_id', '=', accountId)
    .where('status', 'in', ['queued', 'processing'])
    .groupBy('status')
    .execute()
  const countOf = (status: TaskState): number => rows.find((row) => row.status === status)?.count ?? 0
  return { queued: countOf('queued'), processing: countOf('processing') }
}
