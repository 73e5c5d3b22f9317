import { randomBytes } from 'node:crypto'

/** What work of a transfer is given. */
export interface JobContext {
  /** Aborted only when the server ends: no call's end stops a transfer. */
  readonly signal: AbortSignal
  /** Reports 0 to 100. */
  progress(percent: number): void
}

/** Work that goes on beyond the call that began it. */
export interface Job<T> {
  readonly id: string
  readonly startedAt: Date
  /** 0 to 100. */
  readonly progress: number
  /** Waits for the result, or for the signal: then undefined. Throws what the work threw. */
  within(signal: AbortSignal, onProgress?: (percent: number) => void): Promise<T | undefined>
}

/** Ended transfers kept for those who ask later. */
const maxEndedJobs = 200

/** Transfers that are found by their id, and by a key while they are under way. */
export class BackgroundJobs<T> implements Disposable {
  readonly #byId = new Map<string, Job<T>>()
  readonly #underWay = new Map<string, Job<T>>()
  /** Ids, the first that ended first. */
  readonly #ended = new Set<string>()
  readonly #end = new AbortController()

  /** Starts work that is found by its id from now on, and by a key while it is under way. */
  start(work: (context: JobContext) => Promise<T>, key?: string): Job<T> {
    const transfer = startJob(work, this.#end.signal)
    this.#byId.set(transfer.id, transfer)
    if (key !== undefined) this.#underWay.set(key, transfer)
    const end = (): void => {
      if (key !== undefined) this.#underWay.delete(key)
      this.#keepEnded(transfer.id)
    }
    transfer.result.then(end, end)
    return transfer
  }

  /** Whether any is under way. */
  get isBusy(): boolean {
    return this.#byId.size > this.#ended.size
  }

  /** The work under way of this key. */
  running(key: string): Job<T> | undefined {
    return this.#underWay.get(key)
  }

  /** Joins the work under way of this key, or starts it. */
  join(key: string, work: (context: JobContext) => Promise<T>): Job<T> {
    return this.running(key) ?? this.start(work, key)
  }

  get(id: string): Job<T> | undefined {
    return this.#byId.get(id)
  }

  [Symbol.dispose](): void {
    this.#end.abort()
  }

  #keepEnded(id: string): void {
    this.#ended.add(id)
    const [oldest] = this.#ended
    if (this.#ended.size <= maxEndedJobs || oldest === undefined) return
    this.#ended.delete(oldest)
    this.#byId.delete(oldest)
  }
}

function startJob<T>(
  work: (context: JobContext) => Promise<T>,
  signal: AbortSignal,
): Job<T> & { readonly result: Promise<T> } {
  let progress = 0
  const listeners = new Set<(percent: number) => void>()
  const result = work({
    signal,
    progress(percent) {
      progress = Math.max(progress, Math.min(100, Math.floor(percent)))
      for (const listener of listeners) listener(progress)
    },
  })
  // A failure belongs to whoever asks, now or later; nobody may be asking when it happens.
  result.catch(() => undefined)
  return {
    id: `transfer-${randomBytes(6).toString('hex')}`,
    startedAt: new Date(),
    result,
    get progress() {
      return progress
    },
    async within(until, onProgress = () => undefined) {
      listeners.add(onProgress)
      try {
        return await Promise.race([result, untilAborted(until)])
      } finally {
        listeners.delete(onProgress)
      }
    },
  }
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
