import { createHash, randomBytes } from 'node:crypto'
import type { Db } from '../db/schema.ts'
import type { Caller } from './keys.ts'

/** How long a ticket is valid, ms. */
const eventTicketLifetimeMs = 60_000

// A ticket is 256 random bits: as with keys, its plain hash gives nothing away.
function hashTicket(ticket: string): string {
  return createHash('sha256').update(ticket).digest('hex')
}

/** A ticket that speaks once for a caller, for a minute; `expireAt` in ms since 1970. Only its SHA-256 is kept. */
export async function issueEventTicket(
  db: Db,
  caller: Caller,
  now: number,
): Promise<{ ticket: string; expireAt: number }> {
  const ticket = randomBytes(32).toString('base64url')
  const expireAt = now + eventTicketLifetimeMs
  await db
    .insertInto('tickets')
    .values({
      hash: hashTicket(ticket),
      account_id: caller.accountId,
      key_id: caller.keyId,
      expire_at: expireAt,
    })
    .execute()
  return { ticket, expireAt }
}

/** Uses a ticket up; null for one that is unknown, used, expired, or of a key that is no longer valid. */
export async function redeemEventTicket(db: Db, ticket: string, now: number): Promise<Caller | null> {
  const row = await db
    .deleteFrom('tickets')
    .where('hash', '=', hashTicket(ticket))
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
export async function removeExpiredEventTickets(db: Db, now: number): Promise<void> {
  await db.deleteFrom('tickets').where('expire_at', '<=', now).execute()
}

/** How long a ticket is valid, ms. */
const pageTicketLifetimeMs = 60_000

/** Tickets that wait at once; of more the oldest is forgotten. */
const maxPageTickets = 100

// A ticket is 256 random bits: its plain hash gives nothing away, and finding it takes as long for any guess.
function hashPageTicket(ticket: string): string {
  return createHash('sha256').update(ticket).digest('hex')
}

interface PageTicket {
  readonly key: string
  readonly expireAt: number
}

/**
 * Tickets with which the page signs in, so that an address shown on a screen or kept in a history holds
 * no key. Each hands over, once and within a minute, the very key it was asked for with: nothing that
 * outlives that key or may do more. They are kept in memory alone, as the keys must not be stored.
 */
export class PageTickets {
  readonly #waiting = new Map<string, PageTicket>()
  readonly #clock: () => number

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** A ticket for a key; `expireAt` in ms since 1970. */
  issue(key: string): { ticket: string; expireAt: number } {
    const [oldest] = this.#waiting.keys()
    if (oldest !== undefined && this.#waiting.size >= maxPageTickets) this.#waiting.delete(oldest)
    const ticket = randomBytes(32).toString('base64url')
    const expireAt = this.#clock() + pageTicketLifetimeMs
    const hash = hashPageTicket(ticket)
    this.#waiting.set(hash, { key, expireAt })
    // The key is kept no longer than it may be needed.
    setTimeout(() => this.#waiting.delete(hash), pageTicketLifetimeMs).unref()
    return { ticket, expireAt }
  }

  /** Uses a ticket up and answers its key; undefined for one that is unknown, used or expired. */
  redeem(ticket: string): string | undefined {
    const hash = hashPageTicket(ticket)
    const found = this.#waiting.get(hash)
    this.#waiting.delete(hash)
    return found && found.expireAt > this.#clock() ? found.key : undefined
  }
}
