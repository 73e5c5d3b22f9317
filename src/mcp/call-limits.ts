import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { MediaError } from '../contract/errors.ts'
import { withTimeout } from '../platform/concurrency.ts'
import { describeError } from './reply.ts'

/** Time limits of a call, ms. */
export interface CallLimits {
  /** Waiting ends here, and the call returns the present state. */
  readonly waitMs: number
  /** The call returns by then, even if it hangs. */
  readonly responseMs: number
}

/** Clients time out after 60 s or less, so every call returns within 45 s. */
export const callLimits: CallLimits = { waitMs: 42_000, responseMs: 44_000 }

/** Argument of long tools: how long a call waits before it returns the present state, at most `callLimits.waitMs`. */
export const waitSeconds = z.int().min(0).max(45).default(20).describe('Seconds to wait')

/** Error of a call that exceeded its time limit. */
export function callTimeoutError(): MediaError {
  return new MediaError(6402, 'The service did not respond in time', {
    hint: 'Work that has started continues: check list_tasks, then call again.',
  })
}

/**
 * Runs a request that is not a tool call under the same time limit. Throws failures as ProtocolErrors; a bug is
 * reported, and the client sees only that an internal error occurred.
 */
export async function withProtocolErrors<T>(work: Promise<T>, report: (error: unknown) => void): Promise<T> {
  try {
    return await withTimeout(work, callLimits.responseMs, callTimeoutError)
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    if (!(error instanceof MediaError)) report(error)
    const isUnknown = error instanceof MediaError && (error.code === 6004 || error.code === 6005)
    const code = isUnknown ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
    throw new ProtocolError(code, describeError(error))
  }
}
