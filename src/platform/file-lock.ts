import { DatabaseSync } from 'node:sqlite'

/** Result code SQLITE_BUSY; extended result codes keep it in their low byte. */
const sqliteBusy = 5

/**
 * Locks a file until disposal or the end of this process, however it ends. Returns null if another process holds the
 * lock for longer than `timeoutMs`; blocks the thread meanwhile. The lock is an open SQLite transaction, which the kernel
 * releases.
 */
export function lockFile(path: string, timeoutMs = 0): Disposable | null {
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

function isBusy(error: unknown): boolean {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined
  return typeof code === 'number' && (code & 0xff) === sqliteBusy
}
