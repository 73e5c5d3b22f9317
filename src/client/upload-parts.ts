import { MediaError } from '../contract/errors.ts'
import type { FileRecord } from '../contract/file.ts'
import { fillPath, routes } from '../contract/routes.ts'
import { type OpenUploadSession, partCount, partRange } from '../contract/upload.ts'
import type { Client } from './client.ts'
import { readResponse } from './response.ts'
import type { SourceRange, UploadSource } from './upload-source.ts'
import type { Retry } from './upload.ts'

/** An upload under way. */
export interface Upload {
  readonly client: Client
  readonly source: UploadSource
  /** Ends every request of it; what the service holds of it stays there. */
  readonly signal: AbortSignal
  readonly retry: Retry
  /** BLAKE3 of bytes of the source; where they cannot be read the whole upload ends. */
  hash(place: SourceRange, signal: AbortSignal): Promise<string>
  /** Reads the first bytes of a place of the source into memory; where that fails the whole upload ends. */
  read(memory: Buffer, place: SourceRange): Promise<Uint8Array>
  /** Told the bytes that were sent, or are there already. */
  onSent(bytes: number): void
}

/** Parts sent at the same time. */
const parallelParts = 4

/** Bytes of one read and of one write to the connection. */
const pieceBytes = 512 * 1024

/**
 * A body's memory is used over and over: new memory for each piece kept the garbage collection as busy as the
 * sending. Of its pieces one is in the connection, one waits for it and one is being read; one more is to spare.
 * Were one overwritten too early, the checksum of the part or the file would tell.
 */
const ringPieces = 4

/** How often a service that has lost parts is sent them once more. */
const maxRounds = 3

/**
 * Sends the parts of a session that are missing, each with its checksum, and answers the file they make. What
 * the service acknowledged is not sent again: not after a broken connection, nor after a restart of either side.
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
      // Of a part it may pass, of the whole it does not.
      throw new MediaError(6026, error.message, { cause: error, retryable: false, hint: error.hint })
    }
  }, signal)
}

function partSender(upload: Upload, session: OpenUploadSession) {
  const { upload_id, part_size } = session
  const { client, source, retry } = upload
  const cut = { size: source.size, partSize: part_size }
  const all = [...Array(partCount(cut)).keys()]
  const progress = sumPartProgress(upload)
  const isTaken = localPartImporter(upload, session)

  /** Takes note of which parts are missing. */
  const take = (missing: number[]): number[] => {
    const left = new Set(missing)
    for (const index of all) if (!left.has(index)) progress(index, partRange(cut, index).size)
    return missing
  }

  const ask = async (): Promise<number[]> => {
    const status = await client.call(routes.uploadStatus, { params: { upload_id }, signal: upload.signal })
    return take(status.missing)
  }

  const put = async (index: number, signal: AbortSignal): Promise<void> => {
    const place = partRange(cut, index)
    if (await isTaken(index, signal)) return progress(index, place.size)
    const blake3 = await upload.hash(place, signal)
    const response = await client.send({
      method: routes.uploadPart.method,
      address: fillPath(routes.uploadPart.path, { upload_id, index: String(index) }),
      query: { blake3 },
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(place.size) },
      body: () => streamUploadBytes(upload, place, (bytes) => progress(index, bytes)),
      // Whether it arrived is asked before it is sent again.
      idempotent: false,
      signal,
    })
    await readResponse(routes.uploadPart, response)
  }

  /** Parts still to be sent are shared by all lanes; the first failure ends the others. */
  const send = async (indexes: readonly number[]): Promise<void> => {
    const end = new AbortController()
    const signal = AbortSignal.any([upload.signal, end.signal])
    const queue = indexes.values()
    const lane = async (): Promise<void> => {
      for (const index of queue) {
        await retry(async (failures) => {
          if (failures === 0 || (await ask()).includes(index)) await put(index, signal)
        }, signal)
      }
    }
    await Promise.all(
      Array.from({ length: parallelParts }, () => lane().catch((error: unknown) => end.abort(error))),
    )
    signal.throwIfAborted()
  }

  return { all, take, ask, send }
}

/** Reads a place of the source as a body, telling how much of it has been read. */
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

/** Adds up what is told of single parts, which may become less as one fails. */
function sumPartProgress({ onSent }: Pick<Upload, 'onSent'>): (index: number, bytes: number) => void {
  const byPart = new Map<number, number>()
  let sum = 0
  return (index, bytes) => {
    sum += bytes - (byPart.get(index) ?? 0)
    byPart.set(index, bytes)
    onSent(sum)
  }
}

/** What a service says that takes no files by path, or not this one. */
const importRefusedCodes: readonly MediaError['code'][] = [6004, 6005, 6016]

/**
 * Has a service on the same machine take parts from the file itself, one at a call, so that their bytes travel
 * nowhere. Where it cannot, it answers false and the service is not asked again: the bytes must be sent.
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
