import { constants } from 'node:fs'
import { open, readFile, rm, type FileHandle } from 'node:fs/promises'
import type { Dispatcher } from 'undici'
import { MediaError } from '../../contract/errors.ts'
import { describeSize } from '../../contract/format.ts'
import { writeDurably, writeAt } from '../../platform/durable.ts'
import { isUnresolvedHost, networkCode } from '../../platform/system-error.ts'
import { exponentialDelay, retry, type Wait } from '../../platform/retry.ts'
import { isDownloadUrl, isSafeRedirect } from './allowed-url.ts'
import type { Artifact } from './manifest.ts'

/** Options of a download. */
export interface PackDownloadOptions {
  readonly signal?: AbortSignal | undefined
  /** Called with the number of bytes of the file received so far. */
  readonly onProgress?: ((bytes: number) => void) | undefined
  /** Called before each attempt after a failed one. attempt: number of the attempt, from 2. */
  readonly onRetry?: ((attempt: number) => void) | undefined
  /** Waits between attempts; replaced in tests. */
  readonly pause?: Wait | undefined
}

interface ResumableDownloadOptions extends PackDownloadOptions {
  readonly artifact: Artifact
  /** Path of the file that receives the bytes. */
  readonly part: string
}

interface ResumableState {
  readonly file: FileHandle
  bytes: number
  /** The highest number of bytes so far: a server without range requests restarts the download. */
  furthest: number
  /** Entity tag of the content whose first bytes the file contains. */
  tag: string | null
}

let agent: Dispatcher | undefined

/** Loads undici on the first download: workers start often and seldom download. */
async function loadHttp() {
  const { Agent, request } = await import('undici')
  agent ??= new Agent({ connect: { timeout: 10_000 }, headersTimeout: 30_000, bodyTimeout: 60_000 })
  return { request, dispatcher: agent }
}

const maxRedirects = 5

/** Consecutive failed attempts without progress before the download fails. */
const maxFailuresWithoutProgress = 5

/** Failed attempts in total before the download fails. */
const maxFailures = 100

/**
 * Downloads a file over https, or over http from this machine. Resumes after a broken connection or an earlier call if
 * the server still has the same content, otherwise restarts. Verifies the size, not the content. Throws 6401 and keeps
 * the bytes for the next call.
 */
export async function downloadResumable(address: string, options: ResumableDownloadOptions): Promise<void> {
  if (!isDownloadUrl(address)) throw unsafeUrlError(address)
  const start = new URL(address)
  await using file = await open(options.part, constants.O_RDWR | constants.O_CREAT, 0o666)
  const { size } = await file.stat()
  const tag = await readFile(tagFile(options.part), 'utf8').catch(() => null)
  const state: ResumableState = { file, bytes: size, furthest: 0, tag }
  const { bytes } = options.artifact
  // The content of a complete file is verified by the caller.
  if (size > bytes || (tag === null && size < bytes)) await restartDownload(state, options, null)
  const { signal, pause } = options
  let furthest = state.furthest
  let withoutProgress = 0
  const delayAfter = (error: unknown, failures: number): number => {
    if (signal?.aborted || error instanceof MediaError || isDiskError(error)) throw error
    // Without a network, further attempts would only delay the answer.
    if (state.furthest === 0 && isUnresolvedHost(error)) throw unresolvedHostError(start, error)
    withoutProgress = state.furthest > furthest ? 0 : withoutProgress + 1
    furthest = state.furthest
    if (withoutProgress === maxFailuresWithoutProgress || failures === maxFailures) {
      throw downloadFailedError(start, error)
    }
    return exponentialDelay(withoutProgress + 1)
  }
  if (state.bytes < bytes) {
    const attempt = (failures: number): Promise<void> => {
      if (failures > 0) options.onRetry?.(failures + 1)
      return downloadOnce(start, state, options)
    }
    await retry(attempt, { signal, wait: pause, delayAfter })
  }
  await file.datasync()
}

/** Removes a partial file and its entity tag. */
export async function removePartialFile(part: string): Promise<void> {
  await rm(tagFile(part), { force: true })
  await rm(part, { force: true })
}

function tagFile(part: string): string {
  return `${part}.etag`
}

async function downloadOnce(
  start: URL,
  state: ResumableState,
  options: ResumableDownloadOptions,
): Promise<void> {
  const { artifact, signal, onProgress } = options
  const isResumed = state.bytes > 0 && state.tag !== null
  const headers: Record<string, string> = isResumed
    ? { range: `bytes=${state.bytes}-`, 'if-range': state.tag ?? '' }
    : {}
  const response = await sendGet(start, headers, signal)
  const { 'content-range': range, 'content-length': length, etag } = response.headers
  if (response.statusCode === 200) {
    if (length !== undefined && Number(length) !== artifact.bytes) {
      discardBody(response)
      throw wrongSizeError(start, artifact, Number(length))
    }
    // A weak tag does not promise equal bytes (RFC 9110, 13.1.5).
    await restartDownload(state, options, typeof etag === 'string' && /^"[^"]*"$/.test(etag) ? etag : null)
  } else if (range !== `bytes ${state.bytes}-${artifact.bytes - 1}/${artifact.bytes}`) {
    discardBody(response)
    throw wrongSizeError(start, artifact)
  }
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    if (state.bytes + chunk.length > artifact.bytes) throw wrongSizeError(start, artifact)
    await writeAt(state.file, chunk, state.bytes)
    state.bytes += chunk.length
    state.furthest = Math.max(state.furthest, state.bytes)
    onProgress?.(state.bytes)
  }
  if (state.bytes < artifact.bytes) throw wrongSizeError(start, artifact, state.bytes)
}

/** Empties the file. The stored tag exists only while the file contains bytes of that content. */
async function restartDownload(
  state: ResumableState,
  { part }: ResumableDownloadOptions,
  tag: string | null,
): Promise<void> {
  await rm(tagFile(part), { force: true })
  await state.file.truncate(0)
  state.bytes = 0
  state.tag = tag
  if (tag !== null) await writeDurably(tagFile(part), tag)
}

/** Sends a GET and follows redirects. Returns a response with status 200, or 206 for a range request. */
async function sendGet(
  start: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<Dispatcher.ResponseData> {
  const { request, dispatcher } = await loadHttp()
  let url = start
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await request(url, {
      headers: { ...headers, 'accept-encoding': 'identity' },
      signal: signal ?? null,
      dispatcher,
    })
    const { statusCode } = response
    if (statusCode === 200 || (statusCode === 206 && 'range' in headers)) return response
    const { location } = response.headers
    discardBody(response)
    if (statusCode < 300 || statusCode >= 400 || typeof location !== 'string') {
      throw new MediaError(6401, `${start.href} responds with ${statusCode}`, {
        retryable: statusCode >= 500,
        hint: statusCode >= 500 ? 'Try again later.' : mirrorHint,
      })
    }
    const next = URL.canParse(location, url.href) ? new URL(location, url).href : location
    if (!isSafeRedirect(start, next)) throw unsafeUrlError(next)
    url = new URL(next)
  }
  throw new MediaError(6401, `${start.href} is redirected too often`, { retryable: false, hint: mirrorHint })
}

/** Destroys a body, which then emits an error. */
function discardBody({ body }: Dispatcher.ResponseData): void {
  body.on('error', () => undefined).destroy()
}

function unsafeUrlError(address: string): MediaError {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return new MediaError(
    6401,
    `${url ? url.origin + url.pathname : address.slice(0, 200)} is not an https address of the internet, or contains a password`,
    {
      retryable: false,
      hint: mirrorHint,
    },
  )
}

/** Hint for files that cannot be downloaded from their usual address. */
export const mirrorHint =
  'Set a folder or another address that has the file: REELWRIGHT_MODELS_MIRROR for this command, or models_mirror in ' +
  'reelwright.config.json of the data folder, which a service reads when it starts.'

function wrongSizeError({ href }: URL, { bytes }: Artifact, found?: number): MediaError {
  const other = found === undefined ? 'another file' : describeSize(found)
  return new MediaError(6401, `${href} has ${other} instead of the file of ${describeSize(bytes)}`, {
    retryable: false,
    hint: mirrorHint,
  })
}

function downloadFailedError({ href }: URL, cause: unknown): MediaError {
  const why = networkCode(cause) ?? (cause instanceof Error ? cause.message : String(cause))
  return new MediaError(6401, `${href} cannot be downloaded (${why})`, {
    cause,
    retryable: true,
    hint: `Try again: the download resumes. ${mirrorHint}`,
  })
}

/** The error for a host whose address cannot be found, as without a network. */
function unresolvedHostError({ href, hostname }: URL, cause: unknown): MediaError {
  return new MediaError(6401, `${href} cannot be downloaded: the host ${hostname} was not found`, {
    cause,
    retryable: false,
    hint: `${networkHint} ${mirrorHint}`,
  })
}

/** Fix for a machine that cannot find a host. */
export const networkHint =
  'Connect this machine to the internet, and check its DNS and proxy, then call again.'

function isDiskError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && networkCode(error) === undefined
}
