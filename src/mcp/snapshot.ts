import { type ExpectedTimes, type TaskView, wasStoppedOnRequest } from '../client/tasks.ts'
import { describeCredits } from '../contract/credits.ts'
import { taskError } from '../contract/task.ts'
import { findResultFiles, type ResultFile } from './file-delivery.ts'
import type { LinkedFile, PricedTask, SavedFile } from './session.ts'
import type { PublishedSchema } from './tool.ts'

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

/** How far the saving of a completed task's files is. */
export type DeliveryState =
  | { readonly saved: readonly SavedFile[] }
  | { readonly linked: readonly LinkedFile[] }
  | { readonly underWay: number }
  | { readonly failed: string }
  | { readonly unlinked: string }
  | null

/** What is known of a task beside its state. */
interface TaskSnapshotOptions {
  readonly delivery?: DeliveryState
  /** Where its agent wants the files, told again because servers forget it. */
  readonly saveTo?: string | undefined
  /** Of one that has not ended. */
  readonly expected?: ExpectedTimes | null
  /** Of one that is completed: what its operation says is to be done next. */
  readonly advice?: string | undefined
  /** Whether it was there before the call that asked for it. */
  readonly isJoined?: boolean | undefined
}

const stoppedStep =
  'The task was stopped on request and its credits were returned. Nothing more to do; where it is wanted ' +
  'after all, call the tool again, which runs it from the start.'

const terminalSteps: Partial<Record<TaskView['status'], string>> = {
  failed:
    'The task failed and its credits were returned. See error; correct the cause and call the tool again.',
  cancelled: 'The task was cancelled and its credits were returned. Nothing more to do.',
}

/** What an agent does next about a task, in words. */
function nextStep(
  task: TaskView,
  { delivery: saving = null, saveTo, expected, advice }: TaskSnapshotOptions,
): string {
  const { task_id, status } = task
  const known = `get_task with task_id "${task_id}"`
  if (saving && 'failed' in saving) {
    return `Done, but the files are not saved. ${saving.failed} Then call ${known} and save_to.`
  }
  const again = known + saveToArgument(saveTo)
  if (saving && 'unlinked' in saving) {
    return `Done, see output, but there are no links to the files. ${saving.unlinked} Then call ${again}.`
  }
  if (status === 'completed') return completedStep(again, saving, advice)
  if (status === 'failed' && wasStoppedOnRequest(task)) return stoppedStep
  const going = expected ? describeExpectedTimes(status, expected) : 'the work goes on by itself'
  return terminalSteps[status] ?? `Not finished; ${going}. Call ${again} and wait_seconds 45 to wait for it.`
}

function describeExpectedTimes(status: TaskView['status'], { wait, work }: ExpectedTimes): string {
  if (status === 'processing') return `the work goes on by itself and ${describeRemaining(work)}`
  const start = wait < 1 ? 'any moment' : `in about ${formatSeconds(wait)}`
  const takes = work === null ? '' : `, and takes about ${formatSeconds(work)} then`
  return `it is queued, starts by itself ${start}${takes}`
}

function describeRemaining(work: number | null): string {
  if (work === null) return 'takes longer than expected'
  return work < 1 ? 'is about done' : `takes about ${formatSeconds(work)} yet`
}

/** Seconds up to a minute and a half, then minutes. */
function formatSeconds(seconds: number): string {
  return seconds <= 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
}

function completedStep(
  again: string,
  saving: Exclude<DeliveryState, { failed: string } | { unlinked: string }>,
  advice: string | undefined,
): string {
  if (!saving) return `Done. Call ${again} to have its files.`
  if ('underWay' in saving)
    return `Done; the files are not all there yet (${saving.underWay} %). Call ${again} to wait for them.`
  if ('linked' in saving)
    return [linkedStep(saving.linked), ...(advice === undefined ? [] : [advice])].join(' ')
  if (saving.saved.length === 0) return `Done. ${advice ?? 'See output.'}`
  const paths = saving.saved.map(({ path }) => path).join(', ')
  const notes = saving.saved.flatMap(({ note }) => (note === undefined ? [] : [note]))
  const last =
    advice === undefined ? `Tell the user where it lies: ${paths}` : `${advice} It lies at ${paths}`
  return ['Done.', ...notes, last].join(' ')
}

function linkedStep([first]: readonly LinkedFile[]): string {
  if (!first) return 'Done. See output.'
  return `Done. Give the user the links in files; they open until ${first.expires_at}, and download_file makes new ones.`
}

/** The argument that repeats where files go. */
function saveToArgument(saveTo: string | undefined): string {
  return saveTo === undefined ? '' : ` and save_to ${JSON.stringify(saveTo)}`
}
