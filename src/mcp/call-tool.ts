import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { MediaError } from '../contract/errors.ts'
import { readConsent } from './consent.ts'
import { withServiceTimeout, timeoutError } from './in-time.ts'
import { toErrorResult, toResult } from './reply.ts'
import type { Session } from './session.ts'
import type { ToolCall, Tool } from './tool.ts'

/** How long a call may take, ms. */
interface CallLimits {
  /** Waits end here, and the call answers with what there is. */
  readonly wait: number
  /** Whatever it hangs on, it is answered by now. */
  readonly answer: number
}

/** Clients give up at 60 s and below: every call answers within 45 s. */
export const callLimits: CallLimits = { wait: 42_000, answer: 44_000 }

/** What a call knows beside its arguments. */
export type CallContext = Pick<ServerContext, 'mcpReq'> & {
  readonly limits: CallLimits
  /** Of a client that declares them once, at the beginning. */
  readonly capabilities?: ClientCapabilities | undefined
  readonly report: (error: unknown) => void
}

/** Runs a tool for a client and answers in time; every failure becomes text for the agent. */
export async function callTool(
  session: Session,
  { tool, given }: { tool: Pick<Tool, 'run'> | undefined; given: CallToolRequest['params'] },
  context: CallContext,
): Promise<CallToolResult | InputRequiredResult> {
  if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${given.name}`)
  const call = createCall(context)
  try {
    return toResult(await withServiceTimeout(tool.run(session, given.arguments, call), context.limits.answer))
  } catch (error) {
    if (isAbortOf(call.signal, error)) return toErrorResult(timeoutError())
    if (!(error instanceof MediaError)) context.report(error)
    return toErrorResult(error)
  }
}

function createCall({ mcpReq, limits, capabilities }: CallContext): ToolCall {
  const { _meta: meta } = mcpReq
  const progressToken = meta?.progressToken
  let told = -1
  return {
    signal: AbortSignal.any([mcpReq.signal, AbortSignal.timeout(limits.wait)]),
    consent: readConsent(mcpReq, capabilities),
    progress(percent, message) {
      const progress = Math.floor(percent)
      if (progressToken === undefined || progress <= told) return
      told = progress
      const params = { progressToken, progress, total: 100, message }
      // A client that is gone needs no progress.
      mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
    },
  }
}

/** Requests reject with the signal's reason as it is, timers with it as their cause. */
function isAbortOf(signal: AbortSignal, error: unknown): boolean {
  if (!signal.aborted) return false
  return error === signal.reason || (error instanceof Error && error.cause === signal.reason)
}
