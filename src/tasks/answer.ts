import type { Caller } from '../accounts/keys.ts'
import { isErrorCode, MediaError } from '../contract/errors.ts'
import { isTerminal, taskError } from '../contract/task.ts'
import type { TaskRow } from '../db/schema.ts'
import { stopTask } from './end.ts'
import type { Service } from './service.ts'
import { ownTask } from './store.ts'

/** How long a synchronous operation's result is waited for, ms: clients give up after 180 s at the earliest. */
export const patience = 150_000

/**
 * The result of a synchronous operation's task, with its id, once it is there. Throws what the task failed with; a
 * task that takes longer than the service has patience is stopped and refunded: 6402.
 */
export async function answerOf(
  service: Service,
  caller: Caller,
  { id }: Pick<TaskRow, 'id'>,
): Promise<Record<string, unknown>> {
  using end = service.events.watchEnd(id)
  const before = await ownTask(service.db, caller, id)
  if (!isTerminal(before.status)) await settled(end.signal, service.patience)
  const { status, output } = await ownTask(service.db, caller, id)
  if (!isTerminal(status)) return await giveUp(service, caller, id)
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

async function giveUp(service: Service, caller: Caller, id: string): Promise<never> {
  await stopTask(service, caller, id).catch((error: unknown) => {
    // It has ended at this very moment; as this caller hears nothing of it, that is the same.
    if (!(error instanceof MediaError && error.code === 6007)) throw error
  })
  throw new MediaError(6402, 'the service is busy with other tasks and did not come to this one in time', {
    hint: 'Call again when some of them have ended, or with the header Prefer: respond-async, which answers with a task at once.',
  })
}

/** What a task ended with that did not complete. */
function failureOf(result: Record<string, unknown>): MediaError {
  const told = taskError.safeParse(result['error'])
  if (!told.success) return new MediaError(6009, 'the task was cancelled')
  const { code, message, hint, retryable } = told.data
  return new MediaError(isErrorCode(code) ? code : 6500, message, { hint, retryable })
}
