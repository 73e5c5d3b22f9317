import { randomBytes } from 'node:crypto'
import type { Db } from '../db/schema.ts'
import { hashSecret, validKey, type Caller } from './keys.ts'

/** Lifetime of an event ticket, ms. */
const eventTicketLifetimeMs = 60_000

/**
 * Issues a ticket that authenticates its caller once, within a minute. `expireAt` in ms since 1970. Only its
 * SHA-256 is stored.
 */
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
      hash: hashSecret(ticket),
      account_id: caller.accountId,
      key_id: caller.keyId,
      expire_at: expireAt,
    })
    .execute()
  return { ticket, expireAt }
}

/**
 * Uses up a ticket and returns its caller; null when it is unknown, used or expired, or its key is no longer
 * valid.
 */
export async function redeemEventTicket(db: Db, ticket: string, now: number): Promise<Caller | null> {
  const row = await db
    .deleteFrom('tickets')
    .where('hash', '=', hashSecret(ticket))
    .where('expire_at', '>', now)
    .where('key_id', 'in', (keys) => keys.selectFrom('api_keys').select('id').where(validKey(now)))
    .returning(['account_id', 'key_id'])
    .executeTakeFirst()
  return row ? { accountId: row.account_id, keyId: row.key_id } : null
}

/** Removes expired tickets. */
export async function removeExpiredEventTickets(db: Db, now: number): Promise<void> {
  await db.deleteFrom('tickets').where('expire_at', '<=', now).execute()
}

/** Lifetime of a page ticket, ms. */
const pageTicketLifetimeMs = 60_000

/** Most unused tickets; issuing another drops the oldest. */
const maxPageTickets = 100

interface PageTicket {
  readonly key: string
  readonly expireAt: number
}

/**
 * One-time tickets that sign in the web page, so that a visible address or a browser history contains no key. A
 * ticket is valid for a minute and returns the key it was issued for, so it grants no further rights. Tickets are
 * kept in memory only, because keys must not be stored.
 */
export class PageTickets {
  readonly #waiting = new Map<string, PageTicket>()
  readonly #clock: () => number

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** Issues a ticket for a key. `expireAt` in ms since 1970. */
  issue(key: string): { ticket: string; expireAt: number } {
    const [oldest] = this.#waiting.keys()
    if (oldest !== undefined && this.#waiting.size >= maxPageTickets) this.#waiting.delete(oldest)
    const ticket = randomBytes(32).toString('base64url')
    const expireAt = this.#clock() + pageTicketLifetimeMs
    const hash = hashSecret(ticket)
    this.#waiting.set(hash, { key, expireAt })
    // Drop the key as soon as the ticket has expired.
    setTimeout(() => this.#waiting.delete(hash), pageTicketLifetimeMs).unref()
    return { ticket, expireAt }
  }

  /** Uses up a ticket and returns its key; undefined when it is unknown, used or expired. */
  redeem(ticket: string): string | undefined {
    const hash = hashSecret(ticket)
    const found = this.#waiting.get(hash)
    this.#waiting.delete(hash)
    return found && found.expireAt > this.#clock() ? found.key : undefined
  }
}
