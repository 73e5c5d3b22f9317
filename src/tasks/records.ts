import type { Caller } from '../accounts/keys.ts'
import { MediaError } from '../contract/errors.ts'
import { isOwnId, toTimestamp } from '../contract/fields.ts'
import {
  priorities,
  type TaskList,
  type TaskListItem,
  type TaskListQuery,
  type TaskRecord,
  type TaskState,
} from '../contract/task.ts'
import { readPage } from '../db/queries.ts'
import type { Db, TaskRow } from '../db/schema.ts'
import { expectedWaits } from './estimate.ts'
import type { Service } from './service.ts'

/** Converts a row to the task of the contract. */
export function toTaskRecord(row: TaskRow): TaskRecord {
  return {
    task_id: row.id,
    id: row.id,
    task_type: row.type,
    status: row.status,
    progress: row.progress,
    output_result: row.output === null ? null : (JSON.parse(row.output) as Record<string, unknown>),
    ...(row.note !== null && { note: row.note }),
    ...(row.questions_open > 0 && { questions_open: row.questions_open }),
    create_time: toTimestamp(row.created_at),
    update_time: toTimestamp(row.updated_at),
  }
}

/** Returns one of the caller's tasks. Throws 6005 for one that is unknown, another account's or of another type. */
export async function queryTask(
  db: Db,
  caller: Caller,
  asked: { type: string; id: string },
): Promise<TaskRecord> {
  const row = await findOwnTask(db, caller, asked.id)
  if (row.type !== asked.type) throw unknownTaskError(asked.id, ' of this type')
  return toTaskRecord(row)
}

/** Returns one of the caller's tasks and the number of the account's latest event that it reflects. Throws 6005. */
export async function snapshotTask(
  db: Db,
  caller: Caller,
  id: string,
): Promise<{ seq: number; task: TaskRecord }> {
  if (!isOwnId(id)) throw unknownTaskError(id)
  // One statement, as every transition writes both rows in one transaction.
  const row = await db
    .selectFrom('tasks')
    .innerJoin('accounts', 'accounts.id', 'tasks.account_id')
    .selectAll('tasks')
    .select('accounts.event_seq')
    .where('tasks.id', '=', id)
    .where('tasks.account_id', '=', caller.accountId)
    .executeTakeFirst()
  if (!row) throw unknownTaskError(id)
  return { seq: row.event_seq, task: toTaskRecord(row) }
}

/** Returns the row of one of the caller's tasks. Throws 6005. */
export async function findOwnTask(db: Db, caller: Caller, id: string): Promise<TaskRow> {
  if (!isOwnId(id)) throw unknownTaskError(id)
  const row = await db
    .selectFrom('tasks')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', caller.accountId)
    .executeTakeFirst()
  if (!row) throw unknownTaskError(id)
  return row
}

function unknownTaskError(id: string, ofType = ''): MediaError {
  return new MediaError(6005, `there is no task ${JSON.stringify(id)}${ofType}`, {
    hint: ofType === '' ? 'Check the task id, or list the tasks.' : undefined,
  })
}

/** Lists the caller's tasks, newest first. An unknown type has none. */
export async function listTasks(service: Service, caller: Caller, query: TaskListQuery): Promise<TaskList> {
  let rows = service.db.selectFrom('tasks').selectAll().where('account_id', '=', caller.accountId)
  if (query.status !== undefined) rows = rows.where('status', '=', query.status)
  if (query.task_type !== undefined) rows = rows.where('type', '=', query.task_type)
  const { list, ...page } = await readPage(rows, query)
  const isQueued = list.some(({ status }) => status === 'queued')
  const waits = isQueued ? await expectedWaits(service) : new Map<string, number>()
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

interface ListItemContext {
  readonly typeName: string
  /** Expected wait from now while queued; afterwards the wait expected at creation. */
  readonly waitMs: number
  readonly now: number
}

function toListItem(row: TaskRow, { typeName, waitMs, now }: ListItemContext): TaskListItem {
  const attempt = row.started_at === null ? null : (row.finished_at ?? now) - row.started_at
  const worked = attempt === null && row.worked_ms === 0 ? null : row.worked_ms + (attempt ?? 0)
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
    ...(row.questions_open > 0 && { questions_open: row.questions_open }),
    task_type_key: row.type,
    task_type_name: typeName,
  }
}

/** Counts an account's unfinished tasks. */
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
