import { MediaError } from '../../contract/errors.ts'
import { SuspendedError } from '../../contract/questions.ts'

/**
 * Returns the answers to questions; undefined for those that the model or its service failed to answer. Throws if the
 * attempt ends or waits for answers, and errors that are bugs.
 */
export async function settleQuestions<T>(
  asked: readonly Promise<T>[],
  signal: AbortSignal,
): Promise<(T | undefined)[]> {
  const settled = await Promise.allSettled(asked)
  signal.throwIfAborted()
  const bug = settled.find(
    (result) =>
      result.status === 'rejected' &&
      !(result.reason instanceof MediaError) &&
      !(result.reason instanceof SuspendedError),
  )
  if (bug?.status === 'rejected') throw bug.reason
  return settled.map((result) => {
    if (result.status === 'fulfilled') return result.value
    if (result.reason instanceof SuspendedError) throw result.reason
    return undefined
  })
}
