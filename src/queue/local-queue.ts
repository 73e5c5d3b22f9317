import type { Db } from '../db/schema.ts'
import type { TaskHandler, Queue } from './queue.ts'
import { type ScheduledTask, Scheduler, WaitingTasks } from './scheduler.ts'

interface LocalQueueOptions {
  readonly db: Db
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** Running tasks from which a key yields to tasks of all others. */
  readonly runningPerKey: number
  /** Called with failures of the queue itself. */
  readonly onError: (error: unknown) => void
}

/** Longest time between polls while tasks wait, and the delay after a failure, ms. */
const maxPollIntervalMs = 5_000

/**
 * Creates a queue within one process. It reads the task table and polls after each commit that made a task ready.
 * Only one process may consume a database this way.
 */
export function createLocalQueue(options: LocalQueueOptions): Queue {
  let consumer: LocalQueueConsumer | undefined
  const scheduler = new Scheduler(options)
  return {
    turns: scheduler.turns,
    async enqueue() {
      return () => consumer?.poll()
    },
    consume(handler, concurrency) {
      consumer = new LocalQueueConsumer({ ...options, scheduler }, handler, concurrency)
      consumer.poll()
      return consumer
    },
  }
}

interface ConsumerOptions extends LocalQueueOptions {
  readonly scheduler: Scheduler
}

class LocalQueueConsumer {
  readonly #options: ConsumerOptions
  readonly #handler: TaskHandler
  readonly #concurrency: number
  readonly #running = new Map<string, Promise<void>>()
  readonly #stop = new AbortController()
  #polling: Promise<void> | undefined
  #pollAgain = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: ConsumerOptions, handler: TaskHandler, concurrency: number) {
    this.#options = options
    this.#handler = handler
    this.#concurrency = concurrency
  }

  /** Starts ready tasks. A call during a poll causes one more poll. */
  poll(): void {
    if (this.#stop.signal.aborted) return
    if (this.#polling) {
      this.#pollAgain = true
      return
    }
    this.#polling = this.#fill()
      .catch((error: unknown) => {
        this.#options.onError(error)
        this.#pollIn(maxPollIntervalMs)
      })
      .finally(() => {
        this.#polling = undefined
        if (!this.#pollAgain) return
        this.#pollAgain = false
        this.poll()
      })
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    clearTimeout(this.#timer)
    await this.#polling
    await Promise.all(this.#running.values())
  }

  async #fill(): Promise<void> {
    const free = this.#concurrency - this.#running.size
    if (free <= 0) return
    const now = this.#options.clock()
    const ready = await this.#ready(now, free)
    const waiting = new WaitingTasks(ready)
    for (let started = 0; started < free; started += 1) {
      const next = waiting.take(this.#options.scheduler)
      if (!next) break
      this.#start(next)
    }
    if (ready.length < free) await this.#scheduleNextRetry(now)
  }

  /** Returns the first `limit` ready tasks of each key, among which the next `limit` tasks are. */
  async #ready(now: number, limit: number): Promise<ScheduledTask[]> {
    const ranked = this.#queued()
      .where('ready_at', '<=', now)
      .select(['id', 'account_id as accountId', 'key_id as keyId', 'priority'])
      .select((eb) =>
        eb.fn
          .agg<number>('row_number')
          .over((over) =>
            over.partitionBy(['account_id', 'key_id']).orderBy('priority', 'desc').orderBy('id'),
          )
          .as('place'),
      )
    return await this.#options.db
      .selectFrom(ranked.as('ranked'))
      .select(['id', 'accountId', 'keyId', 'priority'])
      .where('place', '<=', limit)
      .execute()
  }

  #queued() {
    const queued = this.#options.db.selectFrom('tasks').where('status', '=', 'queued')
    const running = [...this.#running.keys()]
    return running.length === 0 ? queued : queued.where('id', 'not in', running)
  }

  #start(task: ScheduledTask): void {
    if (this.#stop.signal.aborted) return
    this.#options.scheduler.start(task)
    this.#running.set(task.id, this.#handle(task))
  }

  #end(task: ScheduledTask): void {
    this.#running.delete(task.id)
    this.#options.scheduler.end(task)
  }

  async #handle(task: ScheduledTask): Promise<void> {
    try {
      await this.#handler(task.id, this.#stop.signal)
      this.#end(task)
      this.poll()
    } catch (error) {
      this.#end(task)
      this.#options.onError(error)
      // The task may still be queued: polling at once could loop without pause.
      this.#pollIn(maxPollIntervalMs)
    }
  }

  /** Schedules a poll for the next waiting retry. Other tasks announce themselves. */
  async #scheduleNextRetry(now: number): Promise<void> {
    const next = await this.#queued()
      .select((eb) => eb.fn.min('ready_at').as('at'))
      .where('ready_at', '>', now)
      .executeTakeFirst()
    if (next && next.at !== null) this.#pollIn(Math.min(next.at - now, maxPollIntervalMs))
  }

  #pollIn(milliseconds: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.poll(), milliseconds)
    this.#timer.unref()
  }
}
