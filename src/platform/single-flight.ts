interface Flight<T> {
  readonly result: Promise<T>
  readonly end: AbortController
  waiting: number
}

/**
 * Work by name, done once for all who ask while it is under way. Each waits until its own signal;
 * when the last has gone, the work is aborted.
 */
export class SingleFlight<T> {
  readonly #underWay = new Map<string, Flight<T>>()

  /** Begins the work or joins it. Rejects with the work's error, or with the reason of `signal`. */
  async join(name: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const shared = this.#underWay.get(name) ?? this.#begin(name, work)
    const left = Promise.withResolvers<never>()
    const leave = () => left.reject(signal.reason)
    signal.addEventListener('abort', leave)
    shared.waiting += 1
    try {
      return await Promise.race([shared.result, left.promise])
    } finally {
      signal.removeEventListener('abort', leave)
      shared.waiting -= 1
      if (shared.waiting === 0) await this.#end(name, shared, signal.reason)
    }
  }

  #begin(name: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const end = new AbortController()
    const shared = { result: work(end.signal), end, waiting: 0 }
    this.#underWay.set(name, shared)
    return shared
  }

  /** Returns when nothing of the work is left. */
  async #end(name: string, { result, end }: Flight<T>, reason: unknown): Promise<void> {
    this.#underWay.delete(name)
    end.abort(reason)
    await result.catch(() => undefined)
  }
}
