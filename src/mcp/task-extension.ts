import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  type CallToolResult,
  type JSONRPCErrorResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'

/** The Tasks extension of protocol revision 2026-07-28, in which a tool call may return a task. */
export const tasksExtension = 'io.modelcontextprotocol/tasks'

interface TaskHead {
  readonly taskId: string
  readonly statusMessage?: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  /** Time from its creation that the task is kept, ms; null for unlimited. */
  readonly ttlMs: number | null
  readonly pollIntervalMs?: number
}

/** A task as `tasks/get` returns it. A tool error is a result; `failed` means that the call itself failed. */
export type DetailedTask = TaskHead &
  (
    | { readonly status: 'working' | 'cancelled' }
    | { readonly status: 'input_required'; readonly inputRequests: Readonly<Record<string, unknown>> }
    | { readonly status: 'completed'; readonly result: CallToolResult }
    | { readonly status: 'failed'; readonly error: { readonly code: number; readonly message: string } }
  )

/** The request of a handler. */
export type McpRequest = Pick<ServerContext, 'mcpReq'>['mcpReq']

/** Source of tasks. All methods throw a ProtocolError (invalid params) for an unknown task. */
export interface TaskSource {
  get(taskId: string, request: McpRequest): Promise<DetailedTask>
  /** Accepts responses to input requests; others are ignored. */
  update(taskId: string, responses: Readonly<Record<string, unknown>>): Promise<void>
  /** Starts to cancel a task; does nothing if it has ended. */
  cancel(taskId: string): Promise<void>
}

/** Whether a modern client declared in this request that it supports tasks. */
export function supportsTasks({ envelope }: { readonly envelope?: unknown }): boolean {
  return tasksDeclaration.safeParse(envelope).success
}

const tasksDeclaration = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z.object({
    extensions: z.object({ [tasksExtension]: z.record(z.string(), z.unknown()) }),
  }),
})

const taskParams = z.object({ taskId: z.string().min(1).max(64) })

/** Handles `tasks/get`, `tasks/update` and `tasks/cancel` for clients that declare the extension. */
export function handleTaskExtension({ server }: McpServer, source: TaskSource): void {
  server.setRequestHandler('tasks/get', { params: taskParams }, async ({ taskId }, { mcpReq }) => {
    requireTaskSupport(mcpReq)
    const { status, ...task } = await source.get(taskId, mcpReq)
    if (!('result' in task)) return { ...task, status }
    // The SDK adds resultType only to the outer result.
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

/** Throws if the client does not support tasks. */
export function requireTaskSupport(request: McpRequest): void {
  if (supportsTasks(request)) return
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
 * Returns the error for a client that subscribes to tasks without declaring the extension; null for any other message.
 * Clients that declare it receive no notifications either: tasks are polled, or followed as resources.
 */
export function rejectTaskListening(message: unknown): JSONRPCErrorResponse | null {
  const { data } = listenRequest.safeParse(message)
  const { _meta: meta } = data?.params ?? {}
  if (!data || supportsTasks({ envelope: meta })) return null
  const { code, message: text, data: detail } = missingTaskSupport()
  return { jsonrpc: '2.0', id: data.id, error: { code, message: text, data: detail } }
}

/** Converts a task to a tool result. `content` is present because the SDK requires it in all tool results. */
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
