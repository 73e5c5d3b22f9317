import type { Caller } from '../accounts/keys.ts'
import { MediaError } from '../contract/errors.ts'
import { isTerminal, nextStates, type TaskRecord, type TaskState } from '../contract/task.ts'
import { failTask, transitionTask } from './transition.ts'
import type { Service } from './service.ts'
import { removeEndedSteps } from './attempt-folders.ts'
import { findOwnTask, toTaskRecord } from './records.ts'

/** The fix for a task that cannot be cancelled or stopped, by its state. */
const instead: Partial<Record<TaskState, string>> = {
  processing:
    'Wait for it, or stop it: call cancel_task with force true (over HTTP: POST /task/{task_id}/stop).',
  completed: 'Get the task to read its result.',
  failed: 'Its credits were refunded. Get the task to read why it failed.',
  cancelled: 'Its credits were refunded; nothing is left to do.',
}

/** Cancels one of the caller's queued tasks and refunds it. Throws 6005 and 6007. */
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
 * Ends one of the caller's tasks in any state, and refunds it. A queued task is cancelled; a processing one fails with
 * 6009, whose event aborts the attempt. Throws 6005, and 6007 for a task that has ended.
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
    // The executor removes the steps of a processing task when its attempt has ended.
    if (moved.status === 'cancelled') await removeEndedSteps(service, [id])
    return toTaskRecord(moved)
  }
}
