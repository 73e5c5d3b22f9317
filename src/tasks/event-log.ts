import type { TaskRecord } from '../contract/task.ts'
import type { Db, TaskRow, WriteTransaction } from '../db/schema.ts'
import type { Service } from './service.ts'
import { toTaskRecord } from './store.ts'

/** How long status events are kept, ms. */
const keptMs = 7 * 24 * 3600 * 1000

/**
 * Numbers and writes a status event of a task, in the transaction that made it; the account is locked already. Of a
 * synchronous operation there are none: null.
 */
export async function recordEvent(
  service: Service,
  trx: WriteTransaction,
  { row, now }: { row: TaskRow; now: number },
): Promise<number | null> {
  if (isQuiet(service, row)) return null
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
export function isQuiet({ operations }: Service, { type }: Pick<TaskRow, 'type'>): boolean {
  return operations.get(type)?.operation.synchronous ?? false
}

/** The numbers an account's followers can go on from: those after `removed`, up to `last`, are kept. */
export async function keptEvents(db: Db, accountId: number): Promise<{ removed: number; last: number }> {
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

/** Removes status events older than 7 days. */
export async function removeOldEvents({ db, clock }: Service): Promise<void> {
  const old = await db
    .selectFrom('events')
    .select((eb) => ['account_id', eb.fn.max('seq').as('last')])
    .where('created_at', '<=', clock() - keptMs)
    .groupBy('account_id')
    .execute()
  // By number, so that what stays has no gap though the clock may have gone back between two events.
  for (const { account_id, last } of old) {
    await db.deleteFrom('events').where('account_id', '=', account_id).where('seq', '<=', last).execute()
  }
}
