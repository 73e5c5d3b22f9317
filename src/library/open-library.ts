import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import type { Db } from '../db/schema.ts'
import type { FileStorage } from '../files/content.ts'
import { bindStoreToDatabase, openDiskStore } from '../files/disk.ts'
import { lockFile } from '../platform/file-lock.ts'
import { createFolder } from '../platform/folder.ts'

/** The library, open for changes by one process. */
export interface OpenLibrary extends FileStorage, Disposable {
  /** Folder for files that are not stored yet. */
  readonly work: string
}

/** Paths of a data folder that changes of the library use. */
interface LibraryPaths {
  readonly lock: string
  /** Folder of the file store. */
  readonly files: string
  readonly work: string
}

/**
 * Opens the library for changes, also while a service uses it, and removes what an interrupted change left in its work
 * folder. Throws 6401 while another process changes it, or if the files belong to another database.
 */
export async function openLibrary(db: Db, paths: LibraryPaths): Promise<OpenLibrary> {
  const lock = lockFile(paths.lock)
  if (!lock) {
    throw new MediaError(6401, 'another command changes the library', {
      hint: 'Wait until it has finished, then repeat this one.',
    })
  }
  try {
    const files = await openDiskStore(paths.files)
    await bindStoreToDatabase(db, paths.files)
    await rm(paths.work, { recursive: true, force: true })
    await createFolder(paths.work)
    return { db, files, work: paths.work, [Symbol.dispose]: () => lock[Symbol.dispose]() }
  } catch (error) {
    lock[Symbol.dispose]()
    throw error
  }
}

/** Paths of the library in a data folder. names: of its lock and folders. */
export function libraryPaths(
  dataDir: string,
  names: { readonly libraryLock: string; readonly files: string; readonly imports: string },
): LibraryPaths {
  return {
    lock: join(dataDir, names.libraryLock),
    files: join(dataDir, names.files),
    work: join(dataDir, names.imports),
  }
}
