import type { Db } from '../db/schema.ts'
import type { TaskHandler, Queue } from './queue.ts'

interface LocalQueueOptions {
  readonly db: Db
  /** Milliseconds since 1970. */
  readonly clock: () => number
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
  return {
    async enqueue() {
      return () => consumer?.poll()
    },
    consume(handler, concurrency) {
      consumer = new LocalQueueConsumer(options, handler, concurrency)
      consumer.poll()
      return consumer
    },
  }
}

class LocalQueueConsumer {
  readonly #options: LocalQueueOptions
  readonly #handler: TaskHandler
  readonly #concurrency: number
  readonly #running = new Map<string, Promise<void>>()
  readonly #stop = new AbortController()
  #polling: Promise<void> | undefined
  #pollAgain = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: LocalQueueOptions, handler: TaskHandler, concurrency: number) {
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
    for (const id of ready) this.#start(id)
    if (ready.length < free) await this.#scheduleNextRetry(now)
  }

  async #ready(now: number, limit: number): Promise<string[]> {
    const rows = await this.#queued()
      .select('id')
      .where('ready_at', '<=', now)
      .orderBy('priority', 'desc')
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map((row) => row.id)
  }

  #queued() {
    const queued = this.#options.db.selectFrom('tasks').where('status', '=', 'queued')
    const running = [...this.#running.keys()]
    return running.length === 0 ? queued : queued.where('id', 'not in', running)
  }

  #start(id: string): void {
    if (this.#stop.signal.aborted) return
    this.#running.set(id, this.#handle(id))
  }

  async #handle(id: string): Promise<void> {
    try {
      await this.#handler(id, this.#stop.signal)
      this.#running.delete(id)
      this.poll()
    } catch (error) {
      this.#running.delete(id)
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
