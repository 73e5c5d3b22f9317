import type { Db } from '../db/schema.ts'
import type { TaskHandler, Queue } from './queue.ts'

interface LocalQueueOptions {
  readonly db: Db
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** A failure of the scheduler itself. */
  readonly onError: (error: unknown) => void
}

/** Looks again after a scheduler failure, and at the latest after this long, ms. */
const maxPollIntervalMs = 5_000

/**
 * A queue inside one process: the task table is the queue, and a commit that made a task ready
 * rings the bell. Only one process may consume a database this way.
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
  #looking: Promise<void> | undefined
  #lookAgain = false
  #alarm: NodeJS.Timeout | undefined

  constructor(options: LocalQueueOptions, handler: TaskHandler, concurrency: number) {
    this.#options = options
    this.#handler = handler
    this.#concurrency = concurrency
  }

  /** Starts what is ready; calls that come while it looks make it look once more. */
  poll(): void {
    if (this.#stop.signal.aborted) return
    if (this.#looking) {
      this.#lookAgain = true
      return
    }
    this.#looking = this.#fill()
      .catch((error: unknown) => {
        this.#options.onError(error)
        this.#wakeIn(maxPollIntervalMs)
      })
      .finally(() => {
        this.#looking = undefined
        if (!this.#lookAgain) return
        this.#lookAgain = false
        this.poll()
      })
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    clearTimeout(this.#alarm)
    await this.#looking
    await Promise.all(this.#running.values())
  }

  async #fill(): Promise<void> {
    const free = this.#concurrency - this.#running.size
    if (free <= 0) return
    const now = this.#options.clock()
    const ready = await this.#ready(now, free)
    for (const id of ready) this.#start(id)
    if (ready.length < free) await this.#napUntilNext(now)
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
      // The task may still be queued: at once would be a tight loop.
      this.#wakeIn(maxPollIntervalMs)
    }
  }

  /** A retry that waits for its moment needs an alarm; everything else rings. */
  async #napUntilNext(now: number): Promise<void> {
    const next = await this.#queued()
      .select((eb) => eb.fn.min('ready_at').as('at'))
      .where('ready_at', '>', now)
      .executeTakeFirst()
    if (next && next.at !== null) this.#wakeIn(Math.min(next.at - now, maxPollIntervalMs))
  }

  #wakeIn(milliseconds: number): void {
    clearTimeout(this.#alarm)
    this.#alarm = setTimeout(() => this.poll(), milliseconds)
    this.#alarm.unref()
  }
}
