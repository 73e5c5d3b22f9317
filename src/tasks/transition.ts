import { refundCredits } from '../accounts/ledger.ts'
import type { MediaError } from '../contract/errors.ts'
import { mayHaveInlineImages } from '../contract/inline-image.ts'
import { isTerminal, nextStates, type TaskError, type TaskState } from '../contract/task.ts'
import { lockAccount } from '../db/queries.ts'
import type { TaskRow, WriteTransaction } from '../db/schema.ts'
import { failpoint } from '../platform/failpoint.ts'
import { hasNoEvents, recordEvent } from './events.ts'
import { forgetInlineImages, removeUnusedImages } from './inline-images.ts'
import { logTransition } from './task-metrics.ts'
import { toTaskRecord } from './records.ts'
import type { Service } from './service.ts'

/** Columns that a transition may set. */
type TaskColumns = Partial<
  Pick<TaskRow, 'output' | 'progress' | 'attempts' | 'started_at'> &
    Pick<TaskRow, 'ready_at' | 'questions_open' | 'suspensions' | 'worked_ms' | 'steps_bytes'>
>

/** A change of a task's state, with the columns and writes that belong to it. */
interface Transition {
  readonly to: TaskState
  readonly set?: TaskColumns
  /** Reads further columns within the transaction. */
  readonly read?: (trx: WriteTransaction) => Promise<TaskColumns>
  /** Delay before the next attempt, ms. */
  readonly waitMs?: number
  /** Further writes in the same transaction. */
  readonly write?: (trx: WriteTransaction) => Promise<void>
}

class StateChanged extends Error {}

/**
 * Changes the state of a task: row, refund (when it fails or is cancelled) and numbered event in one transaction, then
 * publishes the event. Returns null if the task is no longer in the state of `task`.
 */
export async function transitionTask(
  service: Service,
  task: TaskRow,
  transition: Transition,
): Promise<TaskRow | null> {
  if (!nextStates[task.status].includes(transition.to)) {
    throw new Error(`a task cannot go from ${task.status} to ${transition.to}`)
  }
  const now = service.clock()
  try {
    const result = await service.db.transaction().execute(async (trx) => {
      await lockAccount(trx, task.account_id)
      const updated = await trx
        .updateTable('tasks')
        .set({
          ...transition.set,
          ...(await transition.read?.(trx)),
          status: transition.to,
          note: null,
          updated_at: now,
          ...(isTerminal(transition.to) && { finished_at: now, questions_open: 0, steps_bytes: 0 }),
          ...(transition.waitMs !== undefined && { ready_at: now + transition.waitMs }),
        })
        .where('id', '=', task.id)
        .where('status', '=', task.status)
        .returningAll()
        .executeTakeFirst()
      if (!updated) throw new StateChanged()
      if (transition.to === 'failed' || transition.to === 'cancelled') await refundTask(trx, task, now)
      const images = isTerminal(transition.to) ? await forgetContent(service, trx, task) : []
      await transition.write?.(trx)
      const seq = await recordEvent(service, trx, { row: updated, now })
      const announce =
        transition.to === 'queued'
          ? await service.queue.enqueue(trx, { id: updated.id, readyAt: updated.ready_at })
          : undefined
      failpoint(`move.${transition.to}.before-commit`)
      return { row: updated, seq, announce, images }
    })
    failpoint(`move.${transition.to}.after-commit`)
    result.announce?.()
    const { row, seq, images } = result
    if (seq !== null)
      service.events.publish(row.account_id, { event: 'status', seq, task: toTaskRecord(row) })
    if (isTerminal(row.status)) service.events.publishEnd(row.id)
    logTransition(service, row)
    await removeImages(service, row, images)
    return row
  } catch (error) {
    if (error instanceof StateChanged) return null
    throw error
  }
}

/** Returns the credits of a failed or cancelled task. */
async function refundTask(trx: WriteTransaction, task: TaskRow, now: number): Promise<void> {
  const { id: taskId, account_id: accountId, key_id: keyId, credits: amount } = task
  await refundCredits(trx, { accountId, keyId, taskId, amount, now })
}

/** Removes the questions and images of an ended task. Returns the images, whose content can be removed. */
async function forgetContent(
  service: Service,
  trx: WriteTransaction,
  task: TaskRow,
): Promise<readonly { readonly blake3: string }[]> {
  await removeQuestions(trx, task)
  const module = service.operations.get(task.type)
  return module && mayHaveInlineImages(module.operation.input) ? await forgetInlineImages(trx, task.id) : []
}

/** Removes the content of the images of an ended task. What remains after a failure is removed at the next start. */
async function removeImages(
  service: Service,
  { id }: Pick<TaskRow, 'id'>,
  images: readonly { readonly blake3: string }[],
): Promise<void> {
  await removeUnusedImages(service, images).catch((error: unknown) =>
    service.log.error({ err: error, task_id: id }, 'inline images were not removed'),
  )
}

/** Removes questions and answers of an ended task: they contain what users wrote, and nobody reads them any more. */
async function removeQuestions(
  trx: WriteTransaction,
  { id, answers_by }: Pick<TaskRow, 'id' | 'answers_by'>,
): Promise<void> {
  if (answers_by === 'agent') await trx.deleteFrom('questions').where('task_id', '=', id).execute()
}

/** Fails a task with an error and refunds it. Returns null as `transitionTask` does. */
export async function failTask(
  service: Service,
  task: TaskRow,
  { error, attempts = task.attempts }: { error: MediaError; attempts?: number },
): Promise<TaskRow | null> {
  return await transitionTask(service, task, { to: 'failed', set: { attempts, output: errorOutput(error) } })
}

/** Output of a task that ended with an error, as JSON. */
export function errorOutput({ code, message, hint, retryable }: MediaError): string {
  const error: TaskError = { code, message, hint, retryable }
  return JSON.stringify({ error })
}

/** Minimum interval between two records of progress, ms. */
const progressEveryMs = 1_000

/** Returns a function that records a task's progress, 0 to 99, and publishes it. */
export function progressRecorder(service: Service, task: TaskRow): (percent: number) => void {
  let recordedAt = Number.NEGATIVE_INFINITY
  return (percent) => {
    const now = service.clock()
    // Only a completed task has 100.
    const progress = Math.min(percent, 99)
    if (now - recordedAt < progressEveryMs) return
    recordedAt = now
    recordProgress(service, task.id, progress).catch((error: unknown) =>
      service.log.error({ err: error, task_id: task.id }, 'progress was not recorded'),
    )
  }
}

async function recordProgress(service: Service, id: string, progress: number): Promise<void> {
  const row = await service.db
    .updateTable('tasks')
    .set({ progress, updated_at: service.clock() })
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .where('progress', '<', progress)
    .returningAll()
    .executeTakeFirst()
  publishProgress(service, row)
}

function publishProgress(service: Service, row: TaskRow | undefined): void {
  if (row && !hasNoEvents(service, row))
    service.events.publish(row.account_id, { event: 'progress', task: toTaskRecord(row) })
}

/**
 * Returns a function that records what the work of a task waits for (null for nothing) and publishes it as progress. Notes
 * are written one after another; the latest replaces those that have not been written.
 */
export function noteRecorder(service: Service, task: TaskRow): (note: string | null) => void {
  let next: string | null | undefined
  let isWriting = false
  const write = async (): Promise<void> => {
    isWriting = true
    try {
      while (next !== undefined) {
        const note = next
        next = undefined
        await recordNote(service, task.id, note)
      }
    } catch (error) {
      service.log.error({ err: error, task_id: task.id }, 'a note was not recorded')
    } finally {
      isWriting = false
    }
  }
  return (note) => {
    next = note
    if (!isWriting) void write()
  }
}

async function recordNote(service: Service, id: string, note: string | null): Promise<void> {
  const row = await service.db
    .updateTable('tasks')
    .set({ note, updated_at: service.clock() })
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .returningAll()
    .executeTakeFirst()
  publishProgress(service, row)
}
