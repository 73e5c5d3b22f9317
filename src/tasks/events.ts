import { EventEmitter } from 'node:events'
import type { TaskEvent, TaskRecord } from '../contract/task.ts'
import type { Db, TaskRow, WriteTransaction } from '../db/schema.ts'
import { toTaskRecord } from './records.ts'
import type { Service } from './service.ts'

interface PublishedEvent {
  readonly accountId: number
  readonly event: Extract<TaskEvent, { event: 'status' | 'progress' }>
}

/** What happened to tasks, told in this process after the commit. */
export class TaskEvents {
  readonly #emitter = new EventEmitter().setMaxListeners(0)

  publish(accountId: number, event: PublishedEvent['event']): void {
    this.#emitter.emit('event', { accountId, event } satisfies PublishedEvent)
  }

  /** Tells that a task has ended. */
  publishEnd(taskId: string): void {
    this.#emitter.emit(`end of ${taskId}`)
  }

  /** Aborted when a task ends, whoever ends it. */
  watchEnd(taskId: string): Disposable & { readonly signal: AbortSignal } {
    const end = new AbortController()
    const tell = () => end.abort()
    this.#emitter.once(`end of ${taskId}`, tell)
    return { signal: end.signal, [Symbol.dispose]: () => this.#emitter.off(`end of ${taskId}`, tell) }
  }

  /** Calls the listener for every event of one account until the returned function is called. */
  subscribe(accountId: number, listener: (event: PublishedEvent['event']) => void): () => void {
    const filtered = (published: PublishedEvent): void => {
      if (published.accountId === accountId) listener(published.event)
    }
    this.#emitter.on('event', filtered)
    return () => this.#emitter.off('event', filtered)
  }
}

/** How long status events are kept, ms. */
const eventRetentionMs = 7 * 24 * 3600 * 1000

/**
 * Numbers and writes a status event of a task, in the transaction that made it; the account is locked already. Of a
 * synchronous operation there are none: null.
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

/** Whether nobody is told of a task as it changes. */
export function hasNoEvents({ operations }: Service, { type }: Pick<TaskRow, 'type'>): boolean {
  return operations.get(type)?.operation.synchronous ?? false
}

/** The numbers an account's followers can go on from: those after `removed`, up to `last`, are kept. */
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

/** Events of an account after a number, in order, at most `limit`. */
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
  // By number, so that what stays has no gap though the clock may have gone back between two events.
  for (const { account_id, last } of old) {
    await db.deleteFrom('events').where('account_id', '=', account_id).where('seq', '<=', last).execute()
  }
}
