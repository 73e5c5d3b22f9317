import type { CallToolRequest, CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server'
import { MediaError } from '../contract/errors.ts'
import { isTerminal, taskState } from '../contract/task.ts'
import { callTool, type CallContext } from './call-tool.ts'
import { withServiceTimeout } from './in-time.ts'
import { describeTaskOrSubmission } from './media-tasks.ts'
import type { Session } from './session.ts'
import type { Snapshot } from './snapshot.ts'
import { toTaskResult } from './task-extension.ts'
import type { Tool } from './tool.ts'

/** How long a call whose work has begun may take to tell it as a task, ms. */
const describeTimeoutMs = 3000

/** Calls a tool for a client that takes tasks: an operation answers with its task as soon as there is one. */
export async function callToolAsTask(
  session: Session,
  { tool, given }: { readonly tool: Tool | undefined; readonly given: CallToolRequest['params'] },
  context: CallContext,
): Promise<CallToolResult | InputRequiredResult> {
  if (!session.operations.some(({ name }) => name === given.name))
    return callTool(session, { tool, given }, context)
  // The client waits by itself.
  const args = { ...given, arguments: { ...given.arguments, wait_seconds: 0 } }
  const result = await callTool(session, { tool, given: args }, context)
  const { task_id, transfer_id, status } = (result['structuredContent'] ?? {}) as Partial<Snapshot>
  const id = transfer_id ?? task_id
  if (id === undefined || !isUnfinished(status)) return result
  try {
    return toTaskResult(
      await withServiceTimeout(describeTaskOrSubmission(session, id, context.mcpReq), describeTimeoutMs),
    )
  } catch (error) {
    // It is begun, and paid: its snapshot tells it as well.
    if (!(error instanceof MediaError)) context.report(error)
    return result
  }
}

function isUnfinished(status: unknown): boolean {
  const { data: state } = taskState.safeParse(status)
  return status === 'uploading' || (state !== undefined && !isTerminal(state))
}
