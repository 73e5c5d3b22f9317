import { MediaError } from '../contract/errors.ts'
import { type Operation, requestsPerMinute } from '../contract/operation.ts'

interface RateLimitsOptions {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Requests per minute by operation; overrides the operations' own limits. */
  readonly perMinute: Readonly<Record<string, number>>
}

/** Requests left in a bucket at a time (ms since 1970). */
interface TokenBucket {
  readonly left: number
  readonly at: number
}

const rateLimitWindowMs = 60_000

/** Name of the bucket that the quotes of all operations share, also in the setting. */
const quotes = 'quote'

/** Limit of quotes, which cost nothing and may read files. */
const quotesPerMinute = 120

/** Above this number, full buckets are removed. */
const maxBuckets = 10_000

/**
 * Limits requests per key and operation with token buckets. A bucket holds one minute of requests and refills
 * evenly. Kept in memory: a restart fills all buckets.
 */
export class RateLimits {
  readonly #options: RateLimitsOptions
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(options: RateLimitsOptions) {
    this.#options = options
  }

  /** Takes one token. Throws 6032, with the seconds until the next token, when the bucket is empty. */
  take(keyId: string, operation: Pick<Operation, 'name' | 'ratePerMinute' | 'price'>): void {
    this.#take(keyId, operation.name, requestsPerMinute(operation))
  }

  /** Takes one token of an operation's bucket, if it has a limit, and one of the bucket of all quotes. Throws 6032. */
  takeQuote(keyId: string, operation: Pick<Operation, 'name' | 'ratePerMinute' | 'price'>): void {
    this.#take(keyId, quotes, quotesPerMinute)
    this.take(keyId, operation)
  }

  #take(keyId: string, name: string, byDefault: number | undefined): void {
    const { clock, perMinute } = this.#options
    const limit = Object.hasOwn(perMinute, name) ? perMinute[name] : byDefault
    if (limit === undefined) return
    const id = `${keyId} ${name}`
    const bucket = this.#buckets.get(id) ?? { left: limit, at: clock() }
    // A clock that moves backwards adds no tokens.
    const now = Math.max(clock(), bucket.at)
    const left = Math.min(limit, bucket.left + ((now - bucket.at) * limit) / rateLimitWindowMs)
    if (left < 1)
      throw rateLimitExceeded(name, limit, Math.ceil(((1 - left) * rateLimitWindowMs) / limit / 1000))
    this.#buckets.set(id, { left: left - 1, at: now })
    if (this.#buckets.size > maxBuckets) this.#removeFull(now)
  }

  /** Removes buckets that are full because they were not used for a minute. */
  #removeFull(now: number): void {
    for (const [id, { at }] of this.#buckets) if (now - at >= rateLimitWindowMs) this.#buckets.delete(id)
  }
}

function rateLimitExceeded(name: string, limit: number, seconds: number): MediaError {
  return new MediaError(6032, `${name} accepts at most ${limit} requests per minute and key`, {
    hint: `Try again in ${seconds} s.`,
    retryAfter: seconds,
  })
}
