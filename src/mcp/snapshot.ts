import type { TaskView } from '../client/tasks.ts'
import { describeCredits } from '../contract/credits.ts'
import { taskError } from '../contract/task.ts'
import { saveToArgument, nextStep, type TaskSnapshotOptions, type DeliveryState } from './next-step.ts'
import { findResultFiles, type ResultFile } from './result-files.ts'
import type { PublishedSchema } from './schema.ts'
import type { LinkedFile, PricedTask, SavedFile } from './session.ts'

/** What every long tool answers, and the task's resource holds. */
export interface Snapshot {
  readonly task_id?: string
  readonly transfer_id?: string
  readonly task_type?: string
  readonly status: TaskView['status'] | 'uploading' | 'unconfirmed' | 'declined'
  readonly progress: number
  /** In words, for the agent. */
  readonly next_step: string
  /** Of work that was not begun for its price. */
  readonly price_credits?: number
  readonly files?: readonly (ResultFile | SavedFile | LinkedFile)[]
  readonly output?: Readonly<Record<string, unknown>>
  readonly error?: Readonly<Record<string, unknown>>
}

/** The published form of a snapshot: loose, so that clients take what later versions add. */
export const snapshotSchema: PublishedSchema = {
  type: 'object',
  properties: { status: { type: 'string' }, next_step: { type: 'string' } },
  required: ['status', 'next_step'],
}

const joinedTaskNote =
  'This is the unfinished work of an equal call before, nothing was begun or charged again (force_new: true would).'

/** A task as a snapshot. */
export function taskSnapshot(task: TaskView, about: TaskSnapshotOptions = {}): Snapshot {
  const { task_id, task_type, status, progress } = task
  const next = nextStep(task, about)
  const next_step = about.isJoined ? `${joinedTaskNote} ${next}` : next
  const head = { task_id, task_type, status, progress, next_step }
  const output = task.output_result
  if (status === 'completed' && output) {
    const { delivery: saving } = about
    return { ...head, files: deliveredFiles(saving) ?? findResultFiles(output), output }
  }
  const error = taskError.safeParse(output?.['error'])
  if (error.success) return { ...head, error: error.data }
  return status === 'failed' && output ? { ...head, error: output } : head
}

function deliveredFiles(saving: DeliveryState | undefined): Snapshot['files'] {
  if (!saving) return undefined
  if ('saved' in saving) return saving.saved
  return 'linked' in saving ? saving.linked : undefined
}

/** An upload that outlasts its call, as a snapshot; `saveTo` and `isJoined` as of a task. */
export function uploadSnapshot(
  transfer: { readonly id: string; readonly progress: number },
  { saveTo, isJoined }: Pick<TaskSnapshotOptions, 'saveTo' | 'isJoined'> = {},
): Snapshot {
  const known = `get_task with transfer_id "${transfer.id}"${saveToArgument(saveTo)}`
  const next = `The upload goes on by itself. Call ${known} and wait_seconds 45.`
  return {
    transfer_id: transfer.id,
    status: 'uploading',
    progress: transfer.progress,
    next_step: isJoined ? `${joinedTaskNote} ${next}` : next,
  }
}

/** Work that is not begun, as nobody has agreed to its price. */
export function unconfirmedSnapshot({ task_type, credits }: PricedTask, next_step: string): Snapshot {
  return { task_type, status: 'unconfirmed', progress: 0, price_credits: credits, next_step }
}

/** The same, found after its call has ended: the user can be asked only within a call. */
export function callAgainSnapshot(priced: PricedTask): Snapshot {
  const next_step =
    `The files are uploaded. It costs ${describeCredits(priced.credits)}, so the user is asked first: call ` +
    `${priced.task_type} again with the same arguments.`
  return unconfirmedSnapshot(priced, next_step)
}
