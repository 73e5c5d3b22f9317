import { createHash } from 'node:crypto'
import type { ExpressionBuilder, SqlBool, Expression } from 'kysely'
import { newId } from '../contract/fields.ts'
import type { DatabaseSchema, Db } from '../db/schema.ts'

/** The authenticated account and the key of a request. */
export interface Caller {
  readonly accountId: number
  readonly keyId: string
}

/**
 * SHA-256 of a key or ticket, hex. A plain hash is safe: secrets are 256 random bits, so neither guessing nor
 * timing the look-up finds one.
 */
export function hashSecret(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

interface InsertKeyOptions {
  readonly accountId: number
  readonly name: string
  readonly raw: string
  readonly now: number
  /** Total credits that tasks of the key may cost; by default only the balance limits them. */
  readonly quota?: number | undefined
  /** Expiry, ms since 1970; by default the key never expires. */
  readonly expireAt?: number | undefined
}

/** Stores a key of an account and returns its id. Only the SHA-256 of the key is stored. */
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

/** Makes a key the only valid one with its name. A key that was revoked before becomes valid again. */
export async function replaceKeys(db: Db, key: InsertKeyOptions): Promise<void> {
  // One transaction: another service may replace the same key at the same time.
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

/** Revokes all keys with this name. */
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

/** A key as commands list it. The key itself is not stored. */
export interface KeySummary {
  readonly id: string
  readonly name: string
  readonly account: string
  /** Times in ms since 1970. */
  readonly createdAt: number
  readonly revokedAt: number | null
  readonly expireAt: number | null
  /** Credits; null for no bound. */
  readonly quota: number | null
  readonly spent: number
}

/** Lists all keys by account, oldest first. */
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

/** Revokes one key. Returns false when no key has this id. */
export async function revokeKey(db: Db, id: string, now: number): Promise<boolean> {
  const row = await db
    .updateTable('api_keys')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Condition for keys that are neither revoked nor expired. */
export function validKey(
  now: number,
): (key: ExpressionBuilder<DatabaseSchema, 'api_keys'>) => Expression<SqlBool> {
  return (key) =>
    key.and([
      key('revoked_at', 'is', null),
      key.or([key('expire_at', 'is', null), key('expire_at', '>', now)]),
    ])
}

/** Finds the caller of a key; null when the key is unknown, revoked or expired. */
export async function authenticate(db: Db, rawKey: string, now: number): Promise<Caller | null> {
  const row = await db
    .selectFrom('api_keys')
    .select(['id', 'account_id'])
    .where('hash', '=', hashSecret(rawKey))
    .where(validKey(now))
    .executeTakeFirst()
  return row ? { accountId: row.account_id, keyId: row.id } : null
}

/** Returns which of these keys, by id, are revoked, expired or removed. */
export async function findInvalidKeys(db: Db, ids: readonly string[], now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('api_keys')
    .select('id')
    .where('id', 'in', ids)
    .where(validKey(now))
    .execute()
  const valid = new Set(rows.map(({ id }) => id))
  return ids.filter((id) => !valid.has(id))
}

/** How long an expired key is kept, ms. A running request may still charge it. */
const expiredKeyRetentionMs = 24 * 3_600_000

/** Removes keys that expired more than a day ago, with their tickets. Their tasks stay. */
export async function removeExpiredKeys(db: Db, now: number): Promise<void> {
  const before = now - expiredKeyRetentionMs
  await db.transaction().execute(async (trx) => {
    const expired = trx.selectFrom('api_keys').select('id').where('expire_at', '<=', before)
    await trx.deleteFrom('tickets').where('key_id', 'in', expired).execute()
    await trx.deleteFrom('api_keys').where('expire_at', '<=', before).execute()
  })
}
