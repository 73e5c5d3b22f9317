import { constants } from 'node:fs'
import { isAbsolute } from 'node:path'
import { open, type FileHandle } from 'node:fs/promises'
import { MediaError } from '../contract/errors.ts'
import type { LocalFile } from '../contract/upload.ts'
import type { Place } from './store.ts'

/** Bytes of one read. */
const readBytes = 2 ** 20

/** A FIFO must not hold the open. Windows knows none. */
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/**
 * Bytes of a place of a file on this machine; each piece is overwritten once the next is asked for. Throws 6004
 * where its path leads to anything but the very file that the client has open.
 */
export async function* readLocal(local: LocalFile, { offset, size }: Place): AsyncGenerator<Uint8Array> {
  await using file = await openLocal(local)
  const piece = Buffer.allocUnsafe(Math.min(readBytes, size))
  for (let done = 0; done < size;) {
    const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, size - done), offset + done)
    if (bytesRead === 0) return
    done += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}

/** What was opened is looked at, not what the path led to before. */
async function openLocal({ path, device, inode }: LocalFile): Promise<FileHandle> {
  const file = isAbsolute(path) ? await open(path, openFlags).catch(() => null) : null
  const found = await file?.stat({ bigint: true })
  if (file && found?.isFile() && String(found.dev) === device && String(found.ino) === inode) return file
  await file?.close()
  throw new MediaError(6004, 'the path does not lead to this file here', {
    hint: 'Send the bytes of the part.',
  })
}
