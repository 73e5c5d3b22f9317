import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { dataFiles } from './data-files.ts'

/** How long a daemon that is just leaving may take, in ms. */
const leavingPatience = 2000

/** Extended result codes keep the primary one, SQLITE_BUSY, in the low byte. */
const sqliteBusy = 5

/**
 * The right to be the data folder's one daemon, until disposed or this process dies in whatever
 * way; null when another holds it.
 */
export function holdDataFolder(dataDir: string): Disposable | null {
  return hold(join(dataDir, dataFiles.serviceLock), leavingPatience)
}

/** The right to start the data folder's daemon: of many starters one does, the others wait for it. */
export function holdStart(dataDir: string): Disposable | null {
  return hold(join(dataDir, dataFiles.startLock), 0)
}

/** An open transaction is a file lock, which the kernel frees. The patience is spent blocking. */
function hold(path: string, patience: number): Disposable | null {
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
