import type { Caller } from '../accounts/keys.ts'
import { isErrorCode, MediaError } from '../contract/errors.ts'
import { isTerminal, taskError } from '../contract/task.ts'
import type { TaskRow } from '../db/schema.ts'
import { failTask, transitionTask, errorOutput } from './transition.ts'
import type { Service } from './service.ts'
import { removeEndedSteps } from './attempt-folders.ts'
import { findOwnTask } from './records.ts'

/** How long a synchronous operation's result is waited for, ms: clients give up after 180 s at the earliest. */
export const defaultResultTimeoutMs = 150_000

/** A task whose result is waited for. */
interface AwaitedTask {
  readonly row: Pick<TaskRow, 'id'>
  /** Whether it was made for this answer, so that nobody else waits for it. */
  readonly isMade: boolean
}

/**
 * The result of a synchronous operation's task, with its id, once it is there. Throws what the task failed with; 6402
 * where it takes longer than the service has patience, which ends and refunds a task that was made for this answer.
 */
export async function awaitResult(
  service: Service,
  caller: Caller,
  { row: { id }, isMade }: AwaitedTask,
): Promise<Record<string, unknown>> {
  using end = service.events.watchEnd(id)
  const before = await findOwnTask(service.db, caller, id)
  if (!isTerminal(before.status)) await waitForAbort(end.signal, service.resultTimeoutMs)
  const { status, output } = await findOwnTask(service.db, caller, id)
  if (!isTerminal(status)) {
    if (isMade) await endAsBusy(service, caller, id)
    throw busyError()
  }
  const result = JSON.parse(output ?? '{}') as Record<string, unknown>
  if (status === 'completed') return { ...result, task_id: id }
  throw taskFailure(result)
}

/** Waits until a signal is aborted, for some milliseconds at most. */
async function waitForAbort(signal: AbortSignal, milliseconds: number): Promise<void> {
  const waiting = Promise.withResolvers<void>()
  const timer = setTimeout(waiting.resolve, milliseconds)
  signal.addEventListener('abort', () => waiting.resolve(), { once: true })
  if (signal.aborted) waiting.resolve()
  await waiting.promise
  clearTimeout(timer)
}

function busyError(): MediaError {
  return new MediaError(6402, 'the service is busy with other tasks and did not come to this one in time', {
    hint: 'Call again, under a new Idempotency-Key, when some of them have ended; or with the header Prefer: respond-async, which answers with a task at once.',
  })
}

/** Ends a task as busy, wherever it is; one that has ended at this very moment stays so. */
async function endAsBusy(service: Service, caller: Caller, id: string): Promise<void> {
  for (;;) {
    const row = await findOwnTask(service.db, caller, id)
    if (isTerminal(row.status)) return
    const moved =
      row.status === 'processing'
        ? await failTask(service, row, { error: busyError() })
        : await transitionTask(service, row, { to: 'cancelled', set: { output: errorOutput(busyError()) } })
    if (!moved) continue
    if (moved.status === 'cancelled') await removeEndedSteps(service, [id])
    return
  }
}

/** What a task ended with that did not complete. */
function taskFailure(result: Record<string, unknown>): MediaError {
  const told = taskError.safeParse(result['error'])
  if (!told.success) return new MediaError(6009, 'the task was cancelled')
  const { code, message, hint, retryable } = told.data
  return new MediaError(isErrorCode(code) ? code : 6500, message, { hint, retryable })
}
