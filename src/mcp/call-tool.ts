import {
  type CallToolRequest,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { checkJsonValue } from '../contract/bounded-json.ts'
import { MediaError } from '../contract/errors.ts'
import { isTerminal, taskState } from '../contract/task.ts'
import { withTimeout } from '../platform/concurrency.ts'
import { type CallLimits, callTimeoutError } from './call-limits.ts'
import { describeTaskOrSubmission } from './media-tasks.ts'
import { readConsent, toErrorResult, toResult } from './reply.ts'
import { rewriteError } from './runnable-commands.ts'
import type { Session } from './session.ts'
import type { Snapshot } from './snapshot.ts'
import { toTaskResult } from './task-extension.ts'
import type { Tool, ToolCall } from './tool.ts'

/** Context of a tool call beside its arguments. */
export type CallContext = Pick<ServerContext, 'mcpReq'> & {
  readonly limits: CallLimits
  /** Capabilities of a client that declares them once, at initialization. */
  readonly capabilities?: ClientCapabilities | undefined
  readonly canReadLinks: boolean
  readonly report: (error: unknown) => void
}

/** Runs a tool within the time limit; every failure becomes text for the agent. */
export async function callTool(
  session: Session,
  { tool, given }: { tool: Pick<Tool, 'run'> | undefined; given: CallToolRequest['params'] },
  context: CallContext,
): Promise<CallToolResult | InputRequiredResult> {
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${given.name}`)
  const call = createCall(context)
  try {
    checkJsonValue(given.arguments, 'arguments')
    const reply = await withTimeout(
      tool.run(session, given.arguments, call),
      context.limits.responseMs,
      callTimeoutError,
    )
    return toResult(reply, context)
  } catch (error) {
    if (isAbortOf(call.signal, error)) return toErrorResult(callTimeoutError())
    if (!(error instanceof MediaError)) context.report(error)
    return toErrorResult(rewriteError(error, session.runnable))
  }
}

/** Increase of the progress, %, for a new message without progress. */
const messageStep = 0.001

function createCall({ mcpReq, limits, capabilities }: CallContext): ToolCall {
  const { _meta: meta } = mcpReq
  const progressToken = meta?.progressToken
  let reported = -1
  let lastMessage = ''
  return {
    signal: AbortSignal.any([mcpReq.signal, AbortSignal.timeout(limits.waitMs)]),
    consent: readConsent(mcpReq, capabilities),
    progress(percent, message) {
      const isSame = Math.floor(percent) <= reported && message === lastMessage
      if (progressToken === undefined || isSame) return
      // Values must increase, also where only the message has changed.
      const progress = Math.max(Math.floor(percent), reported + messageStep)
      reported = progress
      lastMessage = message
      const params = { progressToken, progress, total: 100, message }
      // The client may have disconnected.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
    },
  }
}

/** Aborted requests reject with the signal's reason itself, aborted timers with an error caused by it. */
function isAbortOf(signal: AbortSignal, error: unknown): boolean {
  if (!signal.aborted) return false
  return error === signal.reason || (error instanceof Error && error.cause === signal.reason)
}

/** Time limit for describing a started task, ms. */
const describeTimeoutMs = 3000

/** Calls a tool for a client that supports tasks: an operation returns as soon as its task exists. */
export async function callToolAsTask(
  session: Session,
  { tool, given }: { readonly tool: Tool | undefined; readonly given: CallToolRequest['params'] },
  context: CallContext,
): Promise<CallToolResult | InputRequiredResult> {
  if (!session.operations.some(({ name }) => name === given.name))
    return callTool(session, { tool, given }, context)
  // The client polls the task.
  const args = { ...given, arguments: { ...given.arguments, wait_seconds: 0 } }
  const result = await callTool(session, { tool, given: args }, context)
  const { task_id, transfer_id, status } = (result['structuredContent'] ?? {}) as Partial<Snapshot>
  const id = transfer_id ?? task_id
  if (id === undefined || !isUnfinished(status)) return result
  try {
    return toTaskResult(
      await withTimeout(
        describeTaskOrSubmission(session, id, context.mcpReq),
        describeTimeoutMs,
        callTimeoutError,
      ),
    )
  } catch (error) {
    // The task is started and paid for, and its snapshot describes it as well.
    if (!(error instanceof MediaError)) context.report(error)
    return result
  }
}

function isUnfinished(status: unknown): boolean {
  const { data: state } = taskState.safeParse(status)
  return status === 'uploading' || (state !== undefined && !isTerminal(state))
}
