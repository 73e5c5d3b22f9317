import { MediaError } from '../contract/errors.ts'
import { describeSize } from '../contract/format.ts'

/** Bodies of this size and less are not counted: the number of connections bounds them, bytes. */
const uncountedBytes = 64 * 1024

/** Bytes that the bodies of unfinished requests may have. */
interface BodyBudgetLimits {
  readonly perSender: number
  readonly total: number
}

const defaultLimits: BodyBudgetLimits = { perSender: 64 * 2 ** 20, total: 256 * 2 ** 20 }

/** Time after which a client may try again, s. */
const retrySeconds = 5

/** The part of a budget that one body uses. */
export interface BodyReservation {
  /** Raises the reservation to so many bytes. Throws 6032, with a time to wait, if the budget is used up. */
  raiseTo(bytes: number): void
  /** Returns the bytes to the budget. */
  release(): void
}

/**
 * Bounds the memory of bodies that are read at once, of each sender and of all. A sender is an account or a key. Small
 * bodies are always accepted, so that no sender can stop the requests of others.
 */
export class BodyBudget {
  readonly #limits: BodyBudgetLimits
  readonly #bySender = new Map<number | string, number>()
  #total = 0

  constructor(limits: BodyBudgetLimits = defaultLimits) {
    this.#limits = limits
  }

  /** Begins a reservation of 0 bytes. */
  open(sender: number | string): BodyReservation {
    let reserved = 0
    const change = (bytes: number) => {
      const ofSender = this.#used(sender) + bytes - reserved
      this.#total += bytes - reserved
      if (ofSender === 0) this.#bySender.delete(sender)
      else this.#bySender.set(sender, ofSender)
      reserved = bytes
    }
    return {
      raiseTo: (bytes) => {
        if (bytes <= uncountedBytes || bytes <= reserved) return
        const { perSender, total } = this.#limits
        if (this.#used(sender) + bytes - reserved > perSender)
          throw budgetExceeded("this account's unfinished requests", perSender)
        if (this.#total + bytes - reserved > total) throw budgetExceeded('all unfinished requests', total)
        change(bytes)
      },
      release: () => change(0),
    }
  }

  #used(sender: number | string): number {
    return this.#bySender.get(sender) ?? 0
  }
}

function budgetExceeded(whose: string, bytes: number): MediaError {
  return new MediaError(6032, `the bodies of ${whose} would exceed ${describeSize(bytes)}, the maximum`, {
    hint: `Try again in ${retrySeconds} s, and send fewer large requests at a time.`,
    retryAfter: retrySeconds,
  })
}
