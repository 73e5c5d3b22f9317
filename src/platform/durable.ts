import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes renames and new names in a folder survive a power cut, where the system can sync folders. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  await using folder = await open(path, 'r')
  await folder.sync()
}

/** Writes all of a chunk, at a position or where the last write ended, however little the system takes at once. */
export async function writeFully(
  file: FileHandle,
  chunk: Uint8Array,
  position: number | null = null,
): Promise<void> {
  for (let at = 0; at < chunk.byteLength;) {
    const place = position === null ? null : position + at
    at += (await file.write(chunk, at, chunk.byteLength - at, place)).bytesWritten
  }
}

/** Gives a finished file its last name: under it, it is there as a whole or not at all, also after a power cut. */
export async function renameDurably(path: string, name: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.sync()
  await rename(path, name)
  await syncFolder(dirname(name))
}

/**
 * Replaces a small file as a whole: a reader sees the old content or the new, and once this
 * resolves the new survives a power cut.
 */
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
 * Makes the bytes of one file durable, for several writers: those who ask while a sync runs share the next one,
 * which serves all bytes written before it began. So however many ask, at most one of the few threads that all
 * file operations share waits for the disk.
 */
export function sharedSync(): (file: FileHandle) => Promise<void> {
  let running: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return (file) => {
    next ??= running
      // How it ended is told to those who waited for it.
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return (running = file.datasync())
      })
    return next
  }
}
