import type { WriteTransaction } from '../db/schema.ts'
import type { Turns } from './scheduler.ts'

/** Runs one attempt of a task. Does not throw when the task fails. */
export type TaskHandler = (taskId: string, signal: AbortSignal) => Promise<void>

/**
 * A queue of ready tasks. A task made ready in a committed transaction reaches a handler in the order of `Scheduler`,
 * at most `concurrency` at a time. The task table holds all state; the queue only signals that a task is ready. A
 * handler skips a task whose state has changed.
 */
export interface Queue {
  /** Turns of the accounts since the start of the service. */
  readonly turns: Turns
  /**
   * Announces, inside the transaction that makes a task ready, the time from which it can run (ms since 1970).
   * Call the returned function after the commit.
   */
  enqueue(trx: WriteTransaction, task: { id: string; readyAt: number }): Promise<() => void>
  /** Starts passing tasks to the handler. `stop` ends this, aborts running tasks and waits for them. */
  consume(handler: TaskHandler, concurrency: number): { stop(): Promise<void> }
}
