import { constants, createReadStream } from 'node:fs'
import {
  chmod,
  copyFile,
  link,
  mkdir,
  open,
  opendir,
  rename,
  rm,
  stat,
  type FileHandle,
} from 'node:fs/promises'
import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { MediaError } from '../contract/errors.ts'
import { syncFolder } from '../platform/durable.ts'
import { failpoint } from '../platform/failpoint.ts'
import { createHasher, hashFile } from '../platform/hash.ts'
import type { ByteRange, FileStore, StoredBytes } from './store.ts'

/** Stored bytes are never written again, not even by a program that was handed a link to them. */
const readOnly = 0o444

/** Opens the store of a folder: `blobs/ab/abcd…` holds bytes by their hash, `incoming/` what is being written or lent. */
export async function openDiskStore(folder: string): Promise<FileStore> {
  const incoming = join(folder, 'incoming')
  const blobs = join(folder, 'blobs')
  await mkdir(incoming, { recursive: true })
  await mkdir(blobs, { recursive: true })
  await syncFolder(folder)
  const pathOf = (blake3: string): string => join(blobs, blake3.slice(0, 2), blake3)

  const commit = async (temporary: string, bytes: StoredBytes): Promise<StoredBytes> => {
    const path = pathOf(bytes.blake3)
    if ((await mkdir(dirname(path), { recursive: true })) !== undefined) await syncFolder(blobs)
    // Equal bytes replace each other: whoever comes second changes nothing.
    await rename(temporary, path)
    failpoint('files.put.renamed')
    await syncFolder(dirname(path))
    return bytes
  }

  return {
    async put(source, options) {
      const temporary = join(incoming, randomUUID())
      try {
        return await commit(temporary, await write(temporary, source, options))
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
    },
    async adopt(path, signal) {
      const blake3 = await hashFile(path, signal ? { signal } : {})
      const temporary = join(incoming, randomUUID())
      await moveIn(path, temporary)
      await using file = await open(temporary, 'r+')
      await file.datasync()
      await file.chmod(readOnly)
      return await commit(temporary, { blake3, size: (await file.stat()).size })
    },
    async read(blake3: string, range?: ByteRange) {
      return createReadStream(pathOf(blake3), range)
    },
    stage: (blake3, path) => stage(pathOf(blake3), path),
    async lend({ blake3, ext }, use) {
      const path = join(incoming, `${randomUUID()}${ext}`)
      await stage(pathOf(blake3), path)
      try {
        return await use(path)
      } finally {
        await rm(path, { force: true })
      }
    },
    remove: (blake3) => rm(pathOf(blake3), { force: true }),
    list: () => list(blobs),
    async recover() {
      await rm(incoming, { recursive: true, force: true })
      await mkdir(incoming)
    },
  }
}

async function write(
  path: string,
  source: AsyncIterable<Uint8Array>,
  options: { maxBytes: number; signal?: AbortSignal },
): Promise<StoredBytes> {
  const hasher = await createHasher()
  await using file = await open(path, 'wx', readOnly)
  let size = 0
  for await (const chunk of source) {
    options.signal?.throwIfAborted()
    size += chunk.byteLength
    if (size > options.maxBytes) {
      throw new MediaError(6002, `the file is larger than ${options.maxBytes} bytes`)
    }
    hasher.update(chunk)
    await writeWhole(file, chunk)
  }
  if (size === 0) throw new MediaError(6011, 'the file is empty')
  failpoint('files.put.written')
  await file.datasync()
  failpoint('files.put.synced')
  return { blake3: hasher.digest(), size }
}

async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.byteLength;) at += (await file.write(chunk, at)).bytesWritten
}

async function moveIn(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    await copyFile(from, to, constants.COPYFILE_EXCL)
    await rm(from)
  }
}

/**
 * A copy that shares its blocks where the file system can (writing to it leaves the original be),
 * else a link to the read-only original, else a copy.
 */
async function stage(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error
    await link(from, to).catch(() => copyFile(from, to))
    await chmod(to, readOnly)
  }
}

async function* list(blobs: string): AsyncGenerator<StoredBytes> {
  for await (const folder of await opendir(blobs)) {
    for await (const entry of await opendir(join(blobs, folder.name))) {
      yield { blake3: entry.name, size: (await stat(join(blobs, folder.name, entry.name))).size }
    }
  }
}
