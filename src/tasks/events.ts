import { EventEmitter } from 'node:events'
import type { TaskEvent, TaskRecord } from '../contract/task.ts'
import type { Db, TaskRow, WriteTransaction } from '../db/schema.ts'
import { toTaskRecord } from './records.ts'
import type { Service } from './service.ts'

interface PublishedEvent {
  readonly accountId: number
  readonly event: Extract<TaskEvent, { event: 'status' | 'progress' }>
}

/** Publishes changes of tasks within this process, after their commit. */
export class TaskEvents {
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  publish(accountId: number, event: PublishedEvent['event']): void {
    this.#emitter.emit('event', { accountId, event } satisfies PublishedEvent)
  }

  /** Publishes that a task has ended. */
  publishEnd(taskId: string): void {
    this.#emitter.emit(`end of ${taskId}`)
  }

  /** Returns a signal that is aborted when the task ends. */
  watchEnd(taskId: string): Disposable & { readonly signal: AbortSignal } {
    const end = new AbortController()
    const abort = () => end.abort()
    this.#emitter.once(`end of ${taskId}`, abort)
    return { signal: end.signal, [Symbol.dispose]: () => this.#emitter.off(`end of ${taskId}`, abort) }
  }

  /** Calls `listener` for every event of an account. Returns the function that unsubscribes it. */
  subscribe(accountId: number, listener: (event: PublishedEvent['event']) => void): () => void {
    const filtered = (published: PublishedEvent): void => {
      if (published.accountId === accountId) listener(published.event)
    }
    this.#emitter.on('event', filtered)
    return () => this.#emitter.off('event', filtered)
  }
}

/** Retention of status events, ms. */
const eventRetentionMs = 7 * 24 * 3600 * 1000

/**
 * Stores a status event of a task and returns its number, within the transaction that changed the task; the account is
 * locked already. Returns null for synchronous operations, which have no events.
 */
export async function recordEvent(
  service: Service,
  trx: WriteTransaction,
  { row, now }: { row: TaskRow; now: number },
): Promise<number | null> {
  if (hasNoEvents(service, row)) return null
  const { event_seq: seq } = await trx
    .updateTable('accounts')
    .set((eb) => ({ event_seq: eb('event_seq', '+', 1) }))
    .where('id', '=', row.account_id)
    .returning('event_seq')
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('events')
    .values({
      account_id: row.account_id,
      seq,
      task_id: row.id,
      task: JSON.stringify(toTaskRecord(row)),
      created_at: now,
    })
    .execute()
  return seq
}

/** Whether changes of a task are not published, as its operation is synchronous. */
export function hasNoEvents({ operations }: Service, { type }: Pick<TaskRow, 'type'>): boolean {
  return operations.get(type)?.operation.synchronous ?? false
}

/** Range of an account's stored events: those after `removed`, up to `last`. */
export async function retainedEventRange(
  db: Db,
  accountId: number,
): Promise<{ removed: number; last: number }> {
  const { last, first } = await db
    .selectFrom('accounts')
    .select((eb) => [
      'event_seq as last',
      eb
        .selectFrom('events')
        .select((inner) => inner.fn.min('seq').as('first'))
        .whereRef('events.account_id', '=', 'accounts.id')
        .as('first'),
    ])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return { removed: first === null ? last : first - 1, last }
}

/** Lists an account's events after number `seq`, in order, at most `limit`. */
export async function listEventsAfter(
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

/** Removes status events older than 7 days. */
export async function removeExpiredEvents({ db, clock }: Service): Promise<void> {
  const old = await db
    .selectFrom('events')
    .select((eb) => ['account_id', eb.fn.max('seq').as('last')])
    .where('created_at', '<=', clock() - eventRetentionMs)
    .groupBy('account_id')
    .execute()
  // By number, so that the rest has no gap even if the clock went back between two events.
  for (const { account_id, last } of old) {
    await db.deleteFrom('events').where('account_id', '=', account_id).where('seq', '<=', last).execute()
  }
}
