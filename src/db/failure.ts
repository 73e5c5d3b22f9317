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
const mendDisk = 'Look after the disk under the data folder, then try again.'

/** What SQLite tells that is nobody's bug, by its primary result codes (sqlite.org/rescode.html). */
const sqlite: Readonly<Record<number, FailureText>> = {
  8: { message: 'the database can only be read', hint: mendDisk },
  10: { message: 'the disk under the database fails', hint: mendDisk },
  13: full,
}

const away: FailureText = {
  message: 'the database does not answer',
  hint: 'Try again once the database is back.',
}

/** The same of PostgreSQL, by the beginnings of its codes (its manual, appendix A) and the system's. */
const postgres: readonly (readonly [pattern: RegExp, failure: FailureText])[] = [
  [/^53100$/, full],
  [
    /^25006$/,
    {
      message: 'the database can only be read',
      hint: 'Let the service use the primary server, then try again.',
    },
  ],
  [/^(08|53|57P)|^(ECONN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)/, away],
]

/** A connection that ends or cannot be made has no code in the driver: its texts. */
const cutOff = /^(Connection terminated|Client has encountered a connection error)/

/** A failure of the database as people are told of it, 6401; undefined for what is a bug. */
export function databaseFailure(error: unknown): MediaError | undefined {
  const found = findFailureText(error)
  return found && new MediaError(6401, found.message, { cause: error, hint: found.hint })
}

function findFailureText(error: unknown): FailureText | undefined {
  const code = errorCode(error)
  if (code === undefined) return error instanceof Error && cutOff.test(error.message) ? away : undefined
  if (code !== 'ERR_SQLITE_ERROR') return postgres.find(([pattern]) => pattern.test(code))?.[1]
  // Extended result codes have the primary one in their lowest byte.
  return sqlite[Number((error as { errcode?: unknown }).errcode) & 0xff]
}
