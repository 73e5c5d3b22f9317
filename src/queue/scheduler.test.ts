import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ScheduledTask, Scheduler, WaitingTasks } from './scheduler.ts'

let lastId = 0
const task = (accountId: number, { key = 'a', priority = 1 } = {}): ScheduledTask => ({
  id: String(++lastId).padStart(9, '0'),
  accountId,
  keyId: `${accountId}${key}`,
  priority,
})

/** Accounts of the tasks that one worker starts one after another. */
function accountsInOrder(tasks: readonly ScheduledTask[], scheduler = new Scheduler({ runningPerKey: 1 })) {
  const waiting = new WaitingTasks(tasks)
  const started: ScheduledTask[] = []
  for (let next = waiting.take(scheduler); next; next = waiting.take(scheduler)) {
    scheduler.start(next)
    scheduler.end(next)
    started.push(next)
  }
  return started
}

describe('a scheduler', () => {
  test('alternates between accounts, whatever their priorities', () => {
    const hostile = Array.from({ length: 300 }, () => task(1, { priority: 2 }))
    const [victim, unimportant] = [task(2), task(3, { priority: 0 })]
    const started = accountsInOrder([...hostile, victim, unimportant])
    expect(started.slice(0, 4)).toEqual([hostile[0], victim, unimportant, hostile[1]])
    expect(started).toHaveLength(302)
  })

  test('starts the task of a new account next, also after many turns of others', () => {
    const scheduler = new Scheduler({ runningPerKey: 1, turns: new Map([[1, 7]]) })
    const [first, victim] = [task(1, { priority: 2 }), task(2, { priority: 0 })]
    expect(accountsInOrder([first, victim], scheduler)).toEqual([victim, first])
    expect([...scheduler.turns]).toEqual([
      [1, 9],
      [2, 8],
    ])
  })

  test('prefers accounts with fewer running tasks to those with older turns', () => {
    const running = [task(1), task(1), task(2)]
    const scheduler = new Scheduler({ runningPerKey: 9, turns: new Map([[2, 5]]), running })
    expect(new WaitingTasks([task(1), task(2)]).take(scheduler)?.accountId).toBe(2)
  })

  test('starts the tasks of an account by priority, then in order of creation', () => {
    const [low, normal, high, later] = [task(1, { priority: 0 }), task(1), task(1, { priority: 2 }), task(1)]
    expect(accountsInOrder([later, low, normal, high])).toEqual([high, normal, later, low])
  })

  test('lets a key at its cap start a task only when no other key waits', () => {
    const scheduler = new Scheduler({ runningPerKey: 1, running: [task(1)] })
    const [more, ofOtherKey] = [task(1, { priority: 2 }), task(1, { key: 'b' })]
    const waiting = new WaitingTasks([more, ofOtherKey])
    const first = waiting.take(scheduler)
    expect(first).toBe(ofOtherKey)
    expect(waiting.take(scheduler), 'no worker is idle').toBe(more)
    expect(waiting.take(scheduler)).toBeUndefined()
  })
})

const account = fc.integer({ min: 1, max: 4 })
const steps = fc.array(
  fc.oneof(
    fc.record({
      accountId: account,
      key: fc.constantFrom('a', 'b'),
      priority: fc.integer({ min: 0, max: 2 }),
      count: fc.integer({ min: 1, max: 8 }),
    }),
    fc.record({ ends: fc.nat(20) }),
  ),
  { maxLength: 60 },
)

/** Workers that a scheduler fills; records each start that breaks a rule. */
class CheckedWorkers {
  readonly running: ScheduledTask[] = []
  readonly violations: string[] = []
  readonly #cap: number
  readonly #scheduler: Scheduler
  #waiting: ScheduledTask[] = []
  /** Turns of each other account since an account waits without a running task. */
  readonly #turnsMissed = new Map<number, number[]>()

  constructor(cap: number) {
    this.#cap = cap
    this.#scheduler = new Scheduler({ runningPerKey: cap })
  }

  add(added: readonly ScheduledTask[], count: number): void {
    this.#waiting.push(...added)
    const line = new WaitingTasks(this.#waiting)
    while (this.running.length < count) {
      const next = line.take(this.#scheduler)
      if (!next) break
      this.#check(next)
      this.#waiting = this.#waiting.filter((one) => one !== next)
      this.#scheduler.start(next)
      this.running.push(next)
    }
    if (this.running.length < count && this.#waiting.length > 0) this.violations.push('a worker is idle')
  }

  end(at: number): void {
    const [ended] = this.running.splice(at % Math.max(1, this.running.length), 1)
    if (ended) this.#scheduler.end(ended)
  }

  #isAtCap({ keyId }: ScheduledTask): boolean {
    return this.running.filter((one) => one.keyId === keyId).length >= this.#cap
  }

  #check(next: ScheduledTask): void {
    const before = this.#waiting.filter(
      ({ accountId, priority, id }) =>
        accountId === next.accountId &&
        (priority > next.priority || (priority === next.priority && id < next.id)),
    )
    if (before.some((one) => one.keyId === next.keyId || !this.#isAtCap(one))) this.violations.push('order')
    if (this.#isAtCap(next) && !this.#waiting.every((one) => this.#isAtCap(one))) this.violations.push('cap')
    const waitingAccounts = new Set(this.#waiting.map(({ accountId }) => accountId))
    for (const accountId of [1, 2, 3, 4]) {
      const isStarved =
        accountId !== next.accountId &&
        waitingAccounts.has(accountId) &&
        this.running.every((one) => one.accountId !== accountId)
      const missed = isStarved ? [...(this.#turnsMissed.get(accountId) ?? []), next.accountId] : []
      this.#turnsMissed.set(accountId, missed)
      if (new Set(missed).size < missed.length) this.violations.push('two turns while another waits')
    }
  }
}

test('a scheduler starves no account, keeps the order and the caps, and leaves no worker idle', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 4 }),
      steps,
      (count, cap, events) => {
        const workers = new CheckedWorkers(cap)
        for (const event of events) {
          if ('ends' in event) {
            workers.end(event.ends)
            workers.add([], count)
          } else {
            const { accountId, ...options } = event
            workers.add(
              Array.from({ length: event.count }, () => task(accountId, options)),
              count,
            )
          }
        }
        expect(workers.violations).toEqual([])
      },
    ),
  )
})
