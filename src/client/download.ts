import { randomBytes } from 'node:crypto'
import { open, rename, rm, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dispatcher } from 'undici'
import { MediaError } from '../contract/errors.ts'
import type { FileRecord } from '../contract/file.ts'
import { errorCode, isNetworkFailure } from '../platform/system-error.ts'
import { createHasher, type Hasher } from '../platform/hash.ts'
import { retry } from '../platform/retry.ts'
import { throwErrorResponse } from './response.ts'
import type { Client } from './client.ts'
import { compareFile, numberedNames } from './file-names.ts'

/** Target of a download: an existing folder and a file name. */
export interface DownloadTarget extends DownloadOptions {
  readonly folder: string
  readonly name: string
}

interface DownloadOptions {
  readonly signal?: AbortSignal
  /** Bytes received so far. */
  readonly onProgress?: (received: number) => void
}

/** Consecutive broken connections without a received byte after which a download fails. */
const maxAttemptsWithoutProgress = 5

type DownloadableFile = Pick<FileRecord, 'download_url' | 'size' | 'blake3_id'>

/**
 * Downloads a file, resumes broken connections, and returns the file name used. Size and BLAKE3 are verified before the
 * file gets its name. A different file of that name is kept (a number is appended); an identical one is reused.
 */
export async function downloadFile(
  client: Client,
  file: DownloadableFile,
  target: DownloadTarget,
): Promise<string> {
  return await saveContent(file, target, (handle) => downloadToHandle(client, { file, handle }, target))
}

/** Saves bytes under the same rules as a download. Returns the file name used. */
export async function saveBytes(bytes: Uint8Array, target: DownloadTarget): Promise<string> {
  const hasher = await createHasher()
  hasher.update(bytes)
  const content = { size: bytes.length, blake3_id: hasher.digest() }
  return await saveContent(content, target, (handle) => handle.writeFile(bytes))
}

async function saveContent(
  file: Pick<FileRecord, 'size' | 'blake3_id'>,
  target: DownloadTarget,
  write: (handle: FileHandle) => Promise<void>,
): Promise<string> {
  for (const name of numberedNames(target.name)) {
    const found = await compareFile(join(target.folder, name), file, target.signal)
    if (found === 'same') return name
    if (found === 'none') break
  }
  const part = join(target.folder, `.${randomBytes(8).toString('hex')}.part`)
  try {
    await using handle = await open(part, 'wx')
    await write(handle)
    await handle.datasync()
    await handle.close()
    return await moveIntoPlace(part, target)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** Reserves the first free name, then moves the file there. Never replaces another file. */
async function moveIntoPlace(part: string, { folder, name: wanted }: DownloadTarget): Promise<string> {
  for (const name of numberedNames(wanted)) {
    const path = join(folder, name)
    try {
      await (await open(path, 'wx')).close()
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue
      throw error
    }
    try {
      await rename(part, path)
    } catch (error) {
      await rm(path)
      throw error
    }
    return name
  }
  throw new MediaError(6016, `${wanted} and its numbered names all exist in that folder`, {
    hint: 'Choose another name or folder in save_to.',
  })
}

async function downloadToHandle(
  client: Client,
  { file, handle }: { file: DownloadableFile; handle: FileHandle },
  options: DownloadOptions,
): Promise<void> {
  const state: DownloadState = { bytes: 0, hasher: await createHasher() }
  let attemptsWithoutProgress = 0
  let before = 0
  const attempt = async (): Promise<void> => {
    before = state.bytes
    try {
      const response = await requestRange(client, file, { from: state.bytes, signal: options.signal })
      if (response.statusCode === 200 && state.bytes > 0) {
        state.bytes = 0
        state.hasher = await createHasher()
      }
      await writeBody(response, { file, handle, state, onProgress: options.onProgress })
    } catch (error) {
      // If the connection broke after the last byte, no range is left to request.
      if (!isNetworkFailure(error) || state.bytes !== file.size) throw error
    }
  }
  await retry(attempt, {
    delayAfter(error) {
      if (!isNetworkFailure(error)) throw error
      attemptsWithoutProgress = state.bytes > before ? 0 : attemptsWithoutProgress + 1
      if (attemptsWithoutProgress >= maxAttemptsWithoutProgress) {
        throw new MediaError(6401, 'The download was interrupted', { cause: error, retryable: true })
      }
      return 0
    },
    // Resumes at once: the client already waits between its attempts to connect.
    wait: () => Promise.resolve(),
  })
  if (state.bytes !== file.size || state.hasher.digest() !== file.blake3_id) throw downloadMismatch()
}

interface DownloadState {
  bytes: number
  hasher: Hasher
}

/** Requests the bytes from an offset. Returns only status 200, or 206 that starts at the offset. */
async function requestRange(
  client: Client,
  file: DownloadableFile,
  { from, signal }: { from: number; signal: AbortSignal | undefined },
): Promise<Dispatcher.ResponseData> {
  const response = await client.send({
    method: 'GET',
    address: file.download_url,
    headers: from > 0 ? { range: `bytes=${from}-`, 'if-range': `"${file.blake3_id}"` } : {},
    idempotent: true,
    signal,
  })
  if (response.statusCode !== 200 && response.statusCode !== 206) return throwErrorResponse(response)
  const { etag, 'content-range': range } = response.headers
  const tag = typeof etag === 'string' ? /^"([0-9a-f]{64})"$/.exec(etag)?.[1] : undefined
  const wrongRange = response.statusCode === 206 && !String(range).startsWith(`bytes ${from}-`)
  if (wrongRange || (tag !== undefined && tag !== file.blake3_id)) {
    await response.body.dump()
    throw downloadMismatch()
  }
  return response
}

async function writeBody(
  response: Dispatcher.ResponseData,
  into: {
    file: DownloadableFile
    handle: FileHandle
    state: DownloadState
    onProgress: DownloadOptions['onProgress']
  },
): Promise<void> {
  const { file, handle, state } = into
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    if (state.bytes + chunk.length > file.size) throw downloadMismatch()
    for (let done = 0; done < chunk.length;) {
      const { bytesWritten } = await handle.write(chunk, done, chunk.length - done, state.bytes + done)
      done += bytesWritten
    }
    state.hasher.update(chunk)
    state.bytes += chunk.length
    into.onProgress?.(state.bytes)
  }
}

function downloadMismatch(): MediaError {
  return new MediaError(6401, 'The downloaded file does not match its size or checksum', { retryable: true })
}
