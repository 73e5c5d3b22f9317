import { createHash, randomBytes } from 'node:crypto'
import type { Db } from '../db/schema.ts'
import type { Caller } from './keys.ts'

/** How long a ticket is valid, ms. */
const validMs = 60_000

// A ticket is 256 random bits: as with keys, its plain hash gives nothing away.
function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('hex')
}

/** A ticket that speaks once for a caller, for a minute; `expireAt` in ms since 1970. Only its SHA-256 is kept. */
export async function issueTicket(
  db: Db,
  caller: Caller,
  now: number,
): Promise<{ ticket: string; expireAt: number }> {
  const ticket = randomBytes(32).toString('base64url')
  const expireAt = now + validMs
  await db
    .insertInto('tickets')
    .values({
      hash: hashOf(ticket),
      account_id: caller.accountId,
      key_id: caller.keyId,
      expire_at: expireAt,
    })
    .execute()
  return { ticket, expireAt }
}

/** Uses a ticket up; null for one that is unknown, used, expired, or of a key that is no longer valid. */
export async function redeemTicket(db: Db, ticket: string, now: number): Promise<Caller | null> {
  const row = await db
    .deleteFrom('tickets')
    .where('hash', '=', hashOf(ticket))
    .where('expire_at', '>', now)
    .where('key_id', 'in', (keys) =>
      keys
        .selectFrom('api_keys')
        .select('id')
        .where('revoked_at', 'is', null)
        .where((key) => key.or([key('expire_at', 'is', null), key('expire_at', '>', now)])),
    )
    .returning(['account_id', 'key_id'])
    .executeTakeFirst()
  return row ? { accountId: row.account_id, keyId: row.key_id } : null
}

/** Removes tickets that can no longer be used. */
export async function removeExpiredTickets(db: Db, now: number): Promise<void> {
  await db.deleteFrom('tickets').where('expire_at', '<=', now).execute()
}
