import { describeCredits } from '../contract/credits.ts'
import { MediaError } from '../contract/errors.ts'
import { isOwnId, newId, toTimestamp } from '../contract/fields.ts'
import type { LedgerPage, LedgerQuery } from '../contract/catalog.ts'
import { readPage } from '../db/queries.ts'
import type { Db, WriteTransaction } from '../db/schema.ts'

interface BalanceChange {
  readonly accountId: number
  /** Credits. 0 writes no ledger entry. */
  readonly amount: number
  readonly now: number
}

type TaskCharge = BalanceChange & {
  readonly taskId: string
  /** Key that created the task; null for tasks from before this column existed. */
  readonly keyId: string | null
}

/** Adds credits to an account. */
export async function grantCredits(db: Db, entry: BalanceChange): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('accounts')
      .set((eb) => ({ balance: eb('balance', '+', entry.amount) }))
      .where('id', '=', entry.accountId)
      .executeTakeFirstOrThrow()
    await insertEntry(trx, entry, { kind: 'grant', task_id: null, amount: entry.amount })
  })
}

/**
 * Charges a task to its key's quota and to the balance. The caller must hold the account lock. Throws 6201 when
 * the quota is too small, otherwise 6202 when the balance is too small.
 */
export async function holdCredits(trx: WriteTransaction, entry: TaskCharge): Promise<void> {
  await chargeKey(trx, entry)
  const account = await trx
    .updateTable('accounts')
    .set((eb) => ({ balance: eb('balance', '-', entry.amount) }))
    .where('id', '=', entry.accountId)
    .where('balance', '>=', entry.amount)
    .returning('balance')
    .executeTakeFirst()
  if (!account) {
    const balance = await accountBalance(trx, entry.accountId)
    throw new MediaError(
      6202,
      `this task costs ${describeCredits(entry.amount)}, and the account has ${balance}`,
    )
  }
  await insertEntry(trx, entry, { kind: 'hold', task_id: entry.taskId, amount: -entry.amount })
}

async function chargeKey(trx: WriteTransaction, { keyId, amount }: TaskCharge): Promise<void> {
  if (keyId === null) return
  const charged = await trx
    .updateTable('api_keys')
    .set((eb) => ({ spent: eb('spent', '+', amount) }))
    .where('id', '=', keyId)
    .where((eb) => eb.or([eb('quota', 'is', null), eb(eb('spent', '+', amount), '<=', eb.ref('quota'))]))
    .returning('id')
    .executeTakeFirst()
  if (charged) return
  const quota = await keyQuota(trx, keyId)
  if (!quota) throw new Error(`the key ${keyId} has no quota but could not be charged`)
  const left = Math.max(0, quota.limit - quota.spent)
  throw new MediaError(
    6201,
    `this task costs ${describeCredits(amount)}, and the quota of this key has ${left}`,
  )
}

/**
 * Returns a task's credits to the balance and to the key that created it, revoked or not. A unique constraint
 * rejects a second refund. The caller must hold the account lock.
 */
export async function refundCredits(trx: WriteTransaction, entry: TaskCharge): Promise<void> {
  await insertEntry(trx, entry, { kind: 'refund', task_id: entry.taskId, amount: entry.amount })
  await trx
    .updateTable('accounts')
    .set((eb) => ({ balance: eb('balance', '+', entry.amount) }))
    .where('id', '=', entry.accountId)
    .execute()
  if (entry.keyId === null) return
  await trx
    .updateTable('api_keys')
    .set((eb) => ({ spent: eb('spent', '-', entry.amount) }))
    .where('id', '=', entry.keyId)
    .execute()
}

/** Quota of a key and the credits its tasks have cost; null for a key without a quota. */
export async function keyQuota(db: Db, keyId: string): Promise<{ limit: number; spent: number } | null> {
  const { quota, spent } = await db
    .selectFrom('api_keys')
    .select(['quota', 'spent'])
    .where('id', '=', keyId)
    .executeTakeFirstOrThrow()
  return quota === null ? null : { limit: quota, spent }
}

/** Credits an account can still spend. */
export async function accountBalance(db: Db, accountId: number): Promise<number> {
  const account = await db
    .selectFrom('accounts')
    .select('balance')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  return account.balance
}

async function insertEntry(
  trx: WriteTransaction,
  entry: BalanceChange,
  row: { kind: 'grant' | 'hold' | 'refund'; task_id: string | null; amount: number },
): Promise<void> {
  if (row.amount === 0) return
  await trx
    .insertInto('ledger')
    .values({ id: newId(entry.now), account_id: entry.accountId, created_at: entry.now, ...row })
    .execute()
}

/**
 * Lists ledger entries of an account, newest first. With a task id, only entries of that task; none when the id is
 * malformed.
 */
export async function listLedgerEntries(db: Db, accountId: number, query: LedgerQuery): Promise<LedgerPage> {
  let rows = db.selectFrom('ledger').selectAll().where('account_id', '=', accountId)
  if (query.task_id !== undefined) {
    rows = rows.where('task_id', '=', isOwnId(query.task_id) ? query.task_id : '')
  }
  const { list, ...page } = await readPage(rows, query)
  const entries = list.map(({ id, kind, amount, task_id, created_at }) => ({
    ...{ id, kind, amount, task_id },
    create_time: toTimestamp(created_at),
  }))
  return { list: entries, ...page }
}
