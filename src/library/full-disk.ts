import { DiskFullError } from '../contract/errors.ts'
import { isDatabaseFull } from '../db/failure.ts'
import { errorCode } from '../platform/system-error.ts'

/** Whether an error, or one that caused it, is that of a full disk or a used up quota. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    error instanceof DiskFullError ||
    ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '') ||
    isDatabaseFull(error) ||
    isDiskFull(error.cause)
  )
}
