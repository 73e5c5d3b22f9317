import { MediaError } from '../contract/errors.ts'
import { errorCode } from '../platform/system-error.ts'

interface FailureText {
  readonly message: string
  readonly hint: string
}

const full: FailureText = {
  message: 'no space is left for the database',
  hint: 'Free space on the service, then try again.',
}
const repairDiskHint = 'Check the disk of the data folder, then try again.'

/** SQLite failures with an external cause, by primary result code (sqlite.org/rescode.html). */
const sqlite: Readonly<Record<number, FailureText>> = {
  8: { message: 'the database is read-only', hint: repairDiskHint },
  10: { message: 'the disk of the database reports errors', hint: repairDiskHint },
  13: full,
}

const unreachable: FailureText = {
  message: 'the database is not reachable',
  hint: 'Try again when the database is available.',
}

/** PostgreSQL failures with an external cause, by SQLSTATE prefix (manual, appendix A) or system error code. */
const postgres: readonly (readonly [pattern: RegExp, failure: FailureText])[] = [
  [/^53100$/, full],
  [
    /^25006$/,
    {
      message: 'the database is read-only',
      hint: 'Connect the service to the primary server, then try again.',
    },
  ],
  [/^(08|53|57P)|^(ECONN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/, unreachable],
]

/** The driver reports lost connections without a code, only by these messages. */
const connectionLost = /^(Connection terminated|Client has encountered a connection error)/

/**
 * Converts a database failure with an external cause to 6401. Returns undefined for any other error, which is a
 * bug.
 */
export function databaseFailure(error: unknown): MediaError | undefined {
  const found = findFailureText(error)
  return found && new MediaError(6401, found.message, { cause: error, hint: found.hint })
}

/** Whether the file of a SQLite database cannot grow. */
export function isDatabaseFull(error: unknown): boolean {
  return errorCode(error) === 'ERR_SQLITE_ERROR' && findFailureText(error) === full
}

function findFailureText(error: unknown): FailureText | undefined {
  const code = errorCode(error)
  if (code === undefined)
    return error instanceof Error && connectionLost.test(error.message) ? unreachable : undefined
  if (code !== 'ERR_SQLITE_ERROR') return postgres.find(([pattern]) => pattern.test(code))?.[1]
  // Extended result codes have the primary one in their lowest byte.
  return sqlite[Number((error as { errcode?: unknown }).errcode) & 0xff]
}
