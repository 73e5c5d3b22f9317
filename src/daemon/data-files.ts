import { join } from 'node:path'
import type { PrivateFolder } from '../platform/private-folders.ts'

/** Files of a data folder; any of them identifies it as ours. */
export const dataFiles = {
  settings: 'reelwright.config.json',
  /** Locked by the process that starts the service. */
  startLock: 'start.lock',
  /** Locked by the service. */
  serviceLock: 'daemon.lock',
  /** Record of the running daemon, or of the last one that crashed. */
  record: 'daemon.json',
  /** Locked by a command that changes the library. */
  libraryLock: 'library.lock',
  log: 'daemon.log',
  database: 'reelwright.sqlite',
  /** Models and native engines. */
  packs: 'reelwright-packs',
} as const

/** Folders that the service creates in a data folder. */
export const dataFolders = {
  /** Stored files and open uploads. */
  files: 'files',
  /** Work of attempts; emptied at each start. */
  scratch: 'scratch',
  /** Finished steps of unfinished tasks. */
  steps: 'steps',
  /** Records of worker processes. */
  workers: 'run',
  /** Work of imports into the library. */
  imports: 'imports',
} as const

/** Folder of stored contents in a data folder; each file in its folders is written once and never changed. */
export const contentsFolder = join(dataFolders.files, 'blobs')

/** Names of everything that reelwright itself creates directly in a data folder. */
export const dataFolderNames: readonly string[] = [
  ...Object.values(dataFiles),
  ...Object.values(dataFolders),
  ...['-wal', '-shm', '-journal'].map((suffix) => dataFiles.database + suffix),
  `${dataFiles.log}.1`,
]

/**
 * A data folder and its parts, which only the service uses. The parts are listed, as each may be a symbolic link to
 * another disk, or have another path as well.
 */
export function dataFolderParts(dataDir: string): PrivateFolder[] {
  const use = 'data folder'
  return [{ path: dataDir, use }, ...dataFolderNames.map((name) => ({ path: join(dataDir, name), use }))]
}
