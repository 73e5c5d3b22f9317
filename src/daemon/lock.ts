import { join } from 'node:path'
import { lockFile } from '../platform/file-lock.ts'
import { dataFiles } from './data-files.ts'

/** How long a daemon that is just leaving may take, in ms. */
const exitTimeoutMs = 2000

/**
 * The right to be the data folder's one daemon, until disposed or this process dies in whatever
 * way; null when another holds it.
 */
export function lockDataFolder(dataDir: string): Disposable | null {
  return lockFile(join(dataDir, dataFiles.serviceLock), exitTimeoutMs)
}

/** The right to start the data folder's daemon: of many starters one does, the others wait for it. */
export function lockDaemonStart(dataDir: string): Disposable | null {
  return lockFile(join(dataDir, dataFiles.startLock))
}
