import { describeCredits } from '../contract/credits.ts'
import { MediaError } from '../contract/errors.ts'
import { newId } from '../contract/id.ts'
import type { Db, Write } from '../db/schema.ts'

interface Entry {
  readonly accountId: number
  /** Credits, above 0. */
  readonly amount: number
  readonly now: number
}

type TaskEntry = Entry & {
  readonly taskId: string
  /** Key the task was created with; null for tasks older than that column. */
  readonly keyId: string | null
}

/** Makes an account without credits; quiet when it is there. */
export async function ensureAccount(
  db: Db,
  account: { id: number; name: string; now: number },
): Promise<void> {
  await db
    .insertInto('accounts')
    .values({ id: account.id, name: account.name, balance: 0, event_seq: 0, created_at: account.now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Gives credits to an account. */
export async function grant(db: Db, entry: Entry): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('accounts')
      .set((eb) => ({ balance: eb('balance', '+', entry.amount) }))
      .where('id', '=', entry.accountId)
      .executeTakeFirstOrThrow()
    await record(trx, entry, { kind: 'grant', task_id: null, amount: entry.amount })
  })
}

/**
 * Locks the account, takes credits for a task and numbers the event of its creation, which it
 * returns. The first statement of its transaction. Throws 6202 when the balance does not reach.
 */
export async function hold(trx: Write, entry: TaskEntry): Promise<number> {
  const account = await trx
    .updateTable('accounts')
    .set((eb) => ({ balance: eb('balance', '-', entry.amount), event_seq: eb('event_seq', '+', 1) }))
    .where('id', '=', entry.accountId)
    .where('balance', '>=', entry.amount)
    .returning('event_seq')
    .executeTakeFirst()
  if (!account) {
    const balance = await balanceOf(trx, entry.accountId)
    throw new MediaError(
      6202,
      `this task costs ${describeCredits(entry.amount)}, and the account has ${balance}`,
    )
  }
  await record(trx, entry, { kind: 'hold', task_id: entry.taskId, amount: -entry.amount })
  return account.event_seq
}

/** Locks the account and numbers its next event. The first statement of its transaction. */
export async function nextEvent(trx: Write, accountId: number): Promise<number> {
  const account = await trx
    .updateTable('accounts')
    .set((eb) => ({ event_seq: eb('event_seq', '+', 1) }))
    .where('id', '=', accountId)
    .returning('event_seq')
    .executeTakeFirstOrThrow()
  return account.event_seq
}

/** Gives a task's credits back; the table refuses a second time. The account is locked already. */
export async function refund(trx: Write, entry: TaskEntry): Promise<void> {
  if (entry.amount === 0) return
  await record(trx, entry, { kind: 'refund', task_id: entry.taskId, amount: entry.amount })
  await trx
    .updateTable('accounts')
    .set((eb) => ({ balance: eb('balance', '+', entry.amount) }))
    .where('id', '=', entry.accountId)
    .execute()
}

/** Credits an account may still spend. */
export async function balanceOf(db: Db, accountId: number): Promise<number> {
  const account = await db
    .selectFrom('accounts')
    .select('balance')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return account.balance
}

async function record(
  trx: Write,
  entry: Entry,
  row: { kind: 'grant' | 'hold' | 'refund'; task_id: string | null; amount: number },
): Promise<void> {
  await trx
    .insertInto('ledger')
    .values({ id: newId(entry.now), account_id: entry.accountId, created_at: entry.now, ...row })
    .execute()
}
