import { MediaError } from '../../contract/errors.ts'
import { TokenLimitExceeded } from './too-long.ts'

/** A model that is there, and gave no right answer to this question: another one, or a smaller, may have one. */
export class NoUsableAnswer extends MediaError {
  constructor(
    message: string,
    options: { readonly retryable?: boolean; readonly hint: string; readonly cause?: unknown },
  ) {
    super(6401, message, options)
  }
}

/** Whether a failure is one of the question, rather than of the service: others may be answered. */
export function isQuestionFailure(error: unknown): boolean {
  return error instanceof NoUsableAnswer || error instanceof TokenLimitExceeded
}
