/** Runs at most `limit` pieces of work at once; the others wait in order of arrival. */
export function limitConcurrency(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    // A finished piece of work passes its slot to the next in the queue, so `running` does not change.
    if (running === limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/** An account, or the key of one. */
type Group = number | string

interface FairLimitOptions {
  /** Pieces of work that run at once. */
  readonly limit: number
  /** Pieces of one group that run at once; `limit` by default. */
  readonly groupLimit?: number
  /** Most pieces of one group that wait. */
  readonly maxWaiting: number
  /** Creates the error for a piece beyond them. */
  readonly excess: () => Error
}

/**
 * Runs at most `limit` pieces of work at once. When one ends, the group whose latest turn is the oldest is next; the
 * pieces of a group start in order of arrival. A waiting piece whose signal aborts leaves with the signal's reason.
 */
export function limitFairly({ limit, groupLimit = limit, maxWaiting, excess }: FairLimitOptions) {
  let latestTurn = 0
  const turns = new Map<Group, number>()
  const running: Group[] = []
  const waiting = new Map<Group, (() => void)[]>()

  const mayStart = (group: Group) =>
    running.length < limit && running.filter((one) => one === group).length < groupLimit
  const begin = (group: Group) => {
    running.push(group)
    turns.set(group, ++latestTurn)
  }
  const startNext = () => {
    const turnOf = (group: Group) => turns.get(group) ?? 0
    const [group] = [...waiting.keys()].filter(mayStart).toSorted((one, other) => turnOf(one) - turnOf(other))
    const line = group === undefined ? undefined : waiting.get(group)
    if (group === undefined || !line) return
    begin(group)
    line.shift()?.()
    if (line.length === 0) waiting.delete(group)
  }
  const waitForTurn = async (group: Group, signal: AbortSignal | undefined) => {
    const line = waiting.get(group) ?? []
    if (line.length >= maxWaiting) throw excess()
    const turn = Promise.withResolvers<void>()
    line.push(turn.resolve)
    waiting.set(group, line)
    const leave = () => {
      const at = line.indexOf(turn.resolve)
      // A piece whose turn has come starts.
      if (at === -1) return
      line.splice(at, 1)
      if (line.length === 0) waiting.delete(group)
      turn.reject(signal?.reason)
    }
    signal?.addEventListener('abort', leave, { once: true })
    await turn.promise.finally(() => signal?.removeEventListener('abort', leave))
  }
  return async <T>(group: Group, work: () => Promise<T>, signal?: AbortSignal): Promise<T> => {
    signal?.throwIfAborted()
    if (mayStart(group)) begin(group)
    else await waitForTurn(group, signal)
    try {
      return await work()
    } finally {
      running.splice(running.indexOf(group), 1)
      startNext()
    }
  }
}

/** Runs pieces of work with the same name one after another, in order of arrival. */
export function keyedMutex(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return async (name, work) => {
    const before = last.get(name)
    // The caller of the previous one handles its failure.
    const current = before ? before.then(work, work) : work()
    last.set(name, current)
    try {
      return await current
    } finally {
      if (last.get(name) === current) last.delete(name)
    }
  }
}

interface Flight<T> {
  readonly result: Promise<T>
  readonly end: AbortController
  waiting: number
}

/**
 * Runs work with the same name once for all concurrent callers. Each caller waits until its own signal aborts; when the
 * last has left, the work is aborted.
 */
export class SingleFlight<T> {
  readonly #underWay = new Map<string, Flight<T>>()

  /** Starts the work or joins it. Rejects with the error of the work, or with the reason of `signal`. */
  async join(name: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const shared = this.#underWay.get(name) ?? this.#begin(name, work)
    const aborted = Promise.withResolvers<never>()
    const leave = () => aborted.reject(signal.reason)
    signal.addEventListener('abort', leave)
    shared.waiting += 1
    try {
      return await Promise.race([shared.result, aborted.promise])
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

  /** Aborts the work and waits until it has settled. */
  async #end(name: string, { result, end }: Flight<T>, reason: unknown): Promise<void> {
    this.#underWay.delete(name)
    end.abort(reason)
    await result.catch(() => undefined)
  }
}

/**
 * Returns the result of work, or throws the error of `timeout` when it takes longer than so many milliseconds.
 * Late work continues; its result is dropped.
 */
export async function withTimeout<T>(work: Promise<T>, ms: number, timeout: () => Error): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(timeout()), ms).unref()
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
