import { randomUUID } from 'node:crypto'
import { lookup } from 'node:dns'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { isIP, type LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dispatcher } from 'undici'
import { safeFileName } from '../client/file-names.ts'
import { MediaError } from '../contract/errors.ts'
import { extensionOf, type FileKind, kindOf, supportedHint } from '../contract/file-kind.ts'
import { maxFileBytes } from '../contract/file.ts'
import { describeSize } from '../contract/format.ts'
import { errorCode } from '../platform/system-error.ts'
import { lazy } from '../platform/cache.ts'
import { isPublicAddress } from '../platform/public-address.ts'
import type { OpenedFile } from './open-allowed.ts'

/** Error for a host name that resolves to an address that is not public. */
export class NotPublicError extends Error {}

/** Like `dns.lookup`, but fails with `NotPublicError` if any of the addresses is not public. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? []
    if (error) callback(error, '')
    else if (!first || !addresses.every(({ address }) => isPublicAddress(address))) {
      callback(new NotPublicError(hostname), '')
    } else if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}

/**
 * Resolves and checks the host for each connection, so that DNS rebinding is detected. Loaded for the first URL:
 * undici takes a quarter of the start-up time of a session.
 */
const publicInternetAgent = lazy(async () => {
  const { Agent } = await import('undici')
  return new Agent({
    connect: { lookup: lookupPublic, timeout: 10_000 },
    headersTimeout: 30_000,
    bodyTimeout: 60_000,
  })
})

const maxRedirects = 5

/** Opens an empty temporary file for the content of an https URL, which `fill` downloads. Throws 6001 and 6016. */
export async function openRemoteFile(
  given: string,
  wanted: readonly FileKind[],
  dispatcher?: Dispatcher,
): Promise<OpenedFile> {
  const url = parsePublicUrl(given)
  const name = safeFileName(lastPathSegment(url))
  const kind = kindOf(extensionOf(name))
  if (!kind) {
    throw new MediaError(6001, `${displayUrl(url)} does not end in the name of a media file`, {
      hint: supportedHint(wanted),
    })
  }
  const path = join(tmpdir(), `reelwright-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  // The unlinked file exists until its descriptor is closed.
  await rm(path)
  const fill: OpenedFile['fill'] = async (signal, onProgress) =>
    fetchToHandle(handle, url, {
      signal,
      dispatcher: dispatcher ?? (await publicInternetAgent()),
      onProgress,
    })
  return { handle, name, kind, size: 0, identity: url.href, fill }
}

function parsePublicUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  const isPlain = url?.protocol === 'https:' && url.port === '' && url.username === '' && url.password === ''
  if (url && isPlain && (isIP(host) === 0 || isPublicAddress(host))) return url
  throw new MediaError(6016, `${given.slice(0, 80)} is not a public https URL`, {
    hint: 'Give an https URL without a port or password, or download the file and give its path.',
  })
}

/** The URL for messages, without its query, which may contain a key. */
function displayUrl({ origin, pathname }: URL): string {
  return (origin + pathname).slice(0, 200)
}

function lastPathSegment({ pathname }: URL): string {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

interface FetchContext {
  readonly signal: AbortSignal
  readonly dispatcher: Dispatcher
  readonly onProgress: (share: number) => void
}

/** Downloads a URL into a file and returns the number of bytes. */
async function fetchToHandle(handle: FileHandle, url: URL, fetch: FetchContext): Promise<number> {
  try {
    const { body, headers } = await requestWithRedirects(url, fetch)
    const expected = Number(headers['content-length'])
    let size = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (size + chunk.length > maxFileBytes) {
        throw new MediaError(6002, `${displayUrl(url)} is larger than ${describeSize(maxFileBytes)}`)
      }
      await writeAll(handle, chunk, size)
      size += chunk.length
      if (size <= expected) fetch.onProgress(size / expected)
    }
    if (size === 0) throw new MediaError(6011, `${displayUrl(url)} is empty`)
    return size
  } catch (error) {
    throw error instanceof MediaError || fetch.signal.aborted ? error : toFetchError(url, error)
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, at + written)
    written += bytesWritten
  }
}

async function requestWithRedirects(
  start: URL,
  { signal, dispatcher }: FetchContext,
): Promise<Dispatcher.ResponseData> {
  const { request } = await import('undici')
  let url = start
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await request(url, { method: 'GET', signal, dispatcher })
    const { statusCode } = response
    if (statusCode === 200) return response
    await response.body.dump()
    const { location } = response.headers
    if (statusCode < 300 || statusCode >= 400 || typeof location !== 'string') {
      throw new MediaError(6004, `${displayUrl(start)} returned HTTP ${statusCode}`, {
        hint: 'Check the URL, or download the file and give its path.',
      })
    }
    url = parsePublicUrl(new URL(location, url).href)
  }
  throw new MediaError(6004, `${displayUrl(start)} redirects too often`, {
    hint: 'Give the URL of the file itself.',
  })
}

function toFetchError(url: URL, error: unknown): MediaError {
  if (error instanceof NotPublicError) {
    return new MediaError(6016, `${displayUrl(url)} is not on the public internet`, {
      cause: error,
      hint: 'Download the file into the workspace and give its path.',
    })
  }
  if (errorCode(error) === 'ENOSPC') {
    return new MediaError(6002, `${displayUrl(url)} does not fit on the disk`, { cause: error })
  }
  return new MediaError(6036, `${displayUrl(url)} could not be fetched`, {
    cause: error,
    hint: 'Try again, or download the file and give its path.',
  })
}
