import { createHash } from 'node:crypto'
import { newId } from '../contract/id.ts'
import type { Db } from '../db/schema.ts'

/** Who calls: the account and the key it came with. */
export interface Caller {
  readonly accountId: number
  readonly keyId: string
}

// A key is 256 random bits, so its plain hash can be neither guessed nor found by timing the look-up.
function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** Lets a key speak for an account; only its SHA-256 is kept. */
export async function addKey(
  db: Db,
  key: { accountId: number; name: string; raw: string; now: number },
): Promise<void> {
  await db
    .insertInto('api_keys')
    .values({
      id: newId(key.now),
      account_id: key.accountId,
      name: key.name,
      hash: hashOf(key.raw),
      created_at: key.now,
      revoked_at: null,
    })
    .execute()
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

/** Finds who a key belongs to; null for an unknown or revoked one. */
export async function authenticate(db: Db, rawKey: string): Promise<Caller | null> {
  const row = await db
    .selectFrom('api_keys')
    .select(['id', 'account_id'])
    .where('hash', '=', hashOf(rawKey))
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return row ? { accountId: row.account_id, keyId: row.id } : null
}
