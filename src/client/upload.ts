import { randomBytes } from 'node:crypto'
import { MediaError } from '../contract/errors.ts'
import type { FileRecord } from '../contract/file.ts'
import { routes } from '../contract/routes.ts'
import type { UploadInit, UploadInitResult } from '../contract/upload.ts'
import { isNetworkFailure } from '../platform/system-error.ts'
import { exponentialDelay, retry, type Wait } from '../platform/retry.ts'
import type { Client } from './client.ts'
import { readResponse } from './response.ts'
import { streamUploadBytes, type Upload, uploadInParts } from './upload-parts.ts'
import {
  changedDuringUpload,
  hashUploadBytes,
  readUploadBytes,
  type UploadSource,
  watchForChanges,
} from './upload-source.ts'

interface UploadFileOptions {
  /** Ends it; what has arrived of a large file is kept, and the next upload of it goes on there. */
  readonly signal?: AbortSignal
  /** Share of the work that is done, 0 to 1; never goes back. */
  readonly onProgress?: (share: number) => void
  /** Waits between attempts; in tests, not at all. */
  readonly pause?: Wait
}

/** Files from this size on go in parts and can be resumed, bytes. */
const minPartedUploadBytes = 64 * 2 ** 20

/** Share of the progress that hashing is: even a disk is read faster than its bytes travel. */
const hashingShare = 0.1

/** How often an upload is begun anew whose session ended before it did. */
const maxSessions = 3

/** HTTP statuses of a service that knows no uploads in parts. */
const unsupportedStatuses: readonly number[] = [404, 405, 501]

/**
 * Uploads a file in flat memory: not at all where the service has its bytes, in one request where it is small,
 * else in parts, going on where an earlier upload of it ended. What arrived is checked against what was read.
 */
export async function uploadFile(
  client: Client,
  source: UploadSource,
  options: UploadFileOptions = {},
): Promise<FileRecord> {
  const tell = monotonic(options.onProgress)
  const hasChanged = await watchForChanges(source)
  const upload = openUpload(client, source, {
    ...options,
    onProgress: (share) => tell(hashingShare + share * (1 - hashingShare)),
  })
  const blake3 = await hashUploadBytes(
    source,
    { offset: 0, size: source.size },
    { signal: upload.signal, onProgress: (hashed) => tell((hashed / source.size) * hashingShare) },
  )
  for (let beginnings = 1; ; beginnings += 1) {
    try {
      const record = await sendFile(upload, { filename: source.name, size: source.size, blake3_id: blake3 })
      if (record.size !== source.size || record.blake3_id !== blake3) throw uploadMismatch(source)
      tell(1)
      return record
    } catch (error) {
      if (await hasChanged()) throw upload.signal.aborted ? error : changedDuringUpload(source)
      if (!isSessionLost(error) || beginnings === maxSessions) throw error
    }
  }
}

/** One beginning of an upload. */
async function sendFile(upload: Upload, file: Required<UploadInit>): Promise<FileRecord> {
  const { client, signal } = upload
  const started = await upload.retry(() => beginUpload(upload, file), signal)
  if (!started) return await uploadInOneRequest(upload)
  if ('instant' in started) return started
  const abort = () =>
    client
      .call(routes.abortUpload, { params: { upload_id: started.upload_id }, signal })
      .catch(() => undefined)
  const isLocal = started.local_import && upload.source.local
  if (file.size < minPartedUploadBytes && !isLocal && !('missing' in started)) {
    // The session was the price of asking whether the bytes are there.
    await abort()
    return await uploadInOneRequest(upload)
  }
  try {
    return await uploadInParts(upload, started)
  } catch (error) {
    // Its parts make other bytes: the next upload of this file must not go on there.
    if (hasErrorCode(error, 6026)) await abort()
    throw error
  }
}

/** Asks whether the bytes are there; null where the service knows no uploads in parts. */
async function beginUpload({ client, signal }: Upload, file: UploadInit): Promise<UploadInitResult | null> {
  const response = await client.send({
    method: routes.initUpload.method,
    address: routes.initUpload.path,
    headers: { 'content-type': 'application/json' },
    body: () => JSON.stringify(file),
    idempotent: true,
    signal,
  })
  if (!unsupportedStatuses.includes(response.statusCode))
    return await readResponse(routes.initUpload, response)
  await response.body.dump()
  return null
}

function openUpload(
  client: Client,
  source: UploadSource,
  { signal: given, onProgress, pause }: UploadFileOptions & { onProgress: (share: number) => void },
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
    retry: createRetry(pause),
    onSent: (bytes) => onProgress(bytes / source.size),
    hash: (place, signal) => read(hashUploadBytes(source, place, { signal }), signal),
    read: (memory, place) => read(readUploadBytes(memory, source, place)),
  }
}

function monotonic(tell: (share: number) => void = () => undefined): (share: number) => void {
  let most = 0
  return (share) => {
    if (share <= most) return
    most = share
    tell(share)
  }
}

/** The session ended, or its parts are not the file: an upload begun anew may succeed. */
function isSessionLost(error: unknown): boolean {
  return hasErrorCode(error, 6024) || hasErrorCode(error, 6026)
}

function hasErrorCode(error: unknown, code: MediaError['code']): boolean {
  return error instanceof MediaError && error.code === code
}

function uploadMismatch({ name }: UploadSource): MediaError {
  return new MediaError(6036, `${name} did not arrive as it was read`)
}

/** Uploads a file in one streamed request, again from its begin where that breaks. */
async function uploadInOneRequest(upload: Upload): Promise<FileRecord> {
  const { client, source, signal, retry } = upload
  return await retry(async () => {
    const form = createForm(source.name, source.size)
    const response = await client.send({
      method: routes.uploadFile.method,
      address: routes.uploadFile.path,
      headers: { 'content-type': form.type, 'content-length': String(form.length) },
      body: () => formBody(upload, form),
      idempotent: false,
      signal,
    })
    return await readResponse(routes.uploadFile, response)
  }, signal)
}

interface MultipartForm {
  readonly type: string
  readonly head: Buffer
  readonly tail: Buffer
  readonly length: number
}

/** The multipart frame around the one field `file`. */
function createForm(name: string, size: number): MultipartForm {
  const boundary = `reelwright-${randomBytes(16).toString('hex')}`
  // As browsers escape file names in forms.
  const escaped = name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped}"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    head,
    tail,
    length: head.length + size + tail.length,
  }
}

async function* formBody(upload: Upload, form: MultipartForm): AsyncGenerator<Uint8Array> {
  yield form.head
  yield* streamUploadBytes(upload, { offset: 0, size: upload.source.size }, upload.onSent)
  yield form.tail
}

/** Runs work again while it fails for what may pass; it is told how often it failed so far. */
export type Retry = <T>(work: (failures: number) => Promise<T>, signal: AbortSignal) => Promise<T>

/** Failures of one piece of work after which it is given up: with the pauses, a minute without a service. */
const maxFailures = 9

/** A service that asks for more patience than this is not waited for, ms. */
const maxRetryAfterMs = 120_000

/** Retries broken connections and retryable failures with backoff, and waits at least as long as the service asks. */
function createRetry(wait?: Wait): Retry {
  return (work, signal) =>
    retry(work, {
      signal,
      wait,
      delayAfter(error, failures) {
        signal.throwIfAborted()
        const requestedMs = (error instanceof MediaError ? (error.retryAfter ?? 0) : 0) * 1000
        if (!isRetryable(error) || failures === maxFailures || requestedMs > maxRetryAfterMs) {
          throw toUploadError(error)
        }
        return Math.max(requestedMs, exponentialDelay(failures))
      },
    })
}

function isRetryable(error: unknown): boolean {
  return isNetworkFailure(error) || (error instanceof MediaError && error.retryable)
}

function toUploadError(error: unknown): unknown {
  return isNetworkFailure(error) ? new MediaError(6036, 'The upload broke off', { cause: error }) : error
}
