import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

/** Result code SQLITE_BUSY; extended result codes keep it in their low byte. */
const sqliteBusy = 5

/**
 * Locks a file until disposal or the end of this process, however it ends. Returns null if another process holds the
 * lock for longer than `timeoutMs`; blocks the thread meanwhile. The lock is an open SQLite transaction, which the kernel
 * releases. A new file is accessible to this user alone.
 */
export function lockFile(path: string, timeoutMs = 0): Disposable | null {
  createPrivately(path)
  const database = new DatabaseSync(path)
  try {
    // Node before 22.16 does not have the option `timeout`.
    database.exec(`pragma busy_timeout = ${timeoutMs}`)
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    if (isBusy(error)) return null
    throw error
  }
  return { [Symbol.dispose]: () => database.close() }
}

/** Does not open an existing file: closing it would release the locks that this process has on it. */
function createPrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch {
    // It exists, or SQLite reports why it cannot.
  }
}

function isBusy(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  return typeof code === 'number' && (code & 0xff) === sqliteBusy
}
