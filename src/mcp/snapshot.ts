import * as z from 'zod'
import { type ExpectedTimes, type TaskView, wasStoppedOnRequest } from '../client/tasks.ts'
import { describeCredits } from '../contract/credits.ts'
import { extensionOf, type FileKind, kindOf } from '../contract/file-kind.ts'
import { summarizeList } from '../contract/format.ts'
import type { PreviewKind } from '../contract/file-routes.ts'
import { isTerminal, taskError } from '../contract/task.ts'
import { findResultFiles, type ResultFile } from './file-delivery.ts'
import type { QuestionBatch } from './question-batch.ts'
import type { RegionOverview } from './region-overview.ts'
import type { LinkedFile, PricedTask, SavedFile } from './session.ts'
import type { PublishedSchema } from './tool.ts'

/** State of a task or submission, as long tools and the task's resource return it. */
export interface Snapshot {
  readonly task_id?: string
  readonly transfer_id?: string
  readonly task_type?: string
  readonly status: TaskView['status'] | 'uploading' | 'unconfirmed' | 'declined'
  readonly progress: number
  /** What the work waits for, such as a download. */
  readonly note?: string
  /** What the agent should do next. */
  readonly next_step: string
  /** Price of a task that is not created yet. */
  readonly price_credits?: number
  readonly files?: readonly (ResultFile | SavedFile | LinkedFile)[]
  readonly output?: Readonly<Record<string, unknown>>
  /** Regions of a detection. */
  readonly regions?: RegionOverview
  /** Questions that the agent should answer next, and the number of further ones. */
  readonly questions?: QuestionBatch['groups']
  readonly more_questions?: number
  /** What was derived from the call, or read differently from how it was written. */
  readonly assumed?: readonly string[]
  readonly error?: Readonly<Record<string, unknown>>
}

/** Published schema of a snapshot: loose, so that clients accept fields of later versions, and short in the tool list. */
export const snapshotSchema: PublishedSchema = { type: 'object' }

const joinedTaskNote =
  'This is the unfinished task of an earlier equal call. Nothing was started or charged again; to repeat it, add force_new: true to the call.'

const finishedTaskNote =
  'This is the result of an earlier equal call. Nothing was started or charged again; to repeat it, add force_new: true to the call.'

/** Describes a task. One that was stopped on request is cancelled for the agent, whatever its record says. */
export function taskSnapshot(task: TaskView, about: TaskSnapshotOptions = {}): Snapshot {
  const { task_id, task_type, progress, note } = task
  const { assumed = [], regions, batch } = about
  const status = wasStoppedOnRequest(task) ? 'cancelled' : task.status
  const earlier = isTerminal(status) ? finishedTaskNote : joinedTaskNote
  const next_step = [...(about.isJoined ? [earlier] : []), ...assumed, nextStep(task, about)].join(' ')
  const head = {
    ...{ task_id, task_type, status, progress },
    ...(note !== undefined && { note }),
    next_step,
    ...(batch && { questions: batch.groups, ...(batch.more > 0 && { more_questions: batch.more }) }),
    ...(assumed.length > 0 && { assumed }),
  }
  const output = task.output_result
  if (status === 'cancelled') return head
  if (status === 'completed' && output) {
    const files = deliveredFiles(about.delivery) ?? findResultFiles(output)
    const shown = withoutDownloadUrls(withoutFields(output, about.omitted))
    return { ...head, files, output: shown, ...(regions && { regions }) }
  }
  const error = taskError.safeParse(output?.['error'])
  if (error.success) return { ...head, error: error.data }
  return status === 'failed' && output ? { ...head, error: output } : head
}

function withoutFields(
  output: Readonly<Record<string, unknown>>,
  omitted: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(output).filter(([name]) => !omitted.includes(name)))
}

/**
 * Removes download URLs and relative links at any depth: they need a key or the address of the service, and files are
 * delivered by path or by signed link.
 */
export function withoutDownloadUrls(output: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(output).filter(
    ([name, value]) => !/(^|_)download_url$/.test(name) && !isRelativeLink(name, value),
  )
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutNestedUrls(value)]))
}

const isRelativeLink = (name: string, value: unknown): boolean =>
  /(^|_)url$/.test(name) && typeof value === 'string' && value.startsWith('/')

function withoutNestedUrls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutNestedUrls(item))
  const isObject = typeof value === 'object' && value !== null
  return isObject ? withoutDownloadUrls(value as Record<string, unknown>) : value
}

function deliveredFiles(delivery: DeliveryState | undefined): Snapshot['files'] {
  if (!delivery) return undefined
  if ('saved' in delivery) return delivery.saved
  return 'linked' in delivery ? delivery.linked : undefined
}

/** Describes a running upload or submission. */
export function uploadSnapshot(
  job: { readonly id: string; readonly progress: number },
  { saveTo, isJoined, assumed = [] }: Pick<TaskSnapshotOptions, 'saveTo' | 'isJoined' | 'assumed'> = {},
): Snapshot {
  const known = `get_task with transfer_id "${job.id}"${saveToArgument(saveTo)}`
  const next = `The upload continues in the background. Call ${known} and wait_seconds 45.`
  return {
    transfer_id: job.id,
    status: 'uploading',
    progress: job.progress,
    next_step: [...(isJoined ? [joinedTaskNote] : []), ...assumed, next].join(' '),
    ...(assumed.length > 0 && { assumed }),
  }
}

/** Describes a task that is not created, as nobody has agreed to its price. */
export function unconfirmedSnapshot(
  { task_type, credits, assumed = [] }: PricedTask,
  step: string,
): Snapshot {
  const next_step = [...assumed, step].join(' ')
  const head = { task_type, status: 'unconfirmed', progress: 0, price_credits: credits } as const
  return { ...head, next_step, ...(assumed.length > 0 && { assumed }) }
}

/** The same after the call has ended: the user can be asked only within a call. */
export function callAgainSnapshot(priced: PricedTask): Snapshot {
  const next_step =
    `The files are uploaded. It costs ${describeCredits(priced.credits)}, so the user must agree first: call ` +
    `${priced.task_type} again with the same arguments.`
  return unconfirmedSnapshot(priced, next_step)
}

/** State of the delivery of a completed task's files. */
export type DeliveryState =
  /** outputPath: the whole output, if it is saved as a file. */
  | { readonly saved: readonly SavedFile[]; readonly outputPath?: string }
  | { readonly linked: readonly LinkedFile[] }
  | { readonly percent: number }
  | { readonly failed: string }
  | { readonly unlinked: string }
  | null

/** Facts about a task beside its state. */
interface TaskSnapshotOptions {
  readonly delivery?: DeliveryState
  /** Where the agent wants the files. Repeated in each next step, because a restart of the server loses it. */
  readonly saveTo?: string | undefined
  /** Of an unfinished task. */
  readonly expected?: ExpectedTimes | null
  /** Advice of the operation of a completed task. */
  readonly advice?: string | undefined
  readonly assumed?: readonly string[] | undefined
  /** Regions of a completed detection. */
  readonly regions?: RegionOverview | undefined
  /** Questions of a task that waits for answers. */
  readonly batch?: QuestionBatch | undefined
  /** Whether an earlier call created it. */
  readonly isJoined?: boolean | undefined
  /** Fields of the output that are left out, as the agent gets them in a file. */
  readonly omitted?: readonly string[] | undefined
}

const terminalSteps: Partial<Record<TaskView['status'], string>> = {
  failed: 'The task failed and its credits were returned. See error: fix the cause and call the tool again.',
  cancelled: 'The task was cancelled and its credits were returned. No further action is required.',
}

const stoppedStep =
  'The task was stopped on request and its credits were returned. No further action is required. To run it from ' +
  'the start, call the tool again.'

/** Instruction for the agent: what to do next about a task. */
function nextStep(
  task: TaskView,
  { delivery = null, saveTo, expected, advice, batch }: TaskSnapshotOptions,
): string {
  const { task_id, status } = task
  const known = `get_task with task_id "${task_id}"`
  if (delivery && 'failed' in delivery) {
    return `Done, but the files are not saved. ${delivery.failed}. Then call ${known} and save_to.`
  }
  const again = known + saveToArgument(saveTo)
  if (delivery && 'unlinked' in delivery) {
    return `Done, see output, but links to the files could not be created. ${delivery.unlinked}. Then call ${again}.`
  }
  if (status === 'completed') return completedStep(again, delivery, { advice, notes: outputNotes(task) })
  if (status === 'failed' && wasStoppedOnRequest(task)) return stoppedStep
  if (batch) return `Answer the questions: call answer_questions with task_id "${task_id}".`
  const { questionsOpen = 0 } = task
  if (questionsOpen > 0 && !isTerminal(status)) {
    const [count, them] = questionsOpen === 1 ? ['1 question', 'it'] : [`${questionsOpen} questions`, 'them']
    return `Not finished; it waits for answers to ${count}. Call ${again} to get ${them}.`
  }
  const going = describeActivity(task, expected)
  return terminalSteps[status] ?? `Not finished; ${going}. Call ${again} and wait_seconds 45 to wait for it.`
}

function describeActivity({ status, note }: TaskView, expected: ExpectedTimes | null | undefined): string {
  if (status === 'processing' && note !== undefined) return `it is ${note}`
  return expected ? describeExpectedTimes(status, expected) : 'it runs in the background'
}

function describeExpectedTimes(status: TaskView['status'], { wait, work }: ExpectedTimes): string {
  if (status === 'processing') return `it runs in the background and ${describeRemaining(work)}`
  const start = wait < 1 ? 'shortly' : `in about ${formatRoughDuration(wait)}`
  const takes = work === null ? '' : `, and then takes about ${formatRoughDuration(work)}`
  return `it is queued and starts ${start}${takes}`
}

function describeRemaining(work: number | null): string {
  if (work === null) return 'takes longer than expected'
  return work < 1 ? 'is almost done' : `takes about ${formatRoughDuration(work)} more`
}

/** Formats a duration: seconds up to 90, then minutes. */
function formatRoughDuration(seconds: number): string {
  return seconds <= 90 ? `${Math.ceil(seconds)} s` : `${Math.ceil(seconds / 60)} min`
}

/** What the agent learns about a result beside where it is. */
interface ResultRemarks {
  readonly advice: string | undefined
  readonly notes: readonly string[]
}

/** Remarks of an operation on its result. */
function outputNotes({ output_result }: TaskView): readonly string[] {
  return z.array(z.string()).catch([]).parse(output_result?.['notes'])
}

function completedStep(
  again: string,
  delivery: Exclude<DeliveryState, { failed: string } | { unlinked: string }>,
  { advice, notes }: ResultRemarks,
): string {
  if (!delivery) return `Done. Call ${again} to get its files.`
  if ('percent' in delivery)
    return `Done, but the files are not all ready yet (${delivery.percent} %). Call ${again} to wait for them.`
  const remarks = notes.length > 0 ? [`Notes: ${notes.map(asSentence).join(' ')}`] : []
  if ('linked' in delivery) return ['Done.', ...remarks, ...linkedSteps(delivery.linked, advice)].join(' ')
  const { saved, outputPath } = delivery
  const paths = [...(outputPath === undefined ? [] : [outputPath]), ...saved.map(({ path }) => path)]
  if (paths.length === 0) return ['Done.', ...remarks, advice ?? 'See output.'].join(' ')
  const nameNotes = saved.flatMap(({ note }) => (note === undefined ? [] : [note]))
  const last = advice ?? `${inspectionStep(saved)}Tell the user.`
  return ['Done.', ...nameNotes, `Saved to ${namePaths(paths)}.`, ...remarks, last].join(' ')
}

/** Results that are named by their paths; `files` lists all. */
const maxNamedPaths = 5

function namePaths(paths: readonly string[]): string {
  const named = summarizeList(paths, maxNamedPaths, ', ')
  return paths.length > maxNamedPaths ? `${named} (files)` : named
}

function asSentence(note: string): string {
  return /[.!?]$/.test(note) ? note : `${note}.`
}

/** How to look at a saved picture or video, or at the waveform of saved sound; empty for other files. */
function inspectionStep(saved: readonly SavedFile[]): string {
  for (const { path } of saved) {
    const preview = previewOfKind[kindOf(extensionOf(path)) ?? 'text']
    if (preview)
      return `To check it, call inspect_file with file ${JSON.stringify(path)} and preview ${preview}. `
  }
  return ''
}

const previewOfKind: Readonly<Partial<Record<FileKind, PreviewKind>>> = {
  video: 'contact_sheet',
  image: 'contact_sheet',
  audio: 'waveform',
}

function linkedSteps([first]: readonly LinkedFile[], advice: string | undefined): readonly string[] {
  if (!first) return [advice ?? 'See output.']
  const links = `Give the user the links in files; they are valid until ${first.expires_at}; download_file creates new ones.`
  return [links, ...(advice === undefined ? [] : [advice])]
}

/** Repeats the `save_to` argument in an instruction. */
function saveToArgument(saveTo: string | undefined): string {
  return saveTo === undefined ? '' : ` and save_to ${JSON.stringify(saveTo)}`
}
