import { MediaError } from '../contract/errors.ts'
import { limitFairly } from '../platform/concurrency.ts'

/** Most pieces of work of one account that wait: more than a client requests at a time, and minutes of work. */
const maxWaitingPerAccount = 64

/** Time after which a client may try again, s. */
const retrySeconds = 5

interface AccountLimit {
  /** Pieces of work that run at once. */
  readonly limit: number
  /** Those of one account; `limit` by default. */
  readonly accountLimit?: number
  /** Plural name of the work in the error, such as `previews`. */
  readonly name: string
}

/**
 * Runs at most `limit` pieces of work at once, in turn for each account. Throws 6032 with a time to wait if too many of an
 * account wait.
 */
export function limitPerAccount({ limit, accountLimit = limit, name }: AccountLimit) {
  return limitFairly({
    ...{ limit, groupLimit: accountLimit },
    maxWaiting: maxWaitingPerAccount,
    excess: () =>
      new MediaError(6032, `${maxWaitingPerAccount} ${name} of this account are waiting, the maximum`, {
        hint: `Try again in ${retrySeconds} s, and request fewer at a time.`,
        retryAfter: retrySeconds,
      }),
  })
}
