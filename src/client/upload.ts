import { randomBytes } from 'node:crypto'
import { MediaError } from '../contract/errors.ts'
import type { FileRecord } from '../contract/file.ts'
import { routes } from '../contract/routes.ts'
import type { OpenUploadSession, UploadInit, UploadInitResult } from '../contract/upload.ts'
import { isNetworkFailure } from '../platform/system-error.ts'
import { exponentialDelay, retry, type Wait } from '../platform/retry.ts'
import type { Client } from './client.ts'
import { readEnvelopeData } from './response.ts'
import {
  changedDuringUpload,
  hashUploadSource,
  readUploadBytes,
  streamUploadBytes,
  type Upload,
  uploadInParts,
  type UploadSource,
  watchForChanges,
} from './upload-parts.ts'

interface UploadFileOptions {
  /** BLAKE3 of the present file, if known. The file is then not read if the service has its bytes. */
  readonly blake3?: string | undefined
  /** Aborts the upload. The service keeps the received parts of a large file, and the next upload resumes there. */
  readonly signal?: AbortSignal
  /** Completed share of the work, 0 to 1; never decreases. */
  readonly onProgress?: (share: number) => void
  /** Waits between attempts; tests inject one that does not wait. */
  readonly pause?: Wait
}

/** Files of at least this size are uploaded in parts and can be resumed, bytes. */
const minPartedUploadBytes = 64 * 2 ** 20

/** Share of the progress that hashing takes: a disk is faster than the network. */
const hashingShare = 0.1

/** Upload sessions that are tried if the service ends one early. */
const maxSessions = 3

/** HTTP statuses of a service that does not support uploads in parts. */
const unsupportedStatuses: readonly number[] = [404, 405, 501]

/** Services that sent a session without local import, and are not asked for it again. */
const remoteServices = new WeakSet<Client>()

/**
 * Uploads a file with constant memory. Sends nothing if the service has its bytes, one request if it is small, else
 * parts, resuming an earlier upload. A large file is read only once by a service on the same machine. Verifies size and
 * BLAKE3 of the stored file, or that the file did not change while the service read it.
 */
export async function uploadFile(
  client: Client,
  source: UploadSource,
  { blake3: known, ...options }: UploadFileOptions = {},
): Promise<FileRecord> {
  const report = monotonic(options.onProgress)
  const hasChanged = await watchForChanges(source)
  let blake3 = known
  const upload = openUpload(client, source, {
    ...options,
    onProgress: (share) => report(blake3 === undefined ? share : hashingShare + share * (1 - hashingShare)),
  })
  const { size, name } = source
  for (let sessions = 1; ; sessions += 1) {
    try {
      const imported = blake3 === undefined ? await importFile(upload) : undefined
      if (!imported) blake3 ??= await hashSource(upload, report)
      const record = imported ?? (await sendFile(upload, { filename: name, size, blake3_id: blake3 }))
      const hasOtherBytes = blake3 !== undefined && record.blake3_id !== blake3
      if (record.size !== size || hasOtherBytes) throw uploadMismatch(source)
      if (imported && (await hasChanged())) throw changedDuringUpload(source)
      report(1)
      return record
    } catch (error) {
      if (await hasChanged()) throw upload.signal.aborted ? error : changedDuringUpload(source)
      if (!isSessionLost(error) || sessions === maxSessions) throw error
    }
  }
}

/**
 * Lets a service on the same machine read and hash a large file, so that it is read once. Returns undefined if the file
 * is small or the service cannot read it. Such an upload cannot be resumed later, as only its hash would identify it.
 */
async function importFile(upload: Upload): Promise<FileRecord | undefined> {
  const { client, source, signal } = upload
  if (!source.local || source.size < minPartedUploadBytes || remoteServices.has(client)) return undefined
  const started = await upload.retry(
    () => beginUpload(upload, { filename: source.name, size: source.size }),
    signal,
  )
  if (started && 'instant' in started) return started
  if (!started?.local_import) {
    remoteServices.add(client)
    if (started) await abortUpload(client, started)
    return undefined
  }
  try {
    return await uploadInParts(upload, started)
  } catch (error) {
    await abortUpload(client, started)
    throw error
  }
}

async function hashSource({ source, signal }: Upload, report: (share: number) => void): Promise<string> {
  const onProgress = (hashed: number): void => report((hashed / source.size) * hashingShare)
  return await hashUploadSource(source, { signal, onProgress })
}

/** Uploads a file in one session. */
async function sendFile(upload: Upload, file: UploadInit): Promise<FileRecord> {
  const { client, signal } = upload
  const started = await upload.retry(() => beginUpload(upload, file), signal)
  if (!started) return await uploadInOneRequest(upload)
  if ('instant' in started) return started
  const isLocal = started.local_import && upload.source.local
  if (file.size < minPartedUploadBytes && !isLocal && !('missing' in started)) {
    // The session was opened only to learn whether the service has the bytes.
    await abortUpload(client, started)
    return await uploadInOneRequest(upload)
  }
  try {
    return await uploadInParts(upload, started)
  } catch (error) {
    // Its parts do not match the file: the next upload must not resume there.
    if (hasErrorCode(error, 6026)) await abortUpload(client, started)
    throw error
  }
}

/** Time in which a session must be removed, ms. A session that stays expires. */
const abortTimeoutMs = 5000

/** Removes a session and its parts, also while the upload is being cancelled. */
async function abortUpload(client: Client, { upload_id }: OpenUploadSession): Promise<void> {
  const signal = AbortSignal.timeout(abortTimeoutMs)
  await client.call(routes.abortUpload, { params: { upload_id }, signal }).catch(() => undefined)
}

/** Opens an upload session, or finds the stored bytes. Returns null if the service does not support parts. */
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
    return await readEnvelopeData(routes.initUpload, response)
  await response.body.dump()
  return null
}

function openUpload(
  client: Client,
  source: UploadSource,
  { signal: given, onProgress, pause }: UploadFileOptions & { onProgress: (share: number) => void },
): Upload {
  const end = new AbortController()
  /** A read error aborts the upload: sending again would not help. */
  const read: Upload['read'] = async (memory, range) => {
    try {
      return await readUploadBytes(memory, source, range)
    } catch (error) {
      end.abort(error)
      throw error
    }
  }
  return {
    client,
    source,
    signal: given ? AbortSignal.any([given, end.signal]) : end.signal,
    retry: createRetry(pause),
    onSent: (bytes) => onProgress(bytes / source.size),
    read,
  }
}

function monotonic(report: (share: number) => void = () => undefined): (share: number) => void {
  let most = 0
  return (share) => {
    if (share <= most) return
    most = share
    report(share)
  }
}

/** The session ended, or its parts do not match the file: a new upload may succeed. */
function isSessionLost(error: unknown): boolean {
  return hasErrorCode(error, 6024) || hasErrorCode(error, 6026)
}

function hasErrorCode(error: unknown, code: MediaError['code']): boolean {
  return error instanceof MediaError && error.code === code
}

function uploadMismatch({ name }: UploadSource): MediaError {
  return new MediaError(6036, `The stored file does not match ${name}`)
}

/** Uploads a file in one streamed request; a retry starts from the beginning. */
async function uploadInOneRequest(upload: Upload): Promise<FileRecord> {
  const { client, source, signal } = upload
  return await upload.retry(async () => {
    const form = createForm(source.name, source.size)
    const response = await client.send({
      method: routes.uploadFile.method,
      address: routes.uploadFile.path,
      headers: { 'content-type': form.type, 'content-length': String(form.length) },
      body: () => formBody(upload, form),
      idempotent: false,
      signal,
    })
    return await readEnvelopeData(routes.uploadFile, response)
  }, signal)
}

interface MultipartForm {
  readonly type: string
  readonly head: Buffer
  readonly tail: Buffer
  readonly length: number
}

/** Multipart framing of the single field `file`. */
function createForm(name: string, size: number): MultipartForm {
  const boundary = `reelwright-${randomBytes(16).toString('hex')}`
  // Browsers escape file names in forms this way.
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

/** Repeats work after retryable failures. Passes it the number of failures so far. */
export type Retry = <T>(work: (failures: number) => Promise<T>, signal: AbortSignal) => Promise<T>

/** Failures after which work is not repeated: about a minute without a service. */
const maxFailures = 9

/** Longest `Retry-After` that is waited for, ms. */
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
  return isNetworkFailure(error)
    ? new MediaError(6036, 'The upload was interrupted', { cause: error })
    : error
}
