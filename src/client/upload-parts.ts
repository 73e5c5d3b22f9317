import type { FileHandle } from 'node:fs/promises'
import { MediaError } from '../contract/errors.ts'
import type { FileRecord } from '../contract/file.ts'
import { fillPath, routes } from '../contract/routes.ts'
import { type LocalFile, type OpenUploadSession, partCount, partRange } from '../contract/upload.ts'
import { hashBytes } from '../platform/hash.ts'
import { errorCode } from '../platform/system-error.ts'
import type { Client } from './client.ts'
import { readEnvelopeData } from './response.ts'
import type { Retry } from './upload.ts'

/** A running upload. */
export interface Upload {
  readonly client: Client
  readonly source: UploadSource
  /** Aborts its requests; the service keeps the received parts. */
  readonly signal: AbortSignal
  readonly retry: Retry
  /** Reads the first bytes of a range into memory. A read error aborts the whole upload. */
  read(memory: Buffer, range: SourceRange): Promise<Uint8Array>
  /** Receives the number of bytes sent or already stored. */
  onSent(bytes: number): void
}

/** Parts sent in parallel: while some wait for the disk of the service, others are sent. Four took a fifth longer. */
const parallelParts = 6

/** Size of a read and of a write to the connection, bytes. */
const pieceBytes = 512 * 1024

/**
 * Buffers of a body, reused in a ring: new buffers made garbage collection as expensive as sending. One is in the
 * connection, one is queued, one is being read, one is spare. The file's hash detects a buffer overwritten too early.
 */
const ringPieces = 4

/** Rounds of sending parts that the service has lost. */
const maxRounds = 3

/**
 * Sends the missing parts of a session and returns the complete file. Acknowledged parts are not sent again, even after a
 * broken connection or a restart of either side. Parts have no checksums: the connection is encrypted or on this machine,
 * and the service verifies the hash of the complete file.
 */
export async function uploadInParts(upload: Upload, session: OpenUploadSession): Promise<FileRecord> {
  const parts = partSender(upload, session)
  let missing = parts.take('missing' in session ? session.missing : parts.all)
  for (let round = 1; ; round += 1) {
    await parts.send(missing)
    try {
      return await completeSession(upload, session.upload_id)
    } catch (error) {
      const arePartsLost = error instanceof MediaError && error.code === 6027
      if (!arePartsLost || round === maxRounds) throw error
    }
    missing = await upload.retry(parts.ask, upload.signal)
  }
}

async function completeSession({ client, retry, signal }: Upload, upload_id: string): Promise<FileRecord> {
  return await retry(async () => {
    try {
      return await client.call(routes.completeUpload, { params: { upload_id }, signal })
    } catch (error) {
      if (!(error instanceof MediaError) || error.code !== 6026) throw error
      // A checksum error of a part is retryable, one of the whole file is not.
      throw new MediaError(6026, error.message, { cause: error, retryable: false, hint: error.hint })
    }
  }, signal)
}

function partSender(upload: Upload, session: OpenUploadSession) {
  const { upload_id, part_size } = session
  const { client, source, retry } = upload
  const layout = { size: source.size, partSize: part_size }
  const all = [...Array(partCount(layout)).keys()]
  const progress = sumPartProgress(upload)
  const importPart = localPartImporter(upload, session)

  /** Counts all other parts as sent. */
  const take = (missing: number[]): number[] => {
    const left = new Set(missing)
    for (const index of all) if (!left.has(index)) progress(index, partRange(layout, index).size)
    return missing
  }

  const ask = async (): Promise<number[]> => {
    const status = await client.call(routes.uploadStatus, { params: { upload_id }, signal: upload.signal })
    return take(status.missing)
  }

  const put = async (index: number, signal: AbortSignal): Promise<void> => {
    const range = partRange(layout, index)
    if (await importPart(index, signal)) return progress(index, range.size)
    const response = await client.send({
      method: routes.uploadPart.method,
      address: fillPath(routes.uploadPart.path, { upload_id, index: String(index) }),
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(range.size) },
      body: () => streamUploadBytes(upload, range, (bytes) => progress(index, bytes)),
      // Before it is sent again, the service is asked whether it arrived.
      idempotent: false,
      signal,
    })
    await readEnvelopeData(routes.uploadPart, response)
  }

  /** Sends parts in parallel; the first failure aborts the others. */
  const send = async (indexes: readonly number[]): Promise<void> => {
    const end = new AbortController()
    const signal = AbortSignal.any([upload.signal, end.signal])
    const queue = indexes.values()
    const sendQueued = async (): Promise<void> => {
      for (const index of queue) {
        await retry(async (failures) => {
          if (failures === 0 || (await ask()).includes(index)) await put(index, signal)
        }, signal)
      }
    }
    await Promise.all(
      Array.from({ length: parallelParts }, () => sendQueued().catch((error: unknown) => end.abort(error))),
    )
    signal.throwIfAborted()
  }

  return { all, take, ask, send }
}

/** Streams a range of the source as a request body, and reports the bytes read. */
export async function* streamUploadBytes(
  { read }: Pick<Upload, 'read'>,
  { offset, size }: SourceRange,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const ring = Array.from({ length: ringPieces }, () => Buffer.allocUnsafe(Math.min(pieceBytes, size)))
  for (let done = 0; done < size;) {
    for (const memory of ring) {
      if (done === size) return
      const piece = await read(memory, { offset: offset + done, size: size - done })
      done += piece.byteLength
      onRead(done)
      yield piece
    }
  }
}

/** Sums the progress of parts, which decreases when one fails. */
function sumPartProgress({ onSent }: Pick<Upload, 'onSent'>): (index: number, bytes: number) => void {
  const byPart = new Map<number, number>()
  let sum = 0
  return (index, bytes) => {
    sum += bytes - (byPart.get(index) ?? 0)
    byPart.set(index, bytes)
    onSent(sum)
  }
}

/** Error codes of a service that cannot import this file by path. */
const importRefusedCodes: readonly MediaError['code'][] = [6004, 6005, 6016]

/**
 * Lets a service on the same machine read parts directly from the file, one per call. Returns false if it cannot; then
 * it is not asked again, and the bytes must be sent.
 */
function localPartImporter(
  { client, source }: { readonly client: Client; readonly source: UploadSource },
  { upload_id, local_import }: OpenUploadSession,
): (index: number, signal: AbortSignal) => Promise<boolean> {
  let local = local_import ? source.local : undefined
  return async (index, signal) => {
    if (!local) return false
    const params = { upload_id, index: String(index) }
    try {
      await client.call(routes.importPart, { params, body: local, signal })
      return true
    } catch (error) {
      if (!(error instanceof MediaError) || !importRefusedCodes.includes(error.code)) throw error
      local = undefined
      return false
    }
  }
}

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
interface SourceRange {
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

/** BLAKE3 of the source, lower-case hex. Throws 6036 on read failure, or the reason of the signal. */
export async function hashUploadSource(
  source: UploadSource,
  options: { signal: AbortSignal; onProgress: (hashed: number) => void },
): Promise<string> {
  const { size } = source
  const hashed = await hashBytes(source.handle, { offset: 0, size, ...options }).catch((error: unknown) => {
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
