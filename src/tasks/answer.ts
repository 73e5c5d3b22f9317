import type { Caller } from '../accounts/keys.ts'
import { isErrorCode, MediaError } from '../contract/errors.ts'
import { isTerminal, taskError } from '../contract/task.ts'
import type { TaskRow } from '../db/schema.ts'
import { failTask, moveTask, outputOf } from './move.ts'
import type { Service } from './service.ts'
import { removeStepsOfEnded } from './steps.ts'
import { ownTask } from './store.ts'

/** How long a synchronous operation's result is waited for, ms: clients give up after 180 s at the earliest. */
export const patience = 150_000

/** A task whose result is waited for. */
interface Awaited {
  readonly row: Pick<TaskRow, 'id'>
  /** Whether it was made for this answer, so that nobody else waits for it. */
  readonly isMade: boolean
}

/**
 * The result of a synchronous operation's task, with its id, once it is there. Throws what the task failed with; 6402
 * where it takes longer than the service has patience, which ends and refunds a task that was made for this answer.
 */
export async function answerOf(
  service: Service,
  caller: Caller,
  { row: { id }, isMade }: Awaited,
): Promise<Record<string, unknown>> {
  using end = service.events.watchEnd(id)
  const before = await ownTask(service.db, caller, id)
  if (!isTerminal(before.status)) await settled(end.signal, service.patience)
  const { status, output } = await ownTask(service.db, caller, id)
  if (!isTerminal(status)) {
    if (isMade) await giveUp(service, caller, id)
    throw busy()
  }
  const result = JSON.parse(output ?? '{}') as Record<string, unknown>
  if (status === 'completed') return { ...result, task_id: id }
  throw failureOf(result)
}

/** Waits until a signal is aborted, for some milliseconds at most. */
async function settled(signal: AbortSignal, milliseconds: number): Promise<void> {
  const waiting = Promise.withResolvers<void>()
  const timer = setTimeout(waiting.resolve, milliseconds)
  signal.addEventListener('abort', () => waiting.resolve(), { once: true })
  if (signal.aborted) waiting.resolve()
  await waiting.promise
  clearTimeout(timer)
}

function busy(): MediaError {
  return new MediaError(6402, 'the service is busy with other tasks and did not come to this one in time', {
    hint: 'Call again, under a new Idempotency-Key, when some of them have ended; or with the header Prefer: respond-async, which answers with a task at once.',
  })
}

/** Ends a task as busy, wherever it is; one that has ended at this very moment stays so. */
async function giveUp(service: Service, caller: Caller, id: string): Promise<void> {
  for (;;) {
    const row = await ownTask(service.db, caller, id)
    if (isTerminal(row.status)) return
    const moved =
      row.status === 'processing'
        ? await failTask(service, row, { error: busy() })
        : await moveTask(service, row, { to: 'cancelled', set: { output: outputOf(busy()) } })
    if (!moved) continue
    if (moved.status === 'cancelled') await removeStepsOfEnded(service, [id])
    return
  }
}

/** What a task ended with that did not complete. */
function failureOf(result: Record<string, unknown>): MediaError {
  const told = taskError.safeParse(result['error'])
  if (!told.success) return new MediaError(6009, 'the task was cancelled')
  const { code, message, hint, retryable } = told.data
  return new MediaError(isErrorCode(code) ? code : 6500, message, { hint, retryable })
}
