import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { MediaError } from '../contract/errors.ts'
import { callLimits } from './call-tool.ts'
import { withServiceTimeout } from './in-time.ts'
import { describeError } from './reply.ts'

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
