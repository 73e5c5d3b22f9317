import { nextEvent, refund } from '../accounts/ledger.ts'
import type { Caller } from '../accounts/keys.ts'
import { MediaError } from '../contract/errors.ts'
import { isOwnId } from '../contract/id.ts'
import { isTerminal, nextStates, type TaskRecord, type TaskState } from '../contract/task.ts'
import { toMoment } from '../contract/time.ts'
import type { Db, TaskRow, Write } from '../db/schema.ts'
import { failpoint } from '../platform/failpoint.ts'
import type { Service } from './service.ts'

/** A task as a query answers it. */
export function toTaskRecord(row: TaskRow): TaskRecord {
  return {
    task_id: row.id,
    id: row.id,
    task_type: row.type,
    status: row.status,
    progress: row.progress,
    output_result: row.output === null ? null : (JSON.parse(row.output) as Record<string, unknown>),
    create_time: toMoment(row.created_at),
    update_time: toMoment(row.updated_at),
  }
}

/** Answers one of the caller's tasks; 6005 for an unknown one, a foreign one or another type's. */
export async function queryTask(
  db: Db,
  caller: Caller,
  asked: { type: string; id: string },
): Promise<TaskRecord> {
  const row = await ownTask(db, caller, asked.id)
  if (row.type !== asked.type) throw unknownTask(asked.id)
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

async function ownTask(db: Db, caller: Caller, id: string): Promise<TaskRow> {
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

function unknownTask(id: string): MediaError {
  return new MediaError(6005, `there is no task ${JSON.stringify(id)} of this type`)
}

/** What there is to do instead of cancelling. */
const insteadOfCancel: Partial<Record<TaskState, string>> = {
  processing: 'It goes on: wait for it, or leave its result. Its credits come back only when it fails.',
  completed: 'Nothing to cancel: ask for the task, which tells its result.',
  failed: 'Nothing to cancel: its credits were returned. Ask for the task, which tells why it failed.',
  cancelled: 'Nothing to do: its credits were returned.',
}

/** Cancels one of the caller's tasks that has not started; 6005, 6007. */
export async function cancelTask(service: Service, caller: Caller, id: string): Promise<void> {
  const row = await ownTask(service.db, caller, id)
  const moved = nextStates[row.status].includes('cancelled')
    ? await moveTask(service, row, { to: 'cancelled' })
    : null
  if (moved) return
  const { status } = await ownTask(service.db, caller, id)
  throw new MediaError(6007, `the task is ${status}; only a queued task can be cancelled`, {
    hint: insteadOfCancel[status],
  })
}

/** A change of a task's state and what changes with it. */
export interface Move {
  readonly to: TaskState
  readonly set?: Partial<Pick<TaskRow, 'output' | 'progress' | 'attempts' | 'ready_at' | 'started_at'>>
  /** Further writes of the same transaction. */
  readonly also?: (trx: Write) => Promise<void>
}

class Overtaken extends Error {}

/**
 * Moves a task from the state it was read in: the row, the refund where it fails or is cancelled,
 * and the numbered event in one transaction; then tells followers. Null when it left that state
 * meanwhile.
 */
export async function moveTask(service: Service, task: TaskRow, move: Move): Promise<TaskRow | null> {
  if (!nextStates[task.status].includes(move.to)) {
    throw new Error(`a task cannot go from ${task.status} to ${move.to}`)
  }
  const now = service.clock()
  try {
    const result = await service.db.transaction().execute(async (trx) => {
      const next = await nextEvent(trx, task.account_id)
      const updated = await trx
        .updateTable('tasks')
        .set({
          ...move.set,
          status: move.to,
          updated_at: now,
          ...(isTerminal(move.to) && { finished_at: now }),
        })
        .where('id', '=', task.id)
        .where('status', '=', task.status)
        .returningAll()
        .executeTakeFirst()
      if (!updated) throw new Overtaken()
      if (move.to === 'failed' || move.to === 'cancelled') {
        await refund(trx, { accountId: task.account_id, taskId: task.id, amount: task.credits, now })
      }
      await move.also?.(trx)
      await recordEvent(trx, { seq: next, row: updated, now })
      const announce =
        move.to === 'queued'
          ? await service.queue.enqueue(trx, { id: updated.id, readyAt: updated.ready_at })
          : undefined
      failpoint(`move.${move.to}.before-commit`)
      return { row: updated, seq: next, announce }
    })
    failpoint(`move.${move.to}.after-commit`)
    result.announce?.()
    service.events.publish(task.account_id, {
      event: 'status',
      seq: result.seq,
      task: toTaskRecord(result.row),
    })
    return result.row
  } catch (error) {
    if (error instanceof Overtaken) return null
    throw error
  }
}

/** Writes a status event of a task, in the transaction that made it. */
export async function recordEvent(
  trx: Write,
  event: { seq: number; row: TaskRow; now: number },
): Promise<void> {
  await trx
    .insertInto('events')
    .values({
      account_id: event.row.account_id,
      seq: event.seq,
      task_id: event.row.id,
      task: JSON.stringify(toTaskRecord(event.row)),
      created_at: event.now,
    })
    .execute()
}

/** Number of the account's latest event. */
export async function lastSeq(db: Db, accountId: number): Promise<number> {
  const account = await db
    .selectFrom('accounts')
    .select('event_seq')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return account.event_seq
}

/** Events of an account after a number, in order, at most `limit`. */
export async function eventsAfter(
  db: Db,
  after: { accountId: number; seq: number; limit: number },
): Promise<{ seq: number; task: TaskRecord }[]> {
  const rows = await db
    .selectFrom('events')
    .select(['seq', 'task'])
    .where('account_id', '=', after.accountId)
    .where('seq', '>', after.seq)
    .orderBy('seq')
    .limit(after.limit)
    .execute()
  return rows.map((row) => ({ seq: row.seq, task: JSON.parse(row.task) as TaskRecord }))
}
