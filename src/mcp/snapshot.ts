import type { ExpectedTimes, TaskView } from '../client/tasks.ts'
import { describeCredits } from '../contract/credits.ts'
import { taskError } from '../contract/task.ts'
import { findResultFiles, type ResultFile } from './result-files.ts'
import type { PublishedSchema } from './schema.ts'
import type { LinkedFile, PricedWork, SavedFile } from './session.ts'

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
  | { readonly linked: readonly LinkedFile[] }
  | { readonly underWay: number }
  | { readonly failed: string }
  | null

/** What is known of a task beside its state. */
interface About {
  readonly saving?: Saving
  /** Where its agent wants the files, told again because servers forget it. */
  readonly saveTo?: string | undefined
  /** Of a queued task. */
  readonly expected?: ExpectedTimes | null
  /** Whether it was there before the call that asked for it. */
  readonly isJoined?: boolean | undefined
}

const joinedNote =
  'This is the unfinished work of an equal call before, nothing was begun or charged again (force_new: true would).'

/** A task as a snapshot. */
export function taskSnapshot(task: TaskView, about: About = {}): Snapshot {
  const { task_id, task_type, status, progress } = task
  const next = nextStep(task, about)
  const next_step = about.isJoined ? `${joinedNote} ${next}` : next
  const head = { task_id, task_type, status, progress, next_step }
  const output = task.output_result
  if (status === 'completed' && output) {
    const { saving } = about
    return { ...head, files: filesOf(saving) ?? findResultFiles(output), output }
  }
  const error = taskError.safeParse(output?.['error'])
  if (error.success) return { ...head, error: error.data }
  return status === 'failed' && output ? { ...head, error: output } : head
}

function filesOf(saving: Saving | undefined): Snapshot['files'] {
  if (!saving) return undefined
  if ('saved' in saving) return saving.saved
  return 'linked' in saving ? saving.linked : undefined
}

const endings: Partial<Record<TaskView['status'], string>> = {
  failed:
    'The task failed and its credits were returned. See error; correct the cause and call the tool again.',
  cancelled: 'The task was cancelled and its credits were returned. Nothing more to do.',
}

function nextStep({ task_id, status }: TaskView, { saving = null, saveTo, expected }: About): string {
  const known = `get_task with task_id "${task_id}"`
  if (saving && 'failed' in saving) {
    return `Done, but the files are not saved. ${saving.failed} Then call ${known} and save_to.`
  }
  const again = known + andSaveTo(saveTo)
  if (status === 'completed') return completedStep(again, saving)
  const going = status === 'queued' && expected ? whenItStarts(expected) : 'the work goes on by itself'
  return endings[status] ?? `Not finished; ${going}. Call ${again} and wait_seconds 45 to wait for it.`
}

function whenItStarts({ wait, work }: ExpectedTimes): string {
  const start = wait < 1 ? 'any moment' : `in about ${inWords(wait)}`
  return `it is queued, starts by itself ${start}, and takes about ${inWords(work)} then`
}

/** Seconds up to a minute and a half, then minutes. */
function inWords(seconds: number): string {
  return seconds <= 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
}

function completedStep(again: string, saving: Exclude<Saving, { failed: string }>): string {
  if (!saving) return `Done. Call ${again} to bring the files into the workspace.`
  if ('underWay' in saving)
    return `Done; the files are ${saving.underWay} % saved. Call ${again} to wait for them.`
  if ('linked' in saving) return linkedStep(saving.linked)
  if (saving.saved.length === 0) return 'Done. See output.'
  const paths = saving.saved.map(({ path }) => path).join(', ')
  const notes = saving.saved.flatMap(({ note }) => (note === undefined ? [] : [note]))
  return ['Done.', ...notes, `Tell the user where it lies: ${paths}`].join(' ')
}

function linkedStep([first]: readonly LinkedFile[]): string {
  if (!first) return 'Done. See output.'
  return `Done. Give the user the links in files; they open until ${first.expires_at}, and download_file makes new ones.`
}

/** An upload that outlasts its call, as a snapshot; `saveTo` and `isJoined` as of a task. */
export function uploadSnapshot(
  transfer: { readonly id: string; readonly progress: number },
  { saveTo, isJoined }: Pick<About, 'saveTo' | 'isJoined'> = {},
): Snapshot {
  const known = `get_task with transfer_id "${transfer.id}"${andSaveTo(saveTo)}`
  const next = `The upload goes on by itself. Call ${known} and wait_seconds 45.`
  return {
    transfer_id: transfer.id,
    status: 'uploading',
    progress: transfer.progress,
    next_step: isJoined ? `${joinedNote} ${next}` : next,
  }
}

/** Work that is not begun, as nobody has agreed to its price. */
export function unconfirmedSnapshot({ task_type, credits }: PricedWork, next_step: string): Snapshot {
  return { task_type, status: 'unconfirmed', progress: 0, price_credits: credits, next_step }
}

/** The same, found after its call has ended: the user can be asked only within a call. */
export function laterUnconfirmedSnapshot(priced: PricedWork): Snapshot {
  const next_step =
    `The files are uploaded. It costs ${describeCredits(priced.credits)}, so the user is asked first: call ` +
    `${priced.task_type} again with the same arguments.`
  return unconfirmedSnapshot(priced, next_step)
}

function andSaveTo(saveTo: string | undefined): string {
  return saveTo === undefined ? '' : ` and save_to ${JSON.stringify(saveTo)}`
}
