import { join } from 'node:path'
import { lockFile } from '../platform/file-lock.ts'
import { dataFiles } from './data-files.ts'

/** How long a daemon that is exiting may take, ms. */
const exitTimeoutMs = 2000

/** Locks a data folder for its one service, until disposal or the end of this process; null if another has locked it. */
export function lockDataFolder(dataDir: string): Disposable | null {
  return lockFile(join(dataDir, dataFiles.serviceLock), exitTimeoutMs)
}

/** Locks the start of a daemon, so that one of several concurrent clients starts it; null if another is starting it. */
export function lockDaemonStart(dataDir: string): Disposable | null {
  return lockFile(join(dataDir, dataFiles.startLock))
}
