import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { MediaError } from '../contract/errors.ts'
import { withTimeout } from '../platform/concurrency.ts'
import { callLimits } from './call-tool.ts'
import { describeError } from './reply.ts'

/** Returns the result of work; throws 6402 when it takes longer than so many milliseconds. Late work continues. */
export async function withServiceTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  return await withTimeout(work, ms, timeoutError)
}

/** Error of a call that exceeded its time limit. */
export function timeoutError(): MediaError {
  return new MediaError(6402, 'The service did not answer in time', {
    hint: 'What was begun goes on: see list_tasks, then call again.',
  })
}

/** Work that is no tool's, answered in time as those are; failures as the protocol tells them: of a bug nothing but that there was one. */
export async function withProtocolErrors<T>(work: Promise<T>, report: (error: unknown) => void): Promise<T> {
  try {
    return await withServiceTimeout(work, callLimits.answer)
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    if (!(error instanceof MediaError)) report(error)
    const isUnknown = error instanceof MediaError && (error.code === 6004 || error.code === 6005)
    const code = isUnknown ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError
    throw new ProtocolError(code, describeError(error))
  }
}
