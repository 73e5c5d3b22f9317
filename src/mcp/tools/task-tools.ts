import * as z from 'zod'
import { fetchTask, type TaskRef, wasStoppedOnRequest } from '../../client/tasks.ts'
import { MediaError } from '../../contract/errors.ts'
import { id, maxPageSize } from '../../contract/fields.ts'
import { routes } from '../../contract/routes.ts'
import { taskError, type TaskListItem, taskListQuery } from '../../contract/task.ts'
import { limitConcurrency } from '../../platform/concurrency.ts'
import { nearFields } from '../near-names.ts'
import type { ToolReply } from '../reply.ts'
import { followTask } from '../run-operation.ts'
import { lookUpTask, type Session } from '../session.ts'
import { callAgainSnapshot, snapshotSchema, uploadSnapshot } from '../snapshot.ts'
import type { TextLimits } from '../summary.ts'
import { waitSeconds } from '../call-limits.ts'
import { defineTool, saveTo, type ToolCall } from '../tool.ts'
import { checkSaveTo } from '../save-files.ts'

/** Waits for a task, or for the upload or submission of a transfer_id, and saves the results. */
export const getTaskTool = defineTool(
  {
    name: 'get_task',
    title: 'Get a task',
    description:
      'Waits up to wait_seconds for a task and returns its state. Saves the files of a completed task into the workspace ' +
      'and returns their paths.',
    input: z.object({
      task_id: id.optional(),
      transfer_id: z.string().max(64).optional().describe('Of an upload, instead'),
      wait_seconds: waitSeconds,
      save_to: saveTo,
    }),
    example: { task_id: '1947528019203325952', wait_seconds: 45 },
    errors: [6005, 6013],
    outputSchema: snapshotSchema,
    hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, { task_id, transfer_id, wait_seconds, save_to }, call) => {
    await checkSaveTo(session, save_to)
    if (transfer_id !== undefined) {
      return getTransfer(session, { id: transfer_id, seconds: wait_seconds, save_to }, call)
    }
    if (task_id === undefined) {
      throw new MediaError(6013, 'Required: task_id or transfer_id', {
        hint: 'Use the id that an earlier call returned; list_tasks returns all task ids.',
      })
    }
    const task = await lookUpTask(session, task_id)
    const following = { ...task, save_to: save_to ?? task.save_to, waitSeconds: wait_seconds }
    return await followTask(session, following, call)
  },
)

interface GetTransferOptions {
  readonly id: string
  readonly seconds: number
  readonly save_to: string | undefined
}

async function getTransfer(
  session: Session,
  { id: transferId, seconds, save_to }: GetTransferOptions,
  call: ToolCall,
): Promise<ToolReply> {
  const job = session.submissions.get(transferId)
  if (!job) {
    throw new MediaError(6005, `There is no transfer ${transferId}`, {
      hint: 'A transfer ends when its server stops. Call the tool again with the same arguments.',
    })
  }
  const until = AbortSignal.any([call.signal, AbortSignal.timeout(seconds * 1000)])
  const uploaded = await job.result(until, (percent) => call.progress(percent / 10, `uploading ${percent} %`))
  if (!uploaded) return { data: { ...uploadSnapshot(job, { saveTo: save_to }) } }
  if ('priced' in uploaded) return { data: { ...callAgainSnapshot(uploaded.priced) } }
  if ('task' in uploaded) {
    const { task } = uploaded
    const following = { ...task, save_to: save_to ?? task.save_to, waitSeconds: seconds }
    return await followTask(session, following, call)
  }
  const { file_id, original_name, size } = uploaded.file
  const done = { status: 'completed', progress: 100, next_step: 'Use file_id in other tools.' }
  return { data: { ...done, file_id, name: original_name, bytes: size } }
}

const { status, task_type, page } = taskListQuery.shape

/** Rows of a page by default: fewer than over HTTP, as the text contains every one. */
const defaultRows = 10

/** The text has a line for each task of the page. */
const rowLimits: TextLimits = { value: 400, items: maxPageSize, total: Infinity }

/** Lists the account's tasks. */
export const listTasksTool = defineTool(
  {
    name: 'list_tasks',
    title: 'List tasks',
    description:
      "Lists the account's tasks, newest first. get_task returns the details of one and saves its results.",
    input: z.object({
      status,
      task_type: task_type.describe('Tool that created the task'),
      page: z.int().min(1).max(1_000_000).default(page.parse(undefined)),
      page_size: z.int().min(1).max(maxPageSize).default(defaultRows),
    }),
    example: { status: 'completed', page_size: 5 },
    errors: routes.listTasks.errors,
    hints: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  async (session, query, call) => {
    checkTaskType(session, query.task_type)
    const { list, total } = await session.client.call(routes.listTasks, { query, signal: call.signal })
    const describe = limitConcurrency(maxQueries)
    const tasks = await Promise.all(list.map((row) => describe(() => describeRow(session, row, call))))
    for (const row of tasks) {
      const ref = { task_id: row.task_id, task_type: row.task_type }
      session.tasks.remember(ref.task_id, session.tasks.get(ref.task_id) ?? ref)
    }
    const pages = Math.max(1, Math.ceil(total / query.page_size))
    const next_step = listNextStep(query, pages)
    return { data: { tasks, total, page: query.page, pages, next_step }, textLimits: rowLimits }
  },
)

/** Throws 6016 with the nearest names for a type of which there is no operation; the service would list nothing. */
function checkTaskType({ operations }: Session, type: string | undefined): void {
  const names = operations.map(({ name }) => name)
  if (type === undefined || names.includes(type)) return
  const near = nearFields(type, names)
  throw new MediaError(6016, `task_type: no tool creates tasks of type ${JSON.stringify(type)}`, {
    hint: `Use ${near.length > 0 ? near.join(' or ') : `one of ${names.join(', ')}`}.`,
  })
}

/** Tasks queried at a time for details that the list does not contain. */
const maxQueries = 8

/** A row of the list with what this session and the workspace know about the task. */
async function describeRow(session: Session, row: TaskListItem, { signal }: ToolCall) {
  const ref = { task_id: row.id, task_type: row.task_type_key }
  const { inputFiles = [] } = session.tasks.get(ref.task_id) ?? {}
  const failure = row.status === 'failed' ? await fetchTaskFailure(session, ref, signal) : {}
  const paths = row.status === 'completed' ? await session.delivery.savedPaths?.(session, ref) : undefined
  return {
    ...{ ...ref, status: row.status, progress: row.progress },
    ...(row.questions_open !== undefined && {
      questions: session.offersAnswers
        ? `${row.questions_open} for you: get_task returns them, answer_questions answers them`
        : `${row.questions_open} open`,
    }),
    ...(row.status === 'queued' &&
      row.questions_open === undefined && {
        estimated_wait_seconds: Math.ceil(row.estimated_queue_wait_duration),
        estimated_work_seconds: Math.ceil(row.estimated_duration),
      }),
    ...{ created: row.create_time, finished: row.finish_time },
    ...failure,
    ...(paths && paths.length > 0 && { paths }),
    // Last, as the text shortens long rows at their end.
    ...(inputFiles.length > 0 && { inputs: inputFiles.map(({ name }) => name) }),
  }
}

/** State and error of a failed task: one that was stopped on request is cancelled. */
async function fetchTaskFailure(
  { client }: Session,
  task: TaskRef,
  signal: AbortSignal,
): Promise<{ readonly status?: 'cancelled'; readonly error?: string }> {
  try {
    const view = await fetchTask(client, task, signal)
    if (wasStoppedOnRequest(view)) return { status: 'cancelled' }
    const error = taskError.safeParse(view.output_result?.['error']).data
    return error ? { error: `${error.code}: ${error.message}` } : {}
  } catch (error) {
    // The row without its error is still of use.
    if (error instanceof MediaError) return {}
    throw error
  }
}

interface ListedPage {
  readonly page: number
  readonly status?: string | undefined
}

function listNextStep({ page: shown, status: only }: ListedPage, pages: number): string {
  const more =
    shown < pages ? `Page ${shown} of ${pages}: call list_tasks with page ${shown + 1} for older tasks. ` : ''
  const stopped = only === 'cancelled' ? 'Tasks stopped with force are listed with status failed. ' : ''
  return `${more}${stopped}get_task returns the details of a task and delivers its results.`
}

/** Cancels a queued task; with force, stops one in progress. */
export const cancelTaskTool = defineTool(
  {
    name: 'cancel_task',
    title: 'Cancel a task',
    description:
      'Cancels a queued task and returns its credits. A task in progress continues unless force is true.',
    input: z.object({
      task_id: id,
      force: z
        .boolean()
        .default(false)
        .describe('Also stops a task in progress: its work is lost, its credits are returned'),
    }),
    example: { task_id: '1947528019203325952', force: true },
    errors: [6013, ...routes.cancelTask.errors, ...routes.stopTask.errors],
    hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  },
  async (session, { task_id, force }, call) => {
    const route = force ? routes.stopTask : routes.cancelTask
    try {
      await session.client.call(route, { params: { task_id }, signal: call.signal })
    } catch (error) {
      if (!(error instanceof MediaError && error.code === 6007)) throw error
      // A repeated call, such as after a lost response, finds the task already stopped.
      const view = await fetchTask(session.client, await lookUpTask(session, task_id))
      if (!wasStoppedOnRequest(view)) throw error
    }
    return {
      data: {
        task_id,
        status: 'cancelled',
        next_step: 'The credits were returned. No further action is required.',
      },
    }
  },
)
