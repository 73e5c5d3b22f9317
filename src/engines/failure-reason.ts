import { MediaError } from '../contract/errors.ts'

/** Returns why a step failed that a task can do without. Throws what ends the attempt: an abort, or a bug. */
export function failureReason(error: unknown, signal: AbortSignal): string {
  signal.throwIfAborted()
  if (error instanceof MediaError) return error.message
  // Errors of the disk contain paths.
  if (error instanceof Error && 'syscall' in error) return 'a file could not be written'
  throw error
}
