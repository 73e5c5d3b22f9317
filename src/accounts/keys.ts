import { createHash } from 'node:crypto'
import { newId } from '../contract/fields.ts'
import type { Db } from '../db/schema.ts'

/** Who calls: the account and the key it came with. */
export interface Caller {
  readonly accountId: number
  readonly keyId: string
}

// A key is 256 random bits, so its plain hash can be neither guessed nor found by timing the look-up.
function hashSecret(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

interface InsertKeyOptions {
  readonly accountId: number
  readonly name: string
  readonly raw: string
  readonly now: number
  /** Credits its tasks may cost in all; left out, only the balance bounds them. */
  readonly quota?: number | undefined
  /** When it ends, ms since 1970; left out, never. */
  readonly expireAt?: number | undefined
}

/** Lets a key speak for an account, and answers its id; only its SHA-256 is kept. */
export async function insertKey(db: Db, key: InsertKeyOptions): Promise<string> {
  const id = newId(key.now)
  await db
    .insertInto('api_keys')
    .values({
      id,
      account_id: key.accountId,
      name: key.name,
      hash: hashSecret(key.raw),
      created_at: key.now,
      revoked_at: null,
      quota: key.quota ?? null,
      expire_at: key.expireAt ?? null,
    })
    .execute()
  return id
}

/** Makes a key the only valid one of its name; one that was valid before is so again. */
export async function replaceKeys(db: Db, key: InsertKeyOptions): Promise<void> {
  // At once: another service may take the same key meanwhile.
  await db.transaction().execute(async (trx) => {
    await revokeKeys(trx, key)
    const { numUpdatedRows } = await trx
      .updateTable('api_keys')
      .set({ revoked_at: null })
      .where('account_id', '=', key.accountId)
      .where('name', '=', key.name)
      .where('hash', '=', hashSecret(key.raw))
      .executeTakeFirst()
    if (numUpdatedRows === 0n) await insertKey(trx, key)
  })
}

/** Makes all keys of that name invalid. */
export async function revokeKeys(
  db: Db,
  key: { accountId: number; name: string; now: number },
): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ revoked_at: key.now })
    .where('account_id', '=', key.accountId)
    .where('name', '=', key.name)
    .where('revoked_at', 'is', null)
    .execute()
}

/** A key as people are told of it; the key itself is not known. */
export interface KeySummary {
  readonly id: string
  readonly name: string
  readonly account: string
  /** Moments in ms since 1970. */
  readonly createdAt: number
  readonly revokedAt: number | null
  readonly expireAt: number | null
  /** Credits; null for no bound. */
  readonly quota: number | null
  readonly spent: number
}

/** All keys, by account, the oldest first. */
export async function listKeys(db: Db): Promise<KeySummary[]> {
  return await db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select([
      'api_keys.id',
      'api_keys.name',
      'accounts.name as account',
      'api_keys.created_at as createdAt',
      'api_keys.revoked_at as revokedAt',
      'api_keys.expire_at as expireAt',
      'api_keys.quota',
      'api_keys.spent',
    ])
    .orderBy('accounts.id')
    .orderBy('api_keys.id')
    .execute()
}

/** Makes one key invalid; quiet when it is already, false when there is none of that id. */
export async function revokeKey(db: Db, id: string, now: number): Promise<boolean> {
  const row = await db
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Finds who a key belongs to; null for one that is unknown, revoked or expired. */
export async function authenticate(db: Db, rawKey: string, now: number): Promise<Caller | null> {
  const row = await db
    .selectFrom('api_keys')
    .select(['id', 'account_id'])
    .where('hash', '=', hashSecret(rawKey))
    .where('revoked_at', 'is', null)
    .where((key) => key.or([key('expire_at', 'is', null), key('expire_at', '>', now)]))
    .executeTakeFirst()
  return row ? { accountId: row.account_id, keyId: row.id } : null
}

/** How long a key that has ended is kept, ms: a request it began may still be under way, and charge it. */
const expiredKeyRetentionMs = 24 * 3_600_000

/** Removes keys that ended by themselves a day ago, with their tickets; tasks they made stay. */
export async function removeExpiredKeys(db: Db, now: number): Promise<void> {
  const before = now - expiredKeyRetentionMs
  await db.transaction().execute(async (trx) => {
    const expired = trx.selectFrom('api_keys').select('id').where('expire_at', '<=', before)
    await trx.deleteFrom('tickets').where('key_id', 'in', expired).execute()
    await trx.deleteFrom('api_keys').where('expire_at', '<=', before).execute()
  })
}
