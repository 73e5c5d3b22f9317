import type { Caller } from '../accounts/keys.ts'
import { MediaError } from '../contract/errors.ts'
import { isTerminal, nextStates, type TaskRecord, type TaskState } from '../contract/task.ts'
import { failTask, transitionTask } from './transition.ts'
import type { Service } from './service.ts'
import { removeEndedSteps } from './attempt-folders.ts'
import { findOwnTask, toTaskRecord } from './records.ts'

/** What there is to do instead of cancelling or stopping. */
const instead: Partial<Record<TaskState, string>> = {
  processing:
    'It goes on: wait for it, or end it all the same: cancel_task with force true, over HTTP POST /task/{task_id}/stop.',
  completed: 'It stays as it is: ask for the task, which tells its result.',
  failed: 'Its credits were returned. Ask for the task, which tells why it failed.',
  cancelled: 'Nothing to do: its credits were returned.',
}

/** Cancels one of the caller's tasks that has not started, and refunds it; 6005, 6007. */
export async function cancelTask(service: Service, caller: Caller, id: string): Promise<void> {
  for (;;) {
    const row = await findOwnTask(service.db, caller, id)
    if (!nextStates[row.status].includes('cancelled')) {
      throw new MediaError(6007, `the task is ${row.status}; only a queued task can be cancelled`, {
        hint: instead[row.status],
      })
    }
    if (!(await transitionTask(service, row, { to: 'cancelled' }))) continue
    await removeEndedSteps(service, [id])
    return
  }
}

/**
 * Ends one of the caller's tasks wherever it is, and refunds it: one that waits is cancelled, one
 * that is worked on fails with 6009, and the attempt is aborted by the event of that. Throws 6005,
 * and 6007 for a task that has ended.
 */
export async function stopTask(service: Service, caller: Caller, id: string): Promise<TaskRecord> {
  for (;;) {
    const row = await findOwnTask(service.db, caller, id)
    if (isTerminal(row.status)) {
      throw new MediaError(6007, `the task is ${row.status}; there is nothing to stop`, {
        hint: instead[row.status],
      })
    }
    const moved =
      row.status === 'processing'
        ? await failTask(service, row, { error: new MediaError(6009, 'the task was stopped on request') })
        : await transitionTask(service, row, { to: 'cancelled' })
    if (!moved) continue
    // Those of one that is worked on are removed when its attempt has ended.
    if (moved.status === 'cancelled') await removeEndedSteps(service, [id])
    return toTaskRecord(moved)
  }
}
