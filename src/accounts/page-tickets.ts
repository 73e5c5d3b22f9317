import { createHash, randomBytes } from 'node:crypto'

/** How long a ticket is valid, ms. */
const validMs = 60_000

/** Tickets that wait at once; of more the oldest is forgotten. */
const maxWaiting = 100

// A ticket is 256 random bits: its plain hash gives nothing away, and finding it takes as long for any guess.
function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('hex')
}

interface Waiting {
  readonly key: string
  readonly expireAt: number
}

/**
 * Tickets with which the page signs in, so that an address shown on a screen or kept in a history holds
 * no key. Each hands over, once and within a minute, the very key it was asked for with: nothing that
 * outlives that key or may do more. They are kept in memory alone, as the keys must not be stored.
 */
export class PageTickets {
  readonly #waiting = new Map<string, Waiting>()
  readonly #clock: () => number

  constructor(clock: () => number) {
    this.#clock = clock
  }

  /** A ticket for a key; `expireAt` in ms since 1970. */
  issue(key: string): { ticket: string; expireAt: number } {
    const [oldest] = this.#waiting.keys()
    if (oldest !== undefined && this.#waiting.size >= maxWaiting) this.#waiting.delete(oldest)
    const ticket = randomBytes(32).toString('base64url')
    const expireAt = this.#clock() + validMs
    const hash = hashOf(ticket)
    this.#waiting.set(hash, { key, expireAt })
    // The key is kept no longer than it may be needed.
    setTimeout(() => this.#waiting.delete(hash), validMs).unref()
    return { ticket, expireAt }
  }

  /** Uses a ticket up and answers its key; undefined for one that is unknown, used or expired. */
  redeem(ticket: string): string | undefined {
    const hash = hashOf(ticket)
    const found = this.#waiting.get(hash)
    this.#waiting.delete(hash)
    return found && found.expireAt > this.#clock() ? found.key : undefined
  }
}
