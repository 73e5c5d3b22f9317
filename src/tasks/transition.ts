import { refundCredits } from '../accounts/ledger.ts'
import type { MediaError } from '../contract/errors.ts'
import { isTerminal, nextStates, type TaskError, type TaskState } from '../contract/task.ts'
import { lockAccount } from '../db/queries.ts'
import type { TaskRow, WriteTransaction } from '../db/schema.ts'
import { failpoint } from '../platform/failpoint.ts'
import { recordEvent } from './events.ts'
import { logTransition } from './metrics.ts'
import type { Service } from './service.ts'
import { toTaskRecord } from './records.ts'

/** A change of a task's state and what changes with it. */
export interface Transition {
  readonly to: TaskState
  readonly set?: Partial<Pick<TaskRow, 'output' | 'progress' | 'attempts' | 'started_at'>>
  /** How long it must wait before it may begin again, ms. */
  readonly waitMs?: number
  /** Further writes of the same transaction. */
  readonly write?: (trx: WriteTransaction) => Promise<void>
}

class StateChanged extends Error {}

/**
 * Moves a task from the state it was read in: the row, the refund where it fails or is cancelled,
 * and the numbered event in one transaction; then tells followers. Null when it left that state
 * meanwhile.
 */
export async function transitionTask(
  service: Service,
  task: TaskRow,
  move: Transition,
): Promise<TaskRow | null> {
  if (!nextStates[task.status].includes(move.to)) {
    throw new Error(`a task cannot go from ${task.status} to ${move.to}`)
  }
  const now = service.clock()
  try {
    const result = await service.db.transaction().execute(async (trx) => {
      await lockAccount(trx, task.account_id)
      const updated = await trx
        .updateTable('tasks')
        .set({
          ...move.set,
          status: move.to,
          updated_at: now,
          ...(isTerminal(move.to) && { finished_at: now }),
          ...(move.waitMs !== undefined && { ready_at: now + move.waitMs }),
        })
        .where('id', '=', task.id)
        .where('status', '=', task.status)
        .returningAll()
        .executeTakeFirst()
      if (!updated) throw new StateChanged()
      if (move.to === 'failed' || move.to === 'cancelled') {
        await refundCredits(trx, {
          accountId: task.account_id,
          keyId: task.key_id,
          taskId: task.id,
          amount: task.credits,
          now,
        })
      }
      await move.write?.(trx)
      const seq = await recordEvent(service, trx, { row: updated, now })
      const announce =
        move.to === 'queued'
          ? await service.queue.enqueue(trx, { id: updated.id, readyAt: updated.ready_at })
          : undefined
      failpoint(`move.${move.to}.before-commit`)
      return { row: updated, seq, announce }
    })
    failpoint(`move.${move.to}.after-commit`)
    result.announce?.()
    const { row, seq } = result
    if (seq !== null)
      service.events.publish(row.account_id, { event: 'status', seq, task: toTaskRecord(row) })
    if (isTerminal(row.status)) service.events.publishEnd(row.id)
    logTransition(service, row)
    return row
  } catch (error) {
    if (error instanceof StateChanged) return null
    throw error
  }
}

/** Fails a task with what an error says, and refunds it; null as `transitionTask`. */
export async function failTask(
  service: Service,
  task: TaskRow,
  { error, attempts = task.attempts }: { error: MediaError; attempts?: number },
): Promise<TaskRow | null> {
  return await transitionTask(service, task, { to: 'failed', set: { attempts, output: errorOutput(error) } })
}

/** The output of a task that ended with an error. */
export function errorOutput({ code, message, hint, retryable }: MediaError): string {
  const error: TaskError = { code, message, hint, retryable }
  return JSON.stringify({ error })
}
