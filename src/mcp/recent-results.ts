/** Time after its first report during which a finished result is offered again, ms: 10 minutes. */
const offerMs = 10 * 60 * 1000

/** Requests whose tasks are remembered. */
const maxRequests = 200

interface RecentTask {
  readonly taskId: string
  /** When its result was first reported to the agent, ms since 1970. */
  reportedAt?: number
}

/** Tasks of recent requests, so that an equal request shortly after the result is offered that result. */
export class RecentResults {
  readonly #byRequest = new Map<string, RecentTask>()
  readonly #now: () => number

  /** now: milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Remembers the latest task of a request. */
  remember(request: string, taskId: string): void {
    this.#byRequest.delete(request)
    this.#byRequest.set(request, { taskId })
    const [oldest] = this.#byRequest.keys()
    if (this.#byRequest.size > maxRequests && oldest !== undefined) this.#byRequest.delete(oldest)
  }

  /** Records that the result of a task was reported to the agent; only the first time counts. */
  report(taskId: string): void {
    for (const task of this.#byRequest.values()) {
      if (task.taskId === taskId) task.reportedAt ??= this.#now()
    }
  }

  /** The task of an equal request; undefined if its result was reported more than 10 minutes ago. */
  find(request: string): string | undefined {
    const task = this.#byRequest.get(request)
    if (!task) return undefined
    const { taskId, reportedAt = this.#now() } = task
    return this.#now() - reportedAt <= offerMs ? taskId : undefined
  }
}
