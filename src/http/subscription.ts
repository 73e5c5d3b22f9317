import type { TaskEvent } from '../contract/task.ts'
import { eventsAfter, keptEvents } from '../tasks/event-log.ts'
import { snapshotTask } from '../tasks/store.ts'
import type { Service } from '../tasks/service.ts'
import type { Caller } from '../accounts/keys.ts'

/** What to follow: one task, or all of the account's from where it stands or after a number. */
export interface Wish {
  readonly taskId?: string | undefined
  readonly after?: number | undefined
}

/** Where events go. */
export interface Outlet {
  /** Resolves when the event is on its way; a reader that does not read keeps it waiting. */
  tell(event: TaskEvent): Promise<void>
  /** The subscription ended: an error, or null for a reader too far behind. */
  failed(error: unknown): void
}

/** Recorded events are read in portions of this many. */
const portion = 500

/** Progress is left out for a reader this many events behind. */
const maxProgressWaiting = 100

/** A reader this many events behind is given up; it can come back and ask for what came after. */
const maxWaiting = 10_000

/**
 * Tells a snapshot, then every status event by its number, without gaps or repeats, and progress in
 * between. What is published in this process only says that there is something new: the numbered
 * events are read from the table, as commits may be told of out of order.
 */
export class Subscription implements Disposable {
  readonly #service: Service
  readonly #caller: Caller
  readonly #wish: Wish
  readonly #outlet: Outlet
  readonly #unfollow: () => void
  #line: Promise<void> = Promise.resolve()
  #waiting = 0
  #reached = 0
  #ended = false

  constructor(service: Service, caller: Caller, { outlet, ...wish }: Wish & { readonly outlet: Outlet }) {
    this.#service = service
    this.#caller = caller
    this.#wish = wish
    this.#outlet = outlet
    // First, so that nothing falls between the snapshot and what follows.
    this.#unfollow = service.events.follow(caller.accountId, (event) => this.#hear(event))
    this.#inLine(() => this.#begin())
  }

  [Symbol.dispose](): void {
    this.#ended = true
    this.#unfollow()
  }

  #hear(event: Exclude<TaskEvent, { event: 'snapshot' | 'error' }>): void {
    if (this.#wish.taskId !== undefined && event.task.task_id !== this.#wish.taskId) return
    if (event.event === 'progress') {
      if (this.#waiting < maxProgressWaiting) this.#inLine(() => this.#outlet.tell(event))
      return
    }
    const { seq } = event
    this.#inLine(() => this.#tellUpTo(seq))
  }

  /** One step after another, so that the order of events is that of their telling. */
  #inLine(step: () => Promise<void>): void {
    if (this.#ended) return
    if (this.#waiting === maxWaiting) return this.#fail(null)
    this.#waiting += 1
    this.#line = this.#line
      .then(() => (this.#ended ? undefined : step()))
      .then(
        () => void (this.#waiting -= 1),
        (error: unknown) => this.#fail(error),
      )
  }

  #fail(error: unknown): void {
    if (this.#ended) return
    this[Symbol.dispose]()
    this.#outlet.failed(error)
  }

  async #begin(): Promise<void> {
    const { taskId, after } = this.#wish
    if (taskId !== undefined) {
      const { seq, task } = await snapshotTask(this.#service.db, this.#caller, taskId)
      this.#reached = seq
      return await this.#outlet.tell({ event: 'snapshot', seq, task })
    }
    const { removed, last } = await keptEvents(this.#service.db, this.#caller.accountId)
    // The number from which it goes on; one that was never reached is of another database.
    this.#reached = Math.min(Math.max(after ?? last, removed), last)
    await this.#outlet.tell({ event: 'snapshot', seq: this.#reached, task: null })
    await this.#tellUpTo(last)
  }

  async #tellUpTo(seq: number): Promise<void> {
    const { db } = this.#service
    const { accountId } = this.#caller
    while (this.#reached < seq && !this.#ended) {
      const events = await eventsAfter(db, { accountId, seq: this.#reached, limit: portion })
      if (events.length === 0) return
      for (const event of events) {
        // Later ones wait for their own turn, behind the progress that was told before them.
        if (event.seq > seq || this.#ended) return
        this.#reached = event.seq
        if (this.#wish.taskId === undefined || event.task.task_id === this.#wish.taskId) {
          await this.#outlet.tell({ event: 'status', ...event })
        }
      }
    }
  }
}
