import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, copyFile, link, mkdir, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import type { Db } from '../db/schema.ts'
import { syncFolder, writeDurably, writeFully } from '../platform/durable.ts'
import { errorCode } from '../platform/system-error.ts'
import { failpoint } from '../platform/failpoint.ts'
import { freeSpace, createFolder } from '../platform/folder.ts'
import { createHasher, hashFile } from '../platform/hash.ts'
import { DiskParts, toDiskFullError } from './disk-parts.ts'
import type { ByteRange, FileStore, StoredBytes } from './store.ts'

/** Stored bytes are never written again, not even by a program that was handed a link to them. */
const readOnlyMode = 0o444

/** Bytes of one read of a download. */
const downloadReadBytes = 256 * 1024

/**
 * Opens the store of a folder: `blobs/ab/abcd…` holds bytes by their hash, `incoming/` what is being written
 * or lent, `parts/` uploads of which not all has come.
 */
export async function openDiskStore(folder: string): Promise<FileStore> {
  const incoming = join(folder, 'incoming')
  const blobs = join(folder, 'blobs')
  await createFolder(incoming)
  await createFolder(blobs)
  const parts = await DiskParts.open(join(folder, 'parts'))
  await syncFolder(folder)
  const pathOf = (blake3: string): string => join(blobs, blake3.slice(0, 2), blake3)

  /** Fills a temporary file and gives it its name; what fails leaves nothing. */
  const take = async (fill: (temporary: string) => Promise<StoredBytes>): Promise<StoredBytes> => {
    const temporary = join(incoming, randomUUID())
    try {
      const bytes = await fill(temporary)
      const path = pathOf(bytes.blake3)
      await createFolder(dirname(path))
      await publish(temporary, path)
      failpoint('files.put.renamed')
      await syncFolder(dirname(path))
      // Always: whoever made the folder just now may not have come to this line yet.
      await syncFolder(blobs)
      return bytes
    } catch (error) {
      await rm(temporary, { force: true })
      throw await toDiskFullError(error, folder)
    }
  }

  return {
    put: (source, maxBytes) => take((temporary) => writeStream(temporary, source, maxBytes)),
    adopt: (path) => take((temporary) => moveIntoStore(path, temporary)),
    putPart: (upload, part, source) => parts.put(upload, part, source),
    assemble: (upload, whole) => take((temporary) => parts.assemble(upload, whole, temporary)),
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

async function writeStream(
  path: string,
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<StoredBytes> {
  const hasher = await createHasher()
  await using file = await open(path, 'wx', readOnlyMode)
  let size = 0
  for await (const chunk of source) {
    size += chunk.byteLength
    if (size > maxBytes) throw new MediaError(6002, `the file is larger than ${maxBytes} bytes`)
    hasher.update(chunk)
    await writeFully(file, chunk)
  }
  if (size === 0) throw new MediaError(6011, 'the file is empty')
  failpoint('files.put.written')
  await file.datasync()
  failpoint('files.put.synced')
  return { blake3: hasher.digest(), size }
}

/** Hashed where it lies then, so that the name is that of what is kept. */
async function moveIntoStore(from: string, to: string): Promise<StoredBytes> {
  try {
    await rename(from, to)
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error
    await copyFile(from, to, constants.COPYFILE_EXCL)
    await rm(from)
  }
  // It may be a copy of a read-only input, and some systems sync only what is open for writing.
  await chmod(to, 0o600)
  await using file = await open(to, 'r+')
  await file.chmod(readOnlyMode)
  await file.datasync()
  return { blake3: await hashFile(to), size: (await file.stat()).size }
}

/** Equal bytes replace each other: whoever comes second changes nothing. */
async function publish(temporary: string, path: string): Promise<void> {
  try {
    await rename(temporary, path)
    // Two names of one file both stay.
    await rm(temporary, { force: true })
  } catch (error) {
    // Windows replaces no file that is read-only or being read; it holds the same bytes.
    if (errorCode(error) !== 'EPERM' || !(await stat(path).catch(() => null))) throw error
    await rm(temporary, { force: true })
  }
}

/**
 * A copy that shares its blocks where the file system can (writing to it leaves the original be),
 * else a link to the read-only original, else a copy.
 */
async function stageFile(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      throw (await fileExists(from))
        ? error
        : new MediaError(6004, 'the file was removed meanwhile', { cause: error })
    }
    await link(from, to).catch(() => copyFile(from, to))
    await chmod(to, readOnlyMode)
  }
}

async function fileExists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return false
  }
}

async function* listBlobs(blobs: string): AsyncGenerator<StoredBytes> {
  for await (const folder of await opendir(blobs)) {
    if (!folder.isDirectory()) continue
    for await (const entry of await opendir(join(blobs, folder.name))) {
      yield { blake3: entry.name, size: (await stat(join(blobs, folder.name, entry.name))).size }
    }
  }
}

/**
 * Binds a store's folder to a database for good; 6401 when it is another's, on which every file here
 * would be an orphan to be swept.
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
  throw new MediaError(6401, `${folder} holds the files of another database`, {
    retryable: false,
    hint: 'Use another data folder with this database, or bring back the database the files belong to.',
  })
}
