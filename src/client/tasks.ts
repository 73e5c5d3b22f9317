import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { id } from '../contract/fields.ts'
import { routes } from '../contract/routes.ts'
import { isTerminal, taskError, type TaskListItem, taskState, type TaskState } from '../contract/task.ts'
import type { Client } from './client.ts'

/** State of a task, from any service that implements the contract. */
export interface TaskView {
  readonly task_id: string
  readonly task_type: string
  readonly status: TaskState
  readonly progress: number
  readonly output_result: Readonly<Record<string, unknown>> | null
  /** What the work waits for, such as a download. */
  readonly note?: string | undefined
  /** Questions that it waits for. */
  readonly questionsOpen?: number | undefined
  /** ISO 8601, if the service returns it. */
  readonly created?: string | undefined
  readonly updated?: string | undefined
}

/** Identifies a task: queries require the type too. */
export interface TaskRef extends Pick<TaskView, 'task_id' | 'task_type'> {
  /** Final state of a task whose creation returned its result: some services cannot be queried for it. */
  readonly ended?: TaskView | undefined
}

// Some operations return only `task_id` at creation, and call it `id` in queries (contract 1, 2.1 and 2.4).
const createdTask = z.looseObject({
  task_id: id,
  status: taskState.optional(),
  joined: z.boolean().default(false),
})
const queriedTask = z.object({
  status: taskState,
  progress: z.number().min(0).max(100).catch(0),
  output_result: z.record(z.string(), z.unknown()).nullish(),
  note: z.string().optional().catch(undefined),
  questions_open: z.int().optional().catch(undefined),
  create_time: z.iso.datetime({ offset: true }).optional().catch(undefined),
  update_time: z.iso.datetime({ offset: true }).optional().catch(undefined),
})

/** A task to create. */
interface NewTask {
  readonly task_type: string
  /** Sent unchanged, so that absent fields stay absent. */
  readonly body: Record<string, unknown>
  /** Whether to join an equal unfinished task. Services may not support that. */
  readonly join?: boolean
  /** Whether its creation may return the result. The service is asked to respond asynchronously instead. */
  readonly synchronous?: boolean | undefined
  /** Whether the caller offers to answer its questions to a language model. */
  readonly offersAnswers?: boolean
}

function preferHeader({ join = false, synchronous = false }: NewTask): string | undefined {
  const preferences = [...(join ? ['join-identical'] : []), ...(synchronous ? ['respond-async'] : [])]
  return preferences.length > 0 ? preferences.join(', ') : undefined
}

/** Creates or joins a task. Broken connections are retried with the same idempotency key, so that no second task results. */
export async function createTask(
  client: Client,
  task: NewTask,
  signal?: AbortSignal,
): Promise<TaskView & { readonly joined: boolean }> {
  const { task_type } = task
  const route = { ...routes.createTask, data: createdTask }
  const response = await client.call(route, {
    params: { task_type },
    body: task.body,
    idempotencyKey: randomUUID(),
    prefer: preferHeader(task),
    offersAnswers: task.offersAnswers,
    signal,
  })
  const { task_id, joined, status, ...result } = response
  if (task.synchronous && status === undefined) {
    return { task_id, task_type, joined, status: 'completed', progress: 100, output_result: result }
  }
  return { task_id, task_type, joined, status: status ?? 'queued', progress: 0, output_result: null }
}

/** Returns the credits that a task would cost. */
export async function fetchQuote(client: Client, task: NewTask, signal?: AbortSignal): Promise<number> {
  const { task_type, body } = task
  const params = { task_type }
  const { credits } = await client.call(routes.quoteTask, {
    params,
    body,
    prefer: preferHeader(task),
    offersAnswers: task.offersAnswers,
    signal,
  })
  return credits
}

/** Queries a task. Throws 6005 if no task has this id and type. */
export async function fetchTask(client: Client, task: TaskRef, signal?: AbortSignal): Promise<TaskView> {
  const { task_id, task_type, ended } = task
  if (ended) return ended
  const route = { ...routes.queryTask, data: queriedTask }
  const { status, progress, output_result, note, questions_open, ...times } = await client.call(route, {
    params: { task_id, task_type },
    signal,
  })
  const view = { task_id, task_type, status, progress, note, output_result: output_result ?? null }
  const questionsOpen = questions_open
  return { ...view, questionsOpen, created: times.create_time, updated: times.update_time }
}

/** Expected remaining waiting and processing time of a task, seconds; a task in progress has no waiting time. */
export interface ExpectedTimes {
  readonly wait: number
  /** Null if the task takes longer than expected. */
  readonly work: number | null
}

/** Largest page of the task list. */
const maxListedTasks = 100

/** Progress, %, from which the elapsed time predicts the rest better than the estimate; first steps vary in length. */
const minProgressToExtrapolate = 20

/** Expected times of a queued or processing task from the task list; null if unknown. */
export async function expectedTimes(
  client: Client,
  { task_id, task_type, status }: Pick<TaskView, 'task_id' | 'task_type' | 'status'>,
): Promise<ExpectedTimes | null> {
  if (status !== 'queued' && status !== 'processing') return null
  const query = { status, task_type, page_size: maxListedTasks }
  try {
    const { list } = await client.call(routes.listTasks, { query })
    const row = list.find(({ id: listed }) => listed === task_id)
    if (!row) return null
    const { estimated_queue_wait_duration: wait, estimated_duration: work } = row
    return status === 'queued' ? { wait, work } : { wait: 0, work: remainingSeconds(row) }
  } catch (error) {
    // An estimate is optional.
    if (error instanceof MediaError) return null
    throw error
  }
}

/** Share of the estimate that may remain before it is no longer believed, as the task has hardly progressed. */
const minRemainingShare = 0.1

function remainingSeconds({ progress, estimated_duration, actual_duration }: TaskListItem): number | null {
  const worked = actual_duration ?? 0
  if (worked > 0 && progress >= minProgressToExtrapolate) {
    const remaining = (worked * (100 - progress)) / progress
    // The last percent of a task that has used up its estimate may take any time.
    return remaining < 1 && worked > estimated_duration ? null : remaining
  }
  const remaining = estimated_duration - worked
  return remaining > minRemainingShare * estimated_duration ? remaining : null
}

/** Finds a task of unknown type by querying each type. Throws 6005 if none has it. */
export async function findTask(
  client: Client,
  taskId: string,
  { types, signal }: { types: readonly string[]; signal?: AbortSignal },
): Promise<TaskView> {
  const found = await Promise.all(
    types.map((task_type) =>
      fetchTask(client, { task_id: taskId, task_type }, signal).catch((error: unknown) => {
        if (error instanceof MediaError && error.code === 6005) return null
        throw error
      }),
    ),
  )
  const task = found.find((view) => view !== null)
  if (task) return task
  throw new MediaError(6005, `There is no task ${taskId}`, { hint: 'Check the task id, or list the tasks.' })
}

const firstPollDelayMs = 100
const maxDelayMs = 5000

/** Delay before the next poll, ms: starts at 0.1 s, doubles, at most 5 s. */
export function pollDelay(poll: number): number {
  return Math.min(firstPollDelayMs * 2 ** Math.min(poll, 30), maxDelayMs)
}

/** Notifies listeners of task changes. */
export interface TaskChangeFeed {
  /**
   * Calls the listener for each change of any task until the returned function is called. Passes null if changes may
   * have been missed.
   */
  follow(listener: (task: TaskRef | null) => void): () => void
}

interface WaitForTaskOptions {
  /** Ends the waiting, not the task. */
  readonly signal: AbortSignal
  /** Triggers a poll as soon as the task changes. */
  readonly changes?: TaskChangeFeed
  readonly onChange?: (task: TaskView) => void
}

/** Waits until a task has ended, asks questions, or the signal aborts. Returns the last known state. */
export async function waitForTask(
  client: Client,
  task: TaskRef,
  options: WaitForTaskOptions,
): Promise<TaskView> {
  let view = await fetchTask(client, task)
  let wakeUp = new AbortController()
  const unfollow = options.changes?.follow((changed) => {
    if (!changed || changed.task_id === task.task_id) wakeUp.abort()
  })
  try {
    for (let poll = 0; ; poll += 1) {
      options.onChange?.(view)
      if (isTerminal(view.status) || asksQuestions(view) || options.signal.aborted) return view
      await abortableDelay(pollDelay(poll), AbortSignal.any([options.signal, wakeUp.signal]))
      wakeUp = new AbortController()
      view = await fetchTask(client, task)
    }
  } finally {
    unfollow?.()
  }
}

/** Whether a task waits for answers to its questions. */
export function asksQuestions({ questionsOpen = 0 }: TaskView): boolean {
  return questionsOpen > 0
}

async function abortableDelay(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

/** Whether a task was cancelled or stopped on request; a stopped task has failed with 6009. */
export function wasStoppedOnRequest({ status, output_result }: TaskView): boolean {
  return status === 'cancelled' || taskError.safeParse(output_result?.['error']).data?.code === 6009
}
