import { MediaError } from '../contract/errors.ts'
import type { FileRecord } from '../contract/file.ts'
import { routes } from '../contract/routes.ts'
import type { UploadInit, UploadStarted } from '../contract/upload.ts'
import type { Pause } from '../platform/backoff.ts'
import { readAnswer } from './answer.ts'
import type { Client } from './client.ts'
import { uploadInOneRequest } from './upload-form.ts'
import { uploadInParts, type Upload } from './upload-parts.ts'
import { retrying } from './upload-retry.ts'
import { changedMeanwhile, hashOf, readInto, watchForChange, type UploadSource } from './upload-source.ts'

interface UploadOptions {
  /** Ends it; what has arrived of a large file is kept, and the next upload of it goes on there. */
  readonly signal?: AbortSignal
  /** Share of the work that is done, 0 to 1; never goes back. */
  readonly onProgress?: (share: number) => void
  /** Waits between attempts; in tests, not at all. */
  readonly pause?: Pause
}

/** Files from this size on go in parts and can be resumed, bytes. */
const inPartsFrom = 64 * 2 ** 20

/** Share of the progress that hashing is: even a disk is read faster than its bytes travel. */
const hashShare = 0.1

/** How often an upload is begun anew whose session ended before it did. */
const maxBeginnings = 3

/** HTTP statuses of a service that knows no uploads in parts. */
const notServed: readonly number[] = [404, 405, 501]

/**
 * Uploads a file in flat memory: not at all where the service has its bytes, in one request where it is small,
 * else in parts, going on where an earlier upload of it ended. What arrived is checked against what was read.
 */
export async function uploadFile(
  client: Client,
  source: UploadSource,
  options: UploadOptions = {},
): Promise<FileRecord> {
  const tell = onlyForward(options.onProgress)
  const hasChanged = await watchForChange(source)
  const upload = openUpload(client, source, {
    ...options,
    onProgress: (share) => tell(hashShare + share * (1 - hashShare)),
  })
  const blake3 = await hashOf(
    source,
    { offset: 0, size: source.size },
    { signal: upload.signal, onProgress: (hashed) => tell((hashed / source.size) * hashShare) },
  )
  for (let beginnings = 1; ; beginnings += 1) {
    try {
      const record = await send(upload, { filename: source.name, size: source.size, blake3_id: blake3 })
      if (record.size !== source.size || record.blake3_id !== blake3) throw damaged(source)
      tell(1)
      return record
    } catch (error) {
      if (await hasChanged()) throw upload.signal.aborted ? error : changedMeanwhile(source)
      if (!isSessionLost(error) || beginnings === maxBeginnings) throw error
    }
  }
}

/** One beginning of an upload. */
async function send(upload: Upload, file: Required<UploadInit>): Promise<FileRecord> {
  const { client, signal } = upload
  const started = await upload.retry(() => begin(upload, file), signal)
  if (!started) return await uploadInOneRequest(upload)
  if ('instant' in started) return started
  const abort = () =>
    client
      .call(routes.abortUpload, { params: { upload_id: started.upload_id }, signal })
      .catch(() => undefined)
  const isLocal = started.local_import && upload.source.local
  if (file.size < inPartsFrom && !isLocal && !('missing' in started)) {
    // The session was the price of asking whether the bytes are there.
    await abort()
    return await uploadInOneRequest(upload)
  }
  try {
    return await uploadInParts(upload, started)
  } catch (error) {
    // Its parts make other bytes: the next upload of this file must not go on there.
    if (isOf(error, 6026)) await abort()
    throw error
  }
}

/** Asks whether the bytes are there; null where the service knows no uploads in parts. */
async function begin({ client, signal }: Upload, file: UploadInit): Promise<UploadStarted | null> {
  const response = await client.send({
    method: routes.initUpload.method,
    address: routes.initUpload.path,
    headers: { 'content-type': 'application/json' },
    body: () => JSON.stringify(file),
    idempotent: true,
    signal,
  })
  if (!notServed.includes(response.statusCode)) return await readAnswer(routes.initUpload, response)
  await response.body.dump()
  return null
}

function openUpload(
  client: Client,
  source: UploadSource,
  { signal: given, onProgress, pause }: UploadOptions & { onProgress: (share: number) => void },
): Upload {
  const end = new AbortController()
  /** What cannot be read ends it: sending again would not help. */
  const read = async <T>(reading: Promise<T>, signal?: AbortSignal): Promise<T> => {
    try {
      return await reading
    } catch (error) {
      // Where only one part was ended, the rest may go on.
      if (!signal?.aborted) end.abort(error)
      throw error
    }
  }
  return {
    client,
    source,
    signal: given ? AbortSignal.any([given, end.signal]) : end.signal,
    retry: retrying(pause),
    onSent: (bytes) => onProgress(bytes / source.size),
    hash: (place, signal) => read(hashOf(source, place, { signal }), signal),
    read: (memory, place) => read(readInto(memory, source, place)),
  }
}

function onlyForward(tell: (share: number) => void = () => undefined): (share: number) => void {
  let most = 0
  return (share) => {
    if (share <= most) return
    most = share
    tell(share)
  }
}

/** The session ended, or its parts are not the file: an upload begun anew may succeed. */
function isSessionLost(error: unknown): boolean {
  return isOf(error, 6024) || isOf(error, 6026)
}

function isOf(error: unknown, code: MediaError['code']): boolean {
  return error instanceof MediaError && error.code === code
}

function damaged({ name }: UploadSource): MediaError {
  return new MediaError(6036, `${name} did not arrive as it was read`)
}
