import type { Caller } from '../accounts/keys.ts'
import type { TaskEvent } from '../contract/task.ts'
import { listEventsAfter, retainedEventRange } from '../tasks/events.ts'
import { snapshotTask } from '../tasks/records.ts'
import type { Service } from '../tasks/service.ts'

/** One task, or all tasks of the account from now or after an event number. */
interface SubscriptionTarget {
  readonly taskId?: string | undefined
  readonly after?: number | undefined
}

/** Receiver of events. */
export interface EventSink {
  /** Resolves when the event was sent. A slow reader delays it. */
  send(event: TaskEvent): Promise<void>
  /**
   * Called when the subscription ends, with an error, or with null when the reader was too slow. Resolves when the error
   * was sent.
   */
  close(error: unknown): Promise<void>
}

/** Events read per query. */
const eventBatchSize = 500

/** Progress is dropped for a reader that is this many events behind. */
const maxPendingForProgress = 100

/** A reader this many events behind is disconnected. It can reconnect and continue after its last event. */
const maxPendingEvents = 10_000

/**
 * Sends a snapshot, then every status event in order, without gaps or repeats, and progress in between.
 * Notifications in this process only trigger a read of the event table, because commits may be announced out of
 * order.
 */
export class Subscription implements Disposable {
  readonly #service: Service
  readonly #caller: Caller
  readonly #target: SubscriptionTarget
  readonly #sink: EventSink
  readonly #unsubscribe: () => void
  readonly #started = Promise.withResolvers<void>()
  #queue: Promise<void> = Promise.resolve()
  #pending = 0
  #lastSeq = 0
  #ended = false

  constructor(
    service: Service,
    caller: Caller,
    { sink, ...target }: SubscriptionTarget & { readonly sink: EventSink },
  ) {
    this.#service = service
    this.#caller = caller
    this.#target = target
    this.#sink = sink
    // Before the snapshot, so that no event is missed.
    this.#unsubscribe = service.events.subscribe(caller.accountId, (event) => this.#receive(event))
    this.#enqueue(() => this.#sendSnapshot())
  }

  /** Resolves when the snapshot or an error was sent, or when the subscription has ended. */
  get started(): Promise<void> {
    return this.#started.promise
  }

  [Symbol.dispose](): void {
    this.#end()
    this.#started.resolve()
  }

  #end(): void {
    this.#ended = true
    this.#unsubscribe()
  }

  #receive(event: Exclude<TaskEvent, { event: 'snapshot' | 'error' }>): void {
    if (this.#target.taskId !== undefined && event.task.task_id !== this.#target.taskId) return
    if (event.event === 'progress') {
      if (this.#pending < maxPendingForProgress) this.#enqueue(() => this.#sink.send(event))
      return
    }
    const { seq } = event
    this.#enqueue(() => this.#sendUpTo(seq))
  }

  /** Runs steps one after another, so that events are sent in order. */
  #enqueue(step: () => Promise<void>): void {
    if (this.#ended) return
    if (this.#pending === maxPendingEvents) return void this.#fail(null)
    this.#pending += 1
    this.#queue = this.#queue
      .then(() => (this.#ended ? undefined : step()))
      .then(
        () => void (this.#pending -= 1),
        (error: unknown) => this.#fail(error),
      )
  }

  async #fail(error: unknown): Promise<void> {
    if (this.#ended) return
    this.#end()
    await this.#sink.close(error)
    this.#started.resolve()
  }

  async #sendSnapshot(): Promise<void> {
    const { taskId, after } = this.#target
    if (taskId !== undefined) {
      const { seq, task } = await snapshotTask(this.#service.db, this.#caller, taskId)
      this.#lastSeq = seq
      await this.#sink.send({ event: 'snapshot', seq, task })
      return this.#started.resolve()
    }
    const { removed, last } = await retainedEventRange(this.#service.db, this.#caller.accountId)
    // Number of the last event before this subscription. A number that was never reached is of another database.
    this.#lastSeq = Math.min(Math.max(after ?? last, removed), last)
    await this.#sink.send({ event: 'snapshot', seq: this.#lastSeq, task: null })
    this.#started.resolve()
    await this.#sendUpTo(last)
  }

  async #sendUpTo(seq: number): Promise<void> {
    const { db } = this.#service
    const { accountId } = this.#caller
    while (this.#lastSeq < seq && !this.#ended) {
      const events = await listEventsAfter(db, { accountId, seq: this.#lastSeq, limit: eventBatchSize })
      if (events.length === 0) return
      for (const event of events) {
        // Later events have their own step, after progress that was announced before them.
        if (event.seq > seq || this.#ended) return
        this.#lastSeq = event.seq
        if (this.#target.taskId === undefined || event.task.task_id === this.#target.taskId) {
          await this.#sink.send({ event: 'status', ...event })
        }
      }
    }
  }
}
