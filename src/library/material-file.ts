import { type BigIntStats, constants, createWriteStream } from 'node:fs'
import { copyFile, type FileHandle, open, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { MediaError } from '../contract/errors.ts'
import { descriptorPath, hasDescriptorPaths, realPathOfHandle } from '../platform/opened-path.ts'
import { isInside } from '../platform/paths.ts'

/** An open regular file of a folder of the library. */
export interface OpenMaterialFile extends AsyncDisposable {
  readonly handle: FileHandle
  /** As it was when it was opened. */
  readonly stats: BigIntStats
}

/** A file as it was when it was listed or imported. */
export interface MaterialFile {
  /** Relative to the folder. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Modification time, ms. */
  readonly modifiedAt: number
}

/**
 * Opens a regular file of a folder, whatever its state is. Throws 6036 for anything else and for a path that leaves the
 * folder, and errors of the system. folder: real path. path: relative to it.
 */
export async function openFolderFile(folder: string, path: string): Promise<OpenMaterialFile> {
  const absolute = join(folder, path)
  // A pipe without a writer would block.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(absolute, flags)
  try {
    const stats = await handle.stat({ bigint: true })
    const real = await realPathOfHandle(handle, absolute)
    if (!stats.isFile() || real === null || !isInside(folder, real)) throw changedError()
    return { handle, stats, [Symbol.asyncDispose]: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Opens a file of a folder that is still what was listed or imported. Throws 6036 if it was changed, moved or replaced by a
 * link that leaves the folder. folder: real path.
 */
export async function openMaterialFile(folder: string, expected: MaterialFile): Promise<OpenMaterialFile> {
  const opened = await openFolderFile(folder, expected.path)
  const { size, mtimeMs } = opened.stats
  if (Number(size) === expected.size && Number(mtimeMs) === expected.modifiedAt) return opened
  await opened.handle.close()
  throw changedError()
}

function changedError(): MediaError {
  return new MediaError(6036, 'the file was changed since it was listed', {
    hint: 'Add the folder again when the file is complete.',
  })
}

/** Copies an open file to a new path, without its bytes where the file system clones files. */
export async function copyOpenFile({ handle }: OpenMaterialFile, to: string): Promise<void> {
  if (hasDescriptorPaths) {
    const mode = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE
    return await copyFile(descriptorPath(handle), to, mode)
  }
  const source = handle.createReadStream({ start: 0, autoClose: false })
  await pipeline(source, createWriteStream(to, { flags: 'wx' }))
}

/**
 * Returns a path through which programs read an open file, whatever its own path leads to by then; only on Linux, elsewhere it
 * is that path. path: absolute. link: new path, with the extension of the file.
 */
export async function linkOpenFile(
  { handle }: OpenMaterialFile,
  { path, link }: { readonly path: string; readonly link: string },
): Promise<string> {
  if (!hasDescriptorPaths) return path
  await symlink(`/proc/${process.pid}/fd/${handle.fd}`, link)
  return link
}

/** Throws 6036 if the path of an open file leads to another one, or the file was changed since it was opened. */
export async function checkUnchanged(folder: string, path: string, opened: OpenMaterialFile): Promise<void> {
  await using current = await openFolderFile(folder, path)
  // Programs can set the modification time, but not the time of the last change.
  const names = ['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const
  if (names.some((name) => current.stats[name] !== opened.stats[name])) throw changedError()
}
