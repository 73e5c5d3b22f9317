import { constants } from 'node:fs'
import { lstat, mkdir, open, realpath, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  descriptorPath,
  type FileIdentity,
  hasDescriptorPaths,
  identityOf,
  isSameFile,
  realPathOfHandle,
} from './opened-path.ts'
import { errorCode } from './system-error.ts'

/** A folder that was opened, protected from replacement of its path if the system allows that. */
export interface HeldFolder extends AsyncDisposable {
  /** Its real path when it was opened. */
  readonly path: string
  /** Path for file operations: where descriptors have paths, it leads to the opened folder whatever its path leads to. */
  readonly base: string
  readonly identity: FileIdentity
}

/** A path led to another folder than a moment before. */
export class FolderChangedError extends Error {
  constructor(path: string, cause?: unknown) {
    super(`${path} changed while it was opened`, { cause })
  }
}

/** Error codes that show that a folder which was just there is no longer the same one. */
const changedCodes: readonly (string | undefined)[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ESTALE']

/** Absent on Windows, which cannot open folders. */
const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Opens an existing folder, not through a symbolic link. Throws `FolderChangedError` if it is gone or something else. */
export async function holdFolder(path: string, byDescriptor = hasDescriptorPaths): Promise<HeldFolder> {
  try {
    return process.platform === 'win32' ? await findFolder(path) : await openFolder(path, byDescriptor)
  } catch (error) {
    throw changedCodes.includes(errorCode(error)) ? new FolderChangedError(path, error) : error
  }
}

async function openFolder(path: string, byDescriptor: boolean): Promise<HeldFolder> {
  const handle = await open(path, folderFlags)
  try {
    const identity = await handle.stat({ bigint: true })
    const real = await realPathOfHandle(handle, path, byDescriptor)
    if (real === null) throw new FolderChangedError(path)
    const base = byDescriptor ? descriptorPath(handle) : real
    return { path: real, base, identity, [Symbol.asyncDispose]: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function findFolder(path: string): Promise<HeldFolder> {
  const identity = await lstat(path, { bigint: true })
  if (!identity.isDirectory()) throw new FolderChangedError(path)
  const real = await realpath(path)
  return { path: real, base: real, identity, [Symbol.asyncDispose]: () => Promise.resolve() }
}

interface HoldSubfolderOptions {
  /** Throws if the folder with this real path must not be used. */
  readonly check: (real: string) => Promise<void>
  readonly byDescriptor?: boolean
}

/**
 * Opens a folder in an opened folder, and creates it if it is missing. Where descriptors have paths, it is always created
 * in the opened parent. Elsewhere, if the parent was replaced at the same moment, this is found before anything is written
 * into the new folder. A new folder that fails a check is removed, unless its path leads elsewhere again. Throws
 * `FolderChangedError`, and the errors of `check`.
 */
export async function holdSubfolder(
  parent: HeldFolder,
  name: string,
  { check, byDescriptor = hasDescriptorPaths }: HoldSubfolderOptions,
): Promise<HeldFolder> {
  const path = join(parent.base, name)
  const isNew = await makeFolder(path)
  try {
    const held = await holdFolder(path, byDescriptor)
    try {
      // Not `join`, which would remove the last part instead of leaving the opened folder.
      const above = await identityOf(`${held.base}/..`)
      if (!above || !isSameFile(above, parent.identity)) throw new FolderChangedError(path)
      await check(held.path)
      return held
    } catch (error) {
      await held[Symbol.asyncDispose]()
      throw error
    }
  } catch (error) {
    // Removes only an empty folder, and none if the path leads elsewhere by now.
    if (isNew) await rmdir(path).catch(() => undefined)
    throw error
  }
}

/** Creates a folder unless something has its name. Returns whether it did. */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path)
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EEXIST') return false
    throw changedCodes.includes(code) ? new FolderChangedError(path, error) : error
  }
}
