import { randomBytes } from 'node:crypto'

/** Context of the work of a job. */
export interface JobContext {
  /** Aborted only when the server stops, never by the end of a call. */
  readonly signal: AbortSignal
  /** Reports 0 to 100. */
  progress(percent: number): void
}

/** Work that continues after the call that started it: an upload, a submission, a download or a preview. */
export interface Job<T> {
  readonly id: string
  readonly startedAt: Date
  /** 0 to 100. */
  readonly progress: number
  /** Waits for the result; returns undefined if the signal aborts first. Throws the error of the work. */
  result(signal: AbortSignal, onProgress?: (percent: number) => void): Promise<T | undefined>
}

/** Ended jobs whose results can still be queried. */
const maxRetainedJobs = 200

/** Jobs, found by their id, and by a key while they are running. */
export class BackgroundJobs<T> implements Disposable {
  readonly #byId = new Map<string, Job<T>>()
  readonly #running = new Map<string, Job<T>>()
  /** Ids in the order in which the jobs ended. */
  readonly #ended = new Set<string>()
  readonly #end = new AbortController()

  /** Starts a job. It is found by its id, and by the key while it is running. */
  start(work: (context: JobContext) => Promise<T>, key?: string): Job<T> {
    const job = startJob(work, this.#end.signal)
    this.#byId.set(job.id, job)
    if (key !== undefined) this.#running.set(key, job)
    const end = (): void => {
      if (key !== undefined) this.#running.delete(key)
      this.#retainEnded(job.id)
    }
    job.completion.then(end, end)
    return job
  }

  /** Whether any job is running. */
  get isBusy(): boolean {
    return this.#byId.size > this.#ended.size
  }

  /** The running job of this key. */
  running(key: string): Job<T> | undefined {
    return this.#running.get(key)
  }

  /** Returns the running job of this key, or starts one. */
  join(key: string, work: (context: JobContext) => Promise<T>): Job<T> {
    return this.running(key) ?? this.start(work, key)
  }

  get(id: string): Job<T> | undefined {
    return this.#byId.get(id)
  }

  [Symbol.dispose](): void {
    this.#end.abort()
  }

  #retainEnded(id: string): void {
    this.#ended.add(id)
    const [oldest] = this.#ended
    if (this.#ended.size <= maxRetainedJobs || oldest === undefined) return
    this.#ended.delete(oldest)
    this.#byId.delete(oldest)
  }
}

function startJob<T>(
  work: (context: JobContext) => Promise<T>,
  signal: AbortSignal,
): Job<T> & { readonly completion: Promise<T> } {
  let progress = 0
  const listeners = new Set<(percent: number) => void>()
  const completion = work({
    signal,
    progress(percent) {
      progress = Math.max(progress, Math.min(100, Math.floor(percent)))
      for (const listener of listeners) listener(progress)
    },
  })
  // Whoever queries the job gets its failure; without this, a failure that nobody awaits would end the process.
  completion.catch(() => undefined)
  return {
    id: `transfer-${randomBytes(6).toString('hex')}`,
    startedAt: new Date(),
    completion,
    get progress() {
      return progress
    },
    async result(until, onProgress = () => undefined) {
      listeners.add(onProgress)
      try {
        return await Promise.race([completion, untilAborted(until)])
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
