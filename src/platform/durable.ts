import { randomUUID } from 'node:crypto'
import { copyFile, type FileHandle, link, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Flushes a folder, so that renames and new files in it survive a power cut; not possible on Windows. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using folder = await open(path, 'r')
  await folder.sync()
}

/**
 * Most bytes of one write. Linux caches a larger one in larger blocks of memory, which took up to five times the
 * processor time (ext4, writes of 512 KiB and more).
 */
const maxWriteBytes = 256 * 1024

/**
 * Writes a whole chunk at a position, in as many writes as needed. They run at the same time, because each waits longer
 * for its thread than for the file. Ends when all have ended, also when one fails.
 */
export async function writeAt(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  const writes: Promise<void>[] = []
  for (let at = 0; at < chunk.byteLength; at += maxWriteBytes)
    writes.push(writeSlice(file, chunk.subarray(at, at + maxWriteBytes), position + at))
  const failed = (await Promise.allSettled(writes)).find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
}

async function writeSlice(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.byteLength;)
    at += (await file.write(bytes, at, bytes.byteLength - at, position + at)).bytesWritten
}

/** Flushes and renames a finished file, so that the new name shows all of it or nothing, also after a power cut. */
export async function renameDurably(path: string, name: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.sync()
  await rename(path, name)
  await syncFolder(dirname(name))
}

/** Gives a file that does not change a second name; copies it where the disk has no links. */
export async function linkOrCopy(path: string, name: string): Promise<void> {
  await link(path, name).catch(() => copyFile(path, name))
}

/** Replaces a small file atomically: readers see the old content or the new; once resolved, the new survives a power cut. */
export async function writeDurably(path: string, data: string | Uint8Array, mode = 0o666): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    await writeSynced(temporary, data, mode)
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

async function writeSynced(path: string, data: string | Uint8Array, mode: number): Promise<void> {
  await using file = await open(path, 'wx', mode)
  await file.writeFile(data)
  await file.datasync()
}

/**
 * Flushes one file for several writers. Calls during a flush share the next one, which covers all bytes written before
 * it starts. So at most one thread of libuv's small pool waits for the disk.
 */
export function sharedSync(): (file: FileHandle) => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return (file) => {
    next ??= running
      // The callers of the previous flush handle its failure.
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return (running = file.datasync())
      })
    return next
  }
}
