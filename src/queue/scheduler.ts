/** A task as the scheduler sees it. */
export interface ScheduledTask {
  readonly id: string
  readonly accountId: number
  /** Key that created it; null for tasks from before keys were recorded. */
  readonly keyId: string | null
  /** Index into `priorities`. */
  readonly priority: number
}

/** Number of each account's latest turn. Numbers rise over all accounts; an account without one had no turn yet. */
export type Turns = ReadonlyMap<number, number>

interface SchedulerOptions {
  /** Running tasks from which a key yields to tasks of all others. */
  readonly runningPerKey: number
  /** Earlier turns; they are copied. */
  readonly turns?: Turns
  /** Tasks that run already and took their turns. */
  readonly running?: readonly ScheduledTask[]
}

/**
 * Decides which task starts next, so that no account or key keeps the others waiting. The first rule that makes a
 * difference applies:
 *
 * 1. A key that runs `runningPerKey` tasks yields to keys that run fewer.
 * 2. The account with the fewest running tasks is next.
 * 3. The account whose latest turn is the oldest is next.
 * 4. Higher priority, then earlier creation. It orders the tasks of one account, and accounts that had no turn yet.
 *
 * A waiting account without a running task starts one before any other account has two turns. No rule leaves a worker
 * idle while a task waits. Deterministic and without I/O: the queue and the estimates share it.
 */
export class Scheduler {
  readonly #runningPerKey: number
  readonly #turns: Map<number, number>
  readonly #runningOfAccount = new Map<number, number>()
  readonly #runningOfKey = new Map<string, number>()
  #latestTurn: number

  constructor({ runningPerKey, turns = new Map(), running = [] }: SchedulerOptions) {
    this.#runningPerKey = runningPerKey
    this.#turns = new Map(turns)
    this.#latestTurn = [...turns.values()].reduce((latest, turn) => Math.max(latest, turn), 0)
    for (const task of running) this.#count(task, 1)
  }

  get turns(): Turns {
    return this.#turns
  }

  /** Counts a task as running and as its account's latest turn. */
  start(task: ScheduledTask): void {
    this.#count(task, 1)
    this.#turns.set(task.accountId, ++this.#latestTurn)
  }

  /** No longer counts a task as running. */
  end(task: ScheduledTask): void {
    this.#count(task, -1)
  }

  /** Negative if `one` starts before `other`, positive if after. */
  compare(one: ScheduledTask, other: ScheduledTask): number {
    return (
      Number(this.#isAtCap(one)) - Number(this.#isAtCap(other)) ||
      this.#runningIn(one) - this.#runningIn(other) ||
      this.#turnOf(one) - this.#turnOf(other) ||
      comparePriority(one, other)
    )
  }

  #isAtCap(task: ScheduledTask): boolean {
    return (this.#runningOfKey.get(keyName(task)) ?? 0) >= this.#runningPerKey
  }

  #runningIn({ accountId }: ScheduledTask): number {
    return this.#runningOfAccount.get(accountId) ?? 0
  }

  #turnOf({ accountId }: ScheduledTask): number {
    return this.#turns.get(accountId) ?? 0
  }

  #count(task: ScheduledTask, change: 1 | -1): void {
    addTo(this.#runningOfAccount, task.accountId, change)
    addTo(this.#runningOfKey, keyName(task), change)
  }
}

/** Adds to a counter; a counter of 0 is removed. */
function addTo<K>(counters: Map<K, number>, name: K, change: number): void {
  const sum = (counters.get(name) ?? 0) + change
  if (sum === 0) counters.delete(name)
  else counters.set(name, sum)
}

function keyName({ accountId, keyId }: ScheduledTask): string {
  return `${accountId} ${keyId ?? ''}`
}

/** Order of the tasks of one key: higher priority first, then in order of creation. */
function comparePriority(one: ScheduledTask, other: ScheduledTask): number {
  return other.priority - one.priority || (one.id < other.id ? -1 : 1)
}

/** Waiting tasks in the order in which a scheduler starts them. */
export class WaitingTasks<T extends ScheduledTask> {
  /** Tasks of each key; the last one is next. */
  readonly #lines: ReadonlyMap<string, T[]>

  constructor(tasks: readonly T[]) {
    this.#lines = Map.groupBy(tasks, keyName)
    for (const line of this.#lines.values()) line.sort((one, other) => comparePriority(other, one))
  }

  /** Removes and returns the task that starts next; undefined if none waits. */
  take(scheduler: Scheduler): T | undefined {
    let next: T[] | undefined
    let first: T | undefined
    for (const line of this.#lines.values()) {
      const task = line.at(-1)
      if (!task || (first && scheduler.compare(first, task) < 0)) continue
      next = line
      first = task
    }
    next?.pop()
    return first
  }
}
