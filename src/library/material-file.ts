import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { realPathOfHandle } from '../platform/opened-path.ts'
import { isInside } from '../platform/paths.ts'

/** An open file of a folder of the library. */
export interface OpenMaterialFile extends AsyncDisposable {
  readonly handle: FileHandle
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
 * Opens a file of a folder that is still what was listed or imported. Throws 6036 if it was changed, moved or replaced by a
 * link that leaves the folder. folder: real path.
 */
export async function openMaterialFile(folder: string, expected: MaterialFile): Promise<OpenMaterialFile> {
  const path = join(folder, expected.path)
  // A pipe without a writer would block.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(path, flags)
  try {
    const stats = await handle.stat({ bigint: true })
    const real = await realPathOfHandle(handle, path)
    const isSame =
      stats.isFile() && Number(stats.size) === expected.size && Number(stats.mtimeMs) === expected.modifiedAt
    if (!isSame || real === null || !isInside(folder, real)) {
      throw new MediaError(6036, 'the file was changed since it was listed', {
        hint: 'Add the folder again when the file is complete.',
      })
    }
    return { handle, [Symbol.asyncDispose]: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Throws like `openMaterialFile` for a file that is no longer the same. */
export async function checkMaterialFile(folder: string, expected: MaterialFile): Promise<void> {
  const { handle } = await openMaterialFile(folder, expected)
  await handle.close()
}
