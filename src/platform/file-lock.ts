import { DatabaseSync } from 'node:sqlite'

/** Extended result codes keep the primary one, SQLITE_BUSY, in the low byte. */
const sqliteBusy = 5

/**
 * Holds a file until disposed or this process dies in whatever way; null when another holds it for longer than the
 * patience, ms, which is spent blocking. The lock is an open transaction of SQLite, so that the kernel frees it.
 */
export function lockFile(path: string, patience = 0): Disposable | null {
  const database = new DatabaseSync(path)
  try {
    // Not the option `timeout`: Node before 22.16 does not know it.
    database.exec(`pragma busy_timeout = ${patience}`)
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    if (isBusy(error)) return null
    throw error
  }
  return { [Symbol.dispose]: () => database.close() }
}

function isBusy(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  return typeof code === 'number' && (code & 0xff) === sqliteBusy
}
