import { MediaError } from '../contract/errors.ts'
import { withTimeout } from '../platform/with-timeout.ts'

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
