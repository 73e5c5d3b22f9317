import type { ExpectedTimes, TaskView } from '../client/tasks.ts'
import { wasStoppedOnRequest } from './ended-on-request.ts'
import type { LinkedFile, SavedFile } from './session.ts'

/** How far the saving of a completed task's files is. */
export type DeliveryState =
  | { readonly saved: readonly SavedFile[] }
  | { readonly linked: readonly LinkedFile[] }
  | { readonly underWay: number }
  | { readonly failed: string }
  | { readonly unlinked: string }
  | null

/** What is known of a task beside its state. */
export interface TaskSnapshotOptions {
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
export function nextStep(
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
export function saveToArgument(saveTo: string | undefined): string {
  return saveTo === undefined ? '' : ` and save_to ${JSON.stringify(saveTo)}`
}
