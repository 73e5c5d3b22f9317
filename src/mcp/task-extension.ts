import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  type CallToolResult,
  type JSONRPCErrorResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'

/** The Tasks extension of protocol revision 2026-07-28, in which a tool may answer with a task. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

interface TaskHead {
  readonly taskId: string
  readonly statusMessage?: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** How long the task is kept from its creation, ms; null for no end. */
  readonly ttlMs: number | null
  readonly pollIntervalMs?: number
}

/** A task as `tasks/get` tells it; what a tool found wrong is a result, `failed` is for what broke the call itself. */
export type DetailedTask = TaskHead &
  (
    | { readonly status: 'working' | 'cancelled' }
    | { readonly status: 'input_required'; readonly inputRequests: Readonly<Record<string, unknown>> }
    | { readonly status: 'completed'; readonly result: CallToolResult }
    | { readonly status: 'failed'; readonly error: { readonly code: number; readonly message: string } }
  )

/** A request as handlers know it. */
export type McpRequest = Pick<ServerContext, 'mcpReq'>['mcpReq']

/** Whose tasks are told; each throws a ProtocolError of invalid params for a task it does not know. */
export interface TaskSource {
  get(taskId: string, asked: McpRequest): Promise<DetailedTask>
  /** Takes answers to what tasks asked for; those that nobody asked for are ignored. */
  update(taskId: string, responses: Readonly<Record<string, unknown>>): Promise<void>
  /** Begins to end a task; of one that has ended nothing. */
  cancel(taskId: string): Promise<void>
}

/** Whether a modern client said on this very request that it takes tasks for answers. */
export function supportsTasks({ envelope }: { readonly envelope?: unknown }): boolean {
  return tasksDeclaration.safeParse(envelope).success
}

const tasksDeclaration = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({
    extensions: z.object({ [tasksExtension]: z.record(z.string(), z.unknown()) }),
  }),
})

const taskParams = z.object({ taskId: z.string().min(1).max(64) })

/** Serves `tasks/get`, `tasks/update` and `tasks/cancel`, to clients that declare the extension alone. */
export function handleTaskExtension({ server }: McpServer, source: TaskSource): void {
  server.setRequestHandler('tasks/get', { params: taskParams }, async ({ taskId }, { mcpReq }) => {
    requireTaskSupport(mcpReq)
    const { status, ...task } = await source.get(taskId, mcpReq)
    if (!('result' in task)) return { ...task, status }
    // A result inside a result is not stamped by the SDK.
    return { ...task, status, result: { resultType: 'complete', ...task.result } }
  })
  server.setRequestHandler('tasks/update', { params: taskParams }, async ({ taskId }, { mcpReq }) => {
    requireTaskSupport(mcpReq)
    await source.update(taskId, mcpReq.inputResponses ?? {})
    return {}
  })
  server.setRequestHandler('tasks/cancel', { params: taskParams }, async ({ taskId }, { mcpReq }) => {
    requireTaskSupport(mcpReq)
    await source.cancel(taskId)
    return {}
  })
}

/** Refuses a request of a client that takes no tasks. */
export function requireTaskSupport(asked: McpRequest): void {
  if (supportsTasks(asked)) return
  throw missingTaskSupport()
}

function missingTaskSupport(): MissingRequiredClientCapabilityError {
  return new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [tasksExtension]: {} } },
  })
}

const listenRequest = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.literal('subscriptions/listen'),
  params: z.object({
    notifications: z.object({ taskIds: z.array(z.unknown()) }),
    _meta: z.looseObject({ [CLIENT_CAPABILITIES_META_KEY]: z.looseObject({}) }),
  }),
})

/**
 * The error for a client that wants to hear of tasks and does not declare the extension; null for any
 * other message. Those that declare it hear nothing either: tasks are polled, or followed as resources.
 */
export function rejectTaskListening(message: unknown): JSONRPCErrorResponse | null {
  const { data } = listenRequest.safeParse(message)
  const { _meta: meta } = data?.params ?? {}
  if (!data || supportsTasks({ envelope: meta })) return null
  const { code, message: text, data: detail } = missingTaskSupport()
  return { jsonrpc: '2.0', id: data.id, error: { code, message: text, data: detail } }
}

/** The answer of a tool that is a task; `content` is there because the SDK takes every answer of a tool for one with content. */
export function toTaskResult({
  taskId,
  createdAt,
  lastUpdatedAt,
  ttlMs,
  ...rest
}: DetailedTask): CallToolResult {
  const { status, statusMessage, pollIntervalMs } = rest
  const task = { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs }
  return { resultType: 'task', content: [], ...task }
}
