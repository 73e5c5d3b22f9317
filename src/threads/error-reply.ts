import { type ErrorCode, MediaError } from '../contract/errors.ts'

/** An error that a thread reports to the thread that started it; other errors end the thread. */
export interface ErrorReply {
  readonly kind: 'error'
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string
  readonly retryable: boolean
}

/** Converts an error for another thread. Throws errors that are bugs. */
export function toErrorReply(error: unknown): ErrorReply {
  if (!(error instanceof MediaError)) throw error
  const { code, message, hint, retryable } = error
  return { kind: 'error', code, message, hint, retryable }
}

/** Restores an error of another thread. */
export function fromErrorReply({ code, message, ...options }: ErrorReply): MediaError {
  return new MediaError(code, message, options)
}
