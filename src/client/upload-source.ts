import type { FileHandle } from 'node:fs/promises'
import { MediaError } from '../contract/errors.ts'
import type { LocalFile } from '../contract/upload.ts'
import { errorCode } from '../platform/system-error.ts'
import { hashBytes } from '../platform/hash.ts'

/** A local file to send: read by its open descriptor only, never by a path again. */
export interface UploadSource {
  readonly handle: FileHandle
  /** File name the service is to keep. */
  readonly name: string
  /** Bytes to send, as measured on the descriptor. */
  readonly size: number
  /** Where it lies, for a service on the same machine; left out for what is not there to stay. */
  readonly local?: LocalFile
}

/** Which bytes of a file. */
export interface SourceRange {
  readonly offset: number
  readonly size: number
}

/** Reads the first bytes of a place into memory, as many as come at once. Throws 6036 where that fails. */
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

/** BLAKE3 of bytes of a source, lower-case hex. Throws as `readUploadBytes`, and the reason of the signal. */
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

/** Takes note of a file's state now; the answer tells later whether it has been written to since. */
export async function watchForChanges({ handle }: UploadSource): Promise<() => Promise<boolean>> {
  const before = await handle.stat({ bigint: true })
  return async () => {
    const { mtimeNs, size } = await handle.stat({ bigint: true })
    return mtimeNs !== before.mtimeNs || size !== before.size
  }
}

/** 6036 for a file that was written to while it was uploaded. */
export function changedDuringUpload({ name }: UploadSource): MediaError {
  return new MediaError(6036, `${name} changed while it was uploaded`, {
    hint: 'Wait until nothing writes to the file any more, then call again.',
  })
}

function unreadableSource({ name }: UploadSource, cause: unknown): MediaError {
  return new MediaError(6036, `${name} cannot be read (${errorCode(cause) ?? 'unknown'})`, {
    cause,
    hint: 'See whether the disk it lies on is there and sound, then call again.',
  })
}
