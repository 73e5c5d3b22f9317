import { MediaError } from '../contract/errors.ts'
import type { Db, TaskRow, WriteTransaction } from '../db/schema.ts'
import type { Service } from './service.ts'

/** Lifetime of an idempotency key, ms. */
const keyLifetimeMs = 24 * 3600 * 1000

const hint =
  'Use a new Idempotency-Key, such as a UUID, for each creation; repeat a key only with the same body.'

/** Parses an `Idempotency-Key` header; undefined without one. Throws 6016. */
export function readIdempotencyKey(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && /^[!-~]{1,255}$/.test(header)) return header
  throw new MediaError(6016, 'Idempotency-Key must be 1 to 255 visible ASCII characters', { hint })
}

/** The columns by which two creations are equal. */
export type Creation = Pick<TaskRow, 'account_id' | 'type' | 'input' | 'answers_by'>

/**
 * Finds the task that an equal creation with the same key made within 24 hours. Throws 6016 when the key was used for
 * another creation.
 */
export async function findRepeated(
  db: Db,
  creation: Creation,
  { key, now }: { key: string | undefined; now: number },
): Promise<TaskRow | undefined> {
  if (key === undefined) return undefined
  const row = await db
    .selectFrom('idempotency_keys')
    .innerJoin('tasks', 'tasks.id', 'idempotency_keys.task_id')
    .selectAll('tasks')
    .where('idempotency_keys.account_id', '=', creation.account_id)
    .where('key', '=', key)
    .where('idempotency_keys.created_at', '>', now - keyLifetimeMs)
    .executeTakeFirst()
  if (row && !isEqual(row, creation)) {
    throw new MediaError(6016, 'this Idempotency-Key was used for another request', { hint })
  }
  return row
}

function isEqual(one: Creation, other: Creation): boolean {
  return one.type === other.type && one.input === other.input && one.answers_by === other.answers_by
}

/** Finds the account's latest unfinished task of an equal creation. */
export async function findUnfinished(db: Db, creation: Creation): Promise<TaskRow | undefined> {
  return await db
    .selectFrom('tasks')
    .selectAll()
    .where('account_id', '=', creation.account_id)
    .where('status', 'in', ['queued', 'processing'])
    .where('type', '=', creation.type)
    .where('input', '=', creation.input)
    .where('answers_by', creation.answers_by === null ? 'is' : '=', creation.answers_by)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Stores the task of a key, within the transaction that creates or joins it. */
export async function storeIdempotencyKey(
  trx: WriteTransaction,
  task: Pick<TaskRow, 'id' | 'account_id'>,
  { key, now }: { key: string | undefined; now: number },
): Promise<void> {
  if (key === undefined) return
  const use = { task_id: task.id, created_at: now }
  await trx
    .insertInto('idempotency_keys')
    .values({ account_id: task.account_id, key, ...use })
    // An expired key may not have been removed yet.
    .onConflict((conflict) => conflict.columns(['account_id', 'key']).doUpdateSet(use))
    .execute()
}

/** Removes keys older than 24 hours. */
export async function removeExpiredIdempotencyKeys({ db, clock }: Service): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('created_at', '<=', clock() - keyLifetimeMs)
    .execute()
}
