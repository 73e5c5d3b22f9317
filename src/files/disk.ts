import { randomUUID } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { chmod, copyFile, mkdir, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { describeSize } from '../contract/format.ts'
import type { Db } from '../db/schema.ts'
import { linkOrCopy, syncFolder, writeDurably, writeAt } from '../platform/durable.ts'
import { errorCode } from '../platform/system-error.ts'
import { failpoint } from '../platform/failpoint.ts'
import { freeSpace, createFolder } from '../platform/folder.ts'
import { createHasher, hashFile } from '../platform/hash.ts'
import { DiskParts, toDiskFullError } from './disk-parts.ts'
import type { ByteRange, FileStore, StoredBytes } from './store.ts'

/** Mode of stored files. They are never modified, not even through a hard link given to a program. */
const readOnlyMode = 0o400

/** Read size of downloads, bytes. */
const downloadReadBytes = 256 * 1024

/**
 * Opens the store of a folder: `blobs/ab/abcd…` contains files by hash, `incoming/` temporary files, `parts/` open
 * uploads.
 */
export async function openDiskStore(folder: string): Promise<FileStore> {
  const incoming = join(folder, 'incoming')
  const blobs = join(folder, 'blobs')
  await createFolder(incoming)
  await createFolder(blobs)
  const parts = await DiskParts.open(join(folder, 'parts'))
  await syncFolder(folder)
  const pathOf = (blake3: string): string => join(blobs, blake3.slice(0, 2), blake3)

  /** Fills a temporary file and publishes it under its hash. A failure leaves nothing behind. */
  const store = async (fill: (temporary: string) => Promise<StoredBytes>): Promise<StoredBytes> => {
    const temporary = join(incoming, randomUUID())
    try {
      const bytes = await fill(temporary)
      const path = pathOf(bytes.blake3)
      await createFolder(dirname(path))
      await publish(temporary, path)
      failpoint('files.put.renamed')
      await syncFolder(dirname(path))
      // Always: a concurrent call may have created the folder and not synced it yet.
      await syncFolder(blobs)
      return bytes
    } catch (error) {
      await rm(temporary, { force: true })
      throw await toDiskFullError(error, folder)
    }
  }

  return {
    put: (source, maxBytes) => store((temporary) => writeStream(temporary, source, maxBytes)),
    adopt: (path) => store((temporary) => moveIntoStore(path, temporary)),
    putPart: (upload, part, source) => parts.put(upload, part, source),
    assemble: (upload, whole) => store((temporary) => parts.assemble(upload, whole, temporary)),
    discard: (upload) => parts.discard(upload),
    listUploads: () => parts.list(),
    async read(blake3: string, range?: ByteRange) {
      const file = await open(pathOf(blake3))
      return file.createReadStream({ ...range, highWaterMark: downloadReadBytes })
    },
    stage: (blake3, path) => stageFile(pathOf(blake3), path),
    async withLocalPath({ blake3, ext }, use) {
      const path = join(incoming, `${randomUUID()}${ext}`)
      await stageFile(pathOf(blake3), path)
      try {
        return await use(path)
      } finally {
        await rm(path, { force: true })
      }
    },
    sizeOf: (blake3) => fileSize(pathOf(blake3)),
    has: (blake3) => fileExists(pathOf(blake3)),
    freeSpace: () => freeSpace(folder),
    remove: (blake3) => rm(pathOf(blake3), { force: true }),
    list: () => listBlobs(blobs),
    async recover() {
      await rm(incoming, { recursive: true, force: true })
      await mkdir(incoming)
    },
  }
}

/** Size of a file, bytes; undefined if it does not exist. */
async function fileSize(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function writeStream(
  path: string,
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<StoredBytes> {
  const hasher = await createHasher()
  await using file = await open(path, 'wx', readOnlyMode)
  let size = 0
  for await (const chunk of source) {
    const position = size
    size += chunk.byteLength
    if (size > maxBytes) throw new MediaError(6002, `the file is larger than ${describeSize(maxBytes)}`)
    const writing = writeAt(file, chunk, position)
    // This thread hashes the chunk while another one writes it.
    hasher.update(chunk)
    await writing
  }
  if (size === 0) throw new MediaError(6011, 'the file is empty')
  failpoint('files.put.written')
  await file.datasync()
  failpoint('files.put.synced')
  return { blake3: hasher.digest(), size }
}

/** Moves a file into the store, then hashes it there, so that the hash is that of the stored content. */
async function moveIntoStore(from: string, to: string): Promise<StoredBytes> {
  try {
    await rename(from, to)
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error
    await copyFile(from, to, constants.COPYFILE_EXCL)
    await rm(from)
  }
  // It may be a read-only copy of an input, and some systems sync only files opened for writing.
  await chmod(to, 0o600)
  await using file = await open(to, 'r+')
  await file.chmod(readOnlyMode)
  await file.datasync()
  return { blake3: await hashFile(to), size: (await file.stat()).size }
}

/** Moves a finished file to its path. Replaces a file with equal content. */
async function publish(temporary: string, path: string): Promise<void> {
  try {
    await rename(temporary, path)
    // Renaming between hard links of one file removes neither.
    await rm(temporary, { force: true })
  } catch (error) {
    // Windows does not replace a read-only or open file. It has the same content.
    if (errorCode(error) !== 'EPERM' || !(await stat(path).catch(() => null))) throw error
    await rm(temporary, { force: true })
  }
}

/**
 * Creates a copy-on-write clone if the file system supports it, otherwise a hard link to the read-only file,
 * otherwise a copy.
 */
async function stageFile(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      throw (await fileExists(from))
        ? error
        : new MediaError(6004, 'the file was deleted during the request', { cause: error })
    }
    await linkOrCopy(from, to)
    await chmod(to, readOnlyMode)
  }
}

async function fileExists(path: string): Promise<boolean> {
  return (await statIfThere(path)) !== null
}

async function statIfThere(path: string): Promise<Stats | null> {
  try {
    return await stat(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return null
  }
}

async function* listBlobs(blobs: string): AsyncGenerator<StoredBytes> {
  for await (const folder of await opendir(blobs)) {
    if (!folder.isDirectory()) continue
    for await (const entry of await opendir(join(blobs, folder.name))) {
      // Commands may remove contents meanwhile.
      const stats = await statIfThere(join(blobs, folder.name, entry.name))
      if (stats) yield { blake3: entry.name, size: stats.size }
    }
  }
}

/**
 * Binds a store's folder to a database permanently. Throws 6401 when it belongs to another database, for which all
 * its files would be orphans.
 */
export async function bindStoreToDatabase(db: Db, folder: string): Promise<void> {
  const { id } = await db.selectFrom('identity').select('id').executeTakeFirstOrThrow()
  const marker = join(folder, 'database')
  const owner = await readFile(marker, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
  if (owner === null) return await writeDurably(marker, id)
  if (owner === id) return
  throw new MediaError(6401, `${folder} contains the files of another database`, {
    retryable: false,
    hint: 'Use another data folder with this database, or restore the database that the files belong to.',
  })
}
