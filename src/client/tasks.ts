import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { id } from '../contract/fields.ts'
import { routes } from '../contract/routes.ts'
import { isTerminal, taskError, type TaskListItem, taskState, type TaskState } from '../contract/task.ts'
import type { Client } from './client.ts'

/** A task as a client needs it, from any service that keeps the contract. */
export interface TaskView {
  readonly task_id: string
  readonly task_type: string
  readonly status: TaskState
  readonly progress: number
  readonly output_result: Readonly<Record<string, unknown>> | null
  /** ISO 8601, where the service tells them. */
  readonly created?: string | undefined
  readonly updated?: string | undefined
}

/** What names a task: queries need the type too. */
export interface TaskRef extends Pick<TaskView, 'task_id' | 'task_type'> {
  /** A task that was created by an answer with its result: services need know no more of it. */
  readonly ended?: TaskView | undefined
}

// Some operations answer only `task_id` at creation, and name it `id` in queries (contract 1, 2.1 and 2.4).
const createdTask = z.looseObject({
  task_id: id,
  status: taskState.optional(),
  joined: z.boolean().default(false),
})
const queriedTask = z.object({
  status: taskState,
  progress: z.number().min(0).max(100).catch(0),
  output_result: z.record(z.string(), z.unknown()).nullish(),
  create_time: z.iso.datetime({ offset: true }).optional().catch(undefined),
  update_time: z.iso.datetime({ offset: true }).optional().catch(undefined),
})

/** A task to be made. */
interface NewTask {
  readonly task_type: string
  /** Goes as it is, so that absent fields stay absent. */
  readonly body: Record<string, unknown>
  /** Whether an equal task that has not ended does as well. Services may not know that. */
  readonly join?: boolean
  /** Whether its creation answers with its result. Ours are asked not to, so that it is followed as any other. */
  readonly synchronous?: boolean | undefined
}

function preferHeader({ join = false, synchronous = false }: NewTask): string | undefined {
  const wishes = [...(join ? ['join-identical'] : []), ...(synchronous ? ['respond-async'] : [])]
  return wishes.length > 0 ? wishes.join(', ') : undefined
}

/**
 * Creates a task, or joins one. A connection that breaks is tried again under the same key, so that no
 * second task comes of it.
 */
export async function createTask(
  client: Client,
  task: NewTask,
  signal?: AbortSignal,
): Promise<TaskView & { readonly joined: boolean }> {
  const { task_type } = task
  const route = { ...routes.createTask, data: createdTask }
  const answer = await client.call(route, {
    params: { task_type },
    body: task.body,
    idempotencyKey: randomUUID(),
    prefer: preferHeader(task),
    signal,
  })
  const { task_id, joined, status, ...result } = answer
  if (task.synchronous && status === undefined) {
    return { task_id, task_type, joined, status: 'completed', progress: 100, output_result: result }
  }
  return { task_id, task_type, joined, status: status ?? 'queued', progress: 0, output_result: null }
}

/** Credits that a creation would cost. */
export async function quoteTask(client: Client, task: NewTask, signal?: AbortSignal): Promise<number> {
  const { task_type, body } = task
  const params = { task_type }
  const { credits } = await client.call(routes.quoteTask, {
    params,
    body,
    prefer: preferHeader(task),
    signal,
  })
  return credits
}

/** Queries a task; 6005 when there is none of that id and type. */
export async function queryTask(client: Client, task: TaskRef, signal?: AbortSignal): Promise<TaskView> {
  const { task_id, task_type, ended } = task
  if (ended) return ended
  const route = { ...routes.queryTask, data: queriedTask }
  const { status, progress, output_result, ...times } = await client.call(route, {
    params: { task_id, task_type },
    signal,
  })
  const view = { task_id, task_type, status, progress, output_result: output_result ?? null }
  return { ...view, created: times.create_time, updated: times.update_time }
}

/** Seconds that a task is expected to wait from now on, and to be worked on then; one that is worked on waits no more. */
export interface ExpectedTimes {
  readonly wait: number
  /** Null of one that takes longer than expected: nobody knows how long. */
  readonly work: number | null
}

/** Tasks among which one is looked for: the most that one page holds. */
const maxListedTasks = 100

/** From this percentage on what a task took so far tells more of the rest than its estimate; the first steps may be of any length. */
const minProgressToExtrapolate = 20

/** What the task list expects of a task that waits or is worked on; null where it does not tell. */
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
    // The task is there all the same.
    if (error instanceof MediaError) return null
    throw error
  }
}

function remainingSeconds({ progress, estimated_duration, actual_duration }: TaskListItem): number | null {
  const worked = actual_duration ?? 0
  if (worked > 0 && progress >= minProgressToExtrapolate) return (worked * (100 - progress)) / progress
  return worked < estimated_duration ? estimated_duration - worked : null
}

/** Finds a task whose type is not known by asking for it under each type; 6005 when none has it. */
export async function findTask(
  client: Client,
  taskId: string,
  { types, signal }: { types: readonly string[]; signal?: AbortSignal },
): Promise<TaskView> {
  const found = await Promise.all(
    types.map((task_type) =>
      queryTask(client, { task_id: taskId, task_type }, signal).catch((error: unknown) => {
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

/** Time between two polls, ms: 0.1 s at first, doubling, 5 s at most. */
export function pollDelay(poll: number): number {
  return Math.min(firstPollDelayMs * 2 ** Math.min(poll, 30), maxDelayMs)
}

/** Somebody who tells of tasks as they change. */
export interface TaskChangeFeed {
  /**
   * Calls the listener for every change of any task until the returned function is called; with null
   * when it has just begun to hear, and changes before that went by.
   */
  follow(listener: (task: TaskRef | null) => void): () => void
}

interface WaitForTaskOptions {
  /** Ends the wait, not the task. */
  readonly signal: AbortSignal
  /** Makes the wait end sooner than the next poll. */
  readonly changes?: TaskChangeFeed
  readonly onChange?: (task: TaskView) => void
}

/** Waits until a task is terminal, or until the signal: answers the task as last seen. */
export async function waitForTask(
  client: Client,
  task: TaskRef,
  options: WaitForTaskOptions,
): Promise<TaskView> {
  let view = await queryTask(client, task)
  let nudge = new AbortController()
  const unfollow = options.changes?.follow((changed) => {
    if (!changed || changed.task_id === task.task_id) nudge.abort()
  })
  try {
    for (let poll = 0; ; poll += 1) {
      options.onChange?.(view)
      if (isTerminal(view.status) || options.signal.aborted) return view
      await abortableDelay(pollDelay(poll), AbortSignal.any([options.signal, nudge.signal]))
      nudge = new AbortController()
      view = await queryTask(client, task)
    }
  } finally {
    unfollow?.()
  }
}

async function abortableDelay(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

/** Whether a task was ended on request: one that was stopped while it was worked on has failed with 6009. */
export function wasStoppedOnRequest({ status, output_result }: TaskView): boolean {
  return status === 'cancelled' || taskError.safeParse(output_result?.['error']).data?.code === 6009
}
