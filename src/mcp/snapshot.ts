import type { TaskView } from '../client/tasks.ts'
import { taskError } from '../contract/task.ts'
import { findResultFiles } from './result-files.ts'
import type { PublishedSchema } from './schema.ts'
import type { SavedFile } from './session.ts'

/** What every long tool answers, and the task's resource holds. */
export interface Snapshot {
  readonly task_id?: string
  readonly transfer_id?: string
  readonly task_type?: string
  readonly status: TaskView['status'] | 'uploading'
  readonly progress: number
  /** In words, for the agent. */
  readonly next_step: string
  readonly files?: readonly (Omit<SavedFile, 'path' | 'bytes'> & Partial<SavedFile>)[]
  readonly output?: Readonly<Record<string, unknown>>
  readonly error?: Readonly<Record<string, unknown>>
}

/** The published form of a snapshot: loose, so that clients take what later versions add. */
export const snapshotSchema: PublishedSchema = {
  type: 'object',
  properties: {
    task_id: { type: 'string' },
    status: { type: 'string' },
    progress: { type: 'number' },
    next_step: { type: 'string' },
  },
  required: ['status', 'progress', 'next_step'],
}

/** How far the saving of a completed task's files is. */
export type Saving =
  | { readonly saved: readonly SavedFile[] }
  | { readonly underWay: number }
  | { readonly failed: string }
  | null

/** A task as a snapshot; `saveTo` is where its agent wants the files, told again because servers forget it. */
export function taskSnapshot(task: TaskView, saving: Saving = null, saveTo?: string): Snapshot {
  const { task_id, task_type, status, progress } = task
  const head = { task_id, task_type, status, progress, next_step: nextStep(task, saving, saveTo) }
  const output = task.output_result
  if (status === 'completed' && output) {
    return { ...head, files: saving && 'saved' in saving ? saving.saved : findResultFiles(output), output }
  }
  const error = taskError.safeParse(output?.['error'])
  if (error.success) return { ...head, error: error.data }
  return status === 'failed' && output ? { ...head, error: output } : head
}

const endings: Partial<Record<TaskView['status'], string>> = {
  failed:
    'The task failed and its credits were returned. See error; correct the cause and call the tool again.',
  cancelled: 'The task was cancelled and its credits were returned. Nothing more to do.',
}

function nextStep({ task_id, status }: TaskView, saving: Saving, saveTo: string | undefined): string {
  const known = `get_task with task_id "${task_id}"`
  if (saving && 'failed' in saving) {
    return `Done, but the files are not saved. ${saving.failed} Then call ${known} and save_to.`
  }
  const again = saveTo === undefined ? known : `${known} and save_to ${JSON.stringify(saveTo)}`
  if (status === 'completed') return completedStep(again, saving)
  const going = `Not finished; the work goes on by itself. Call ${again} and wait_seconds 45 to wait for it.`
  return endings[status] ?? going
}

function completedStep(again: string, saving: Exclude<Saving, { failed: string }>): string {
  if (!saving) return `Done. Call ${again} to bring the files into the workspace.`
  if ('underWay' in saving)
    return `Done; the files are ${saving.underWay} % saved. Call ${again} to wait for them.`
  if (saving.saved.length === 0) return 'Done. See output.'
  return `Done. Tell the user where it lies: ${saving.saved.map(({ path }) => path).join(', ')}`
}

/** An upload that outlasts its call, as a snapshot. */
export function uploadSnapshot(transfer: { readonly id: string; readonly progress: number }): Snapshot {
  return {
    transfer_id: transfer.id,
    status: 'uploading',
    progress: transfer.progress,
    next_step: `The upload goes on by itself. Call get_task with transfer_id "${transfer.id}" and wait_seconds 45.`,
  }
}
