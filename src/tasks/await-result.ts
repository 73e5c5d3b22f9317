import type { Caller } from '../accounts/keys.ts'
import { isErrorCode, MediaError } from '../contract/errors.ts'
import { isTerminal, taskError } from '../contract/task.ts'
import type { TaskRow } from '../db/schema.ts'
import { failTask, transitionTask, errorOutput } from './transition.ts'
import type { Service } from './service.ts'
import { removeEndedSteps } from './attempt-folders.ts'
import { findOwnTask } from './records.ts'

/** Time limit for the result of a synchronous operation, ms; clients time out after 180 s at the earliest. */
export const defaultResultTimeoutMs = 150_000

/** A task whose result a request waits for. */
interface AwaitedTask {
  readonly row: Pick<TaskRow, 'id'>
  /** Whether this request created it, so that nobody else waits for it. */
  readonly isNew: boolean
}

/**
 * Waits for a synchronous operation's task. Returns its result with the task id. Throws the task's own error, or 6402
 * after the service's time limit; then a task that this request created is ended and refunded.
 */
export async function awaitResult(
  service: Service,
  caller: Caller,
  { row: { id }, isNew }: AwaitedTask,
): Promise<Record<string, unknown>> {
  using end = service.events.watchEnd(id)
  const before = await findOwnTask(service.db, caller, id)
  if (!isTerminal(before.status)) await waitForAbort(end.signal, service.resultTimeoutMs)
  const { status, output } = await findOwnTask(service.db, caller, id)
  if (!isTerminal(status)) {
    if (isNew) await endAsBusy(service, caller, id)
    throw busyError()
  }
  const result = JSON.parse(output ?? '{}') as Record<string, unknown>
  if (status === 'completed') return { ...result, task_id: id }
  throw taskFailure(result)
}

/** Waits until a signal is aborted, at most `milliseconds`. */
async function waitForAbort(signal: AbortSignal, milliseconds: number): Promise<void> {
  const waiting = Promise.withResolvers<void>()
  const timer = setTimeout(waiting.resolve, milliseconds)
  signal.addEventListener('abort', () => waiting.resolve(), { once: true })
  if (signal.aborted) waiting.resolve()
  await waiting.promise
  clearTimeout(timer)
}

function busyError(): MediaError {
  return new MediaError(6402, 'the service is busy and did not finish this task in time', {
    hint: 'Try again later with a new Idempotency-Key, or send the header Prefer: respond-async to get a task at once.',
  })
}

/** Ends an unfinished task with 6402 and refunds it. */
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

/** The error of a task that did not complete. */
function taskFailure(result: Record<string, unknown>): MediaError {
  const error = taskError.safeParse(result['error'])
  if (!error.success) return new MediaError(6009, 'the task was cancelled')
  const { code, message, hint, retryable } = error.data
  return new MediaError(isErrorCode(code) ? code : 6500, message, { hint, retryable })
}
