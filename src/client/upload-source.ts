import type { FileHandle } from 'node:fs/promises'
import { MediaError } from '../contract/errors.ts'
import type { LocalFile } from '../contract/upload.ts'
import { errorCode } from '../platform/system-error.ts'
import { hashBytes } from '../platform/hash.ts'

/** A local file to upload, read only by its open descriptor. */
export interface UploadSource {
  readonly handle: FileHandle
  /** File name for the service. */
  readonly name: string
  /** Size of the open file, bytes. */
  readonly size: number
  /** Location for a service on the same machine; absent for temporary files. */
  readonly local?: LocalFile
}

/** A byte range of a file. */
export interface SourceRange {
  readonly offset: number
  readonly size: number
}

/** Reads the first bytes of a range into memory, as many as one read returns. Throws 6036 on failure. */
export async function readUploadBytes(
  memory: Buffer,
  source: UploadSource,
  { offset, size }: SourceRange,
): Promise<Uint8Array> {
  const wanted = Math.min(memory.length, size)
  const { bytesRead } = await source.handle.read(memory, 0, wanted, offset).catch((error: unknown) => {
    throw unreadableSource(source, error)
  })
  if (bytesRead === 0) throw changedDuringUpload(source)
  return memory.subarray(0, bytesRead)
}

/** BLAKE3 of a range, lower-case hex. Throws 6036 on read failure, or the reason of the signal. */
export async function hashUploadBytes(
  source: UploadSource,
  { offset, size }: SourceRange,
  options: { signal: AbortSignal; onProgress?: (hashed: number) => void },
): Promise<string> {
  const hashed = await hashBytes(source.handle, { offset, size, ...options }).catch((error: unknown) => {
    throw errorCode(error) !== undefined && !options.signal.aborted ? unreadableSource(source, error) : error
  })
  if (hashed.size !== size) throw changedDuringUpload(source)
  return hashed.blake3
}

/** Records a file's state. The returned function reports whether the file has been modified since. */
export async function watchForChanges({ handle }: UploadSource): Promise<() => Promise<boolean>> {
  const before = await handle.stat({ bigint: true })
  return async () => {
    const { mtimeNs, size } = await handle.stat({ bigint: true })
    return mtimeNs !== before.mtimeNs || size !== before.size
  }
}

/** Error 6036 for a file that was modified during its upload. */
export function changedDuringUpload({ name }: UploadSource): MediaError {
  return new MediaError(6036, `${name} was modified during its upload`, {
    hint: 'Wait until no program writes to the file, then call again.',
  })
}

function unreadableSource({ name }: UploadSource, cause: unknown): MediaError {
  return new MediaError(6036, `${name} cannot be read (${errorCode(cause) ?? 'unknown'})`, {
    cause,
    hint: 'Check that its disk is connected and intact, then call again.',
  })
}
