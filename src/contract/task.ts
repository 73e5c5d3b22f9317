import * as z from 'zod'
import { agentField } from './agent-form.ts'
import { id, pageOf, paging, timestamp } from './fields.ts'

/** Task states (contract 1, section 3). */
export const taskStates = ['created', 'queued', 'processing', 'completed', 'failed', 'cancelled'] as const
export const taskState = agentField(z.enum(taskStates), {
  names: {
    ...{ running: 'processing', 'in progress': 'processing', active: 'processing', working: 'processing' },
    ...{
      pending: 'queued',
      waiting: 'queued',
      done: 'completed',
      finished: 'completed',
      success: 'completed',
    },
    ...{
      complete: 'completed',
      error: 'failed',
      errored: 'failed',
      failure: 'failed',
      canceled: 'cancelled',
    },
  },
})
export type TaskState = z.infer<typeof taskState>

/** Allowed state transitions; any other is a bug. `processing -> queued` is a retry or a restart. */
export const nextStates: Record<TaskState, readonly TaskState[]> = {
  created: ['queued', 'cancelled'],
  queued: ['processing', 'cancelled'],
  processing: ['completed', 'failed', 'queued'],
  completed: [],
  failed: [],
  cancelled: [],
}

/** Whether a task in this state no longer changes. */
export function isTerminal(state: TaskState): boolean {
  return nextStates[state].length === 0
}

/** Order in which queued tasks start. */
export const priorities = ['low', 'normal', 'high'] as const
export const priority = z.enum(priorities)
export type Priority = z.infer<typeof priority>

/** Why a task failed, inside `output_result.error`. */
export const taskError = z.object({
  code: z.int(),
  message: z.string(),
  hint: z.string().optional(),
  step: z.string().optional(),
  retryable: z.boolean(),
})
export type TaskError = z.infer<typeof taskError>

/** Expected times in seconds. */
const estimates = {
  estimated_duration: z.number().describe('Expected seconds of work'),
  estimated_queue_wait_duration: z.number().describe('Expected seconds until the work starts'),
}

/** Response to a creation (contract 1, 2.3); only operations that declare them return estimates. */
export const taskCreated = z.object({
  task_id: id,
  task_type: z.string(),
  status: taskState,
  created_at: timestamp.optional(),
  estimated_duration: z.number().optional(),
  estimated_queue_wait_duration: z.number().optional(),
  estimated_total_duration: z.number().optional(),
  joined: z
    .literal(true)
    .optional()
    .describe('The task already existed; only where the request prefers join-identical'),
})
export type TaskCreated = z.infer<typeof taskCreated>

/** Price and expected duration of a task before it is created. */
export const taskQuote = z.object({
  credits: z.int().describe('Credits the task would hold'),
  ...estimates,
  estimated_total_duration: z.number().describe('Expected seconds until it has ended'),
})
export type TaskQuote = z.infer<typeof taskQuote>

const questions_open = z
  .int()
  .optional()
  .describe('Questions that the task waits for: GET /task/{task_id}/questions; absent otherwise')

/** Response to a query (contract 1, 2.4). */
export const taskRecord = z.object({
  task_id: id,
  id,
  task_type: z.string(),
  status: taskState,
  progress: z.int().min(0).max(100),
  output_result: z.record(z.string(), z.unknown()).nullable(),
  note: z
    .string()
    .optional()
    .describe('What the work waits for, such as the download of a model; absent otherwise'),
  questions_open,
  create_time: timestamp,
  update_time: timestamp,
})
export type TaskRecord = z.infer<typeof taskRecord>

/** One row of the task list (contract 1, 2.5). */
export const taskListItem = z.object({
  id,
  status: taskState,
  priority: z.string(),
  progress: z.int(),
  ...estimates,
  actual_duration: z
    .number()
    .nullable()
    .describe('Seconds of work so far, or in total; null before the start'),
  process_start_time: timestamp.nullable(),
  finish_time: timestamp.nullable(),
  create_time: timestamp,
  questions_open,
  task_type_key: z.string(),
  task_type_name: z.string(),
})
export type TaskListItem = z.infer<typeof taskListItem>

/** Query of the task list (contract 1, 4.4). */
export const taskListQuery = z.object({
  status: z
    .enum(['queued', 'processing', 'completed', 'failed', 'cancelled'])
    .optional()
    .describe('Only tasks in this state'),
  task_type: z
    .string()
    .regex(/^[!-~]{1,64}$/, 'not a task type')
    .optional()
    .describe('A task type key; the list is empty for an unknown one'),
  ...paging,
})
export type TaskListQuery = z.infer<typeof taskListQuery>

export const taskList = pageOf(taskListItem)
export type TaskList = z.infer<typeof taskList>

/** Most tasks whose subjects one request lists: a page of the task list. */
const maxSubjects = 100

/** Query of subjects. */
export const taskSubjectsQuery = z.object({
  ids: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(id).max(maxSubjects))
    .describe(`Ids of tasks, separated by commas, at most ${maxSubjects}`),
})

/** What a task works on, for people. */
const taskSubject = z.object({
  task_id: id,
  text: z.string().optional().describe('What it searches for'),
  files: z
    .array(z.object({ file_id: id, name: z.string() }))
    .describe('Its input files, in the order of the request'),
})
export type TaskSubject = z.infer<typeof taskSubject>

export const taskSubjects = z.object({ list: z.array(taskSubject) })

/** Message from a client on the event socket. */
export const subscribeMessage = z.union([
  z.object({ action: z.literal('subscribe'), task_id: id }),
  z.object({
    action: z.literal('subscribe'),
    all: z.literal(true),
    after: z.int().min(0).optional().describe('Last sequence number already seen'),
  }),
])
export type SubscribeMessage = z.infer<typeof subscribeMessage>

/** Message on the event socket; `seq` numbers the status events of an account without gaps. */
export const taskEvent = z.discriminatedUnion('event', [
  z.object({ event: z.literal('snapshot'), seq: z.int(), task: taskRecord.nullable() }),
  z.object({ event: z.literal('status'), seq: z.int(), task: taskRecord }),
  z.object({ event: z.literal('progress'), task: taskRecord }),
  z.object({ event: z.literal('error'), code: z.int(), msg: z.string() }),
])
export type TaskEvent = z.infer<typeof taskEvent>
