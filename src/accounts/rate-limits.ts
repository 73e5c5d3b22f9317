import { MediaError } from '../contract/errors.ts'
import type { Operation } from '../contract/operation.ts'

interface RateLimitsOptions {
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Requests a minute by operation, in place of the operations' own limits. */
  readonly perMinute: Readonly<Record<string, number>>
}

/** What is left of a minute's requests at a moment (ms since 1970). */
interface TokenBucket {
  readonly left: number
  readonly at: number
}

const minuteMs = 60_000

/** More buckets than this, and those that are full again are forgotten. */
const maxBuckets = 10_000

/**
 * How often a key may ask for an operation: a token bucket for each key and operation, which holds a
 * minute's requests and fills evenly. In memory: a restart fills all.
 */
export class RateLimits {
  readonly #options: RateLimitsOptions
  readonly #buckets = new Map<string, TokenBucket>()

  constructor(options: RateLimitsOptions) {
    this.#options = options
  }

  /** Counts a request. Throws 6032, with the seconds until the next will do, where it is one too many. */
  take(keyId: string, { name, ratePerMinute }: Pick<Operation, 'name' | 'ratePerMinute'>): void {
    const { clock, perMinute } = this.#options
    const limit = Object.hasOwn(perMinute, name) ? perMinute[name] : ratePerMinute
    if (limit === undefined) return
    const id = `${keyId} ${name}`
    const bucket = this.#buckets.get(id) ?? { left: limit, at: clock() }
    // A clock that was set back fills nothing.
    const now = Math.max(clock(), bucket.at)
    const left = Math.min(limit, bucket.left + ((now - bucket.at) * limit) / minuteMs)
    if (left < 1) throw rateLimitExceeded(name, limit, Math.ceil(((1 - left) * minuteMs) / limit / 1000))
    this.#buckets.set(id, { left: left - 1, at: now })
    if (this.#buckets.size > maxBuckets) this.#forgetFull(now)
  }

  /** After a minute without a request every bucket is full. */
  #forgetFull(now: number): void {
    for (const [id, { at }] of this.#buckets) if (now - at >= minuteMs) this.#buckets.delete(id)
  }
}

function rateLimitExceeded(name: string, limit: number, seconds: number): MediaError {
  return new MediaError(6032, `${name} takes at most ${limit} requests a minute of one key`, {
    hint: `Try again in ${seconds} s.`,
    retryAfter: seconds,
  })
}
