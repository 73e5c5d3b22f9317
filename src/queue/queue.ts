import type { WriteTransaction } from '../db/schema.ts'

/** Does one ready task to the end of one attempt; never throws for a task that fails. */
export type TaskHandler = (taskId: string, signal: AbortSignal) => Promise<void>

/**
 * The promise every queue keeps: a task made ready in a committed transaction reaches a handler,
 * higher priority first, then in the order of creation, at most `concurrency` at once. The state
 * is the task table's: the queue only says "this task is ready", and a handler that finds the
 * task in another state lets it be.
 */
export interface Queue {
  /**
   * Says, inside the transaction that makes it ready, that a task is ready at a moment (ms since
   * 1970). The result is to be called after the commit.
   */
  enqueue(trx: WriteTransaction, task: { id: string; readyAt: number }): Promise<() => void>
  /** Starts handing out tasks; the result stops that, aborts what runs and waits for it. */
  consume(handler: TaskHandler, concurrency: number): { stop(): Promise<void> }
}
