import { open, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { uploadFile } from '../../src/client/upload.ts'
import type { FileRecord } from '../../src/contract/file.ts'
import { partBytes } from '../../src/contract/upload.ts'
import { chunkedUploadClient } from '../http/chunked-upload-client.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { startTestService, type TestService } from './in-process.ts'
import { startRelay, type Relay } from './relay.ts'
import { createStampedFile, firstMisplacedMiB } from './stamped-file.ts'

const initPath = '/base/file/upload/chunk/init'
const oneRequest = 'POST /base/file/upload'

/** Two full parts and a remainder. */
const largeSize = 2 * partBytes + 1000

let service: TestService
let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  service = await startTestService()
  folder = await temporaryFolder()
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

let relay: Relay
/** A separate file for each test. */
let path: string
let files = 0
beforeEach(async () => {
  relay = await startRelay(await service.account(0))
  files += 1
  path = join(folder.path, `${files}.mp4`)
})
afterEach(() => relay[Symbol.asyncDispose]())

/** Creates a file of three parts with unique content. */
async function createLargeFile(): Promise<void> {
  await createStampedFile(path, largeSize, 'sparse')
  await write(largeSize - 100, `file ${files}`)
}

async function write(position: number, text: string): Promise<void> {
  await using file = await open(path, 'r+')
  await file.write(Buffer.from(text), 0, null, position)
}

/** Uploads the file through the relay; `pauses` lists the waits, ms. */
async function upload(options: { signal?: AbortSignal; name?: string } = {}) {
  const { signal, name = 'clip.mp4' } = options
  const client = createClient({ baseUrl: relay.baseUrl, apiKey: 'the relay knows it' })
  await using handle = await open(path)
  const { size } = await handle.stat()
  const pauses: number[] = []
  const progress: number[] = []
  const onProgress = (share: number) => void progress.push(share)
  const pause = async (ms: number) => void pauses.push(ms)
  const settings = { onProgress, pause, ...(signal && { signal }) }
  try {
    const record = await uploadFile(client, { handle, name, size }, settings)
    return { record, pauses, progress }
  } catch (error) {
    throw Object.assign(error as Error, { pauses })
  } finally {
    await client.close()
  }
}

const requestsFrom = (prefix: string) => relay.requests.filter((request) => request.startsWith(prefix))
const openUploads = () =>
  service.running.service.db.selectFrom('uploads').select('id').where('file_id', 'is', null).execute()

/** Compares two files in pieces, as reading large ones at once takes several times as long. */
async function haveSameBytes(...paths: [string, string]): Promise<boolean> {
  await using one = await open(paths[0])
  await using other = await open(paths[1])
  const { size } = await one.stat()
  if ((await other.stat()).size !== size) return false
  const [piece, otherPiece] = [Buffer.alloc(2 ** 20), Buffer.alloc(2 ** 20)]
  for (let at = 0; at < size; at += piece.length) {
    const { bytesRead } = await one.read(piece, 0, piece.length, at)
    await other.read(otherPiece, 0, otherPiece.length, at)
    if (!piece.subarray(0, bytesRead).equals(otherPiece.subarray(0, bytesRead))) return false
  }
  return true
}

async function expectStored({ blake3_id, size }: FileRecord): Promise<void> {
  const stored = join(service.dataDir, 'files', 'blobs', blake3_id.slice(0, 2), blake3_id)
  expect(await haveSameBytes(stored, path)).toBe(true)
  if (size === largeSize) expect(await firstMisplacedMiB(stored)).toBeNull()
  expect(relay.bytesResent).toBe(0)
}

describe('the kind of upload', () => {
  test('a large file is uploaded in parts, and not at all the second time', async () => {
    await createLargeFile()
    const { record, progress } = await upload()
    await expectStored(record)
    expect(record).toMatchObject({ original_name: 'clip.mp4', size: largeSize })
    expect(requestsFrom('PUT')).toHaveLength(3)
    expect(progress.at(-1)).toBe(1)
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    const again = await upload({ name: 'other.mp4' })
    expect(again.record).toMatchObject({ file_id: record.file_id, instant: true })
    expect(again.progress.at(-1)).toBe(1)
    expect([requestsFrom('PUT').length, requestsFrom(`POST ${initPath}`).length]).toEqual([3, 2])
  })

  test('a small file is uploaded in one request without a session, and not at all the second time', async () => {
    await writeFile(path, 'small')
    const { record } = await upload()
    await expectStored(record)
    expect(relay.requests.filter((request) => request === oneRequest)).toHaveLength(1)
    expect(requestsFrom('PUT')).toEqual([])
    expect(await openUploads()).toEqual([])
    expect((await upload()).record).toMatchObject({ file_id: record.file_id, instant: true })
    expect(relay.requests.filter((request) => request === oneRequest)).toHaveLength(1)
  })

  test.each([
    [404, largeSize],
    [405, 300_000],
    [501, 300_000],
  ])('in one request where init answers HTTP %i, %i bytes', async (status, size) => {
    await createStampedFile(path, size, 'sparse')
    await write(size - 100, `file ${files}`)
    relay.intercept = ({ url }, response) => {
      if (url !== initPath) return false
      response.writeHead(status).end('no such thing')
      return true
    }
    await expectStored((await upload()).record)
    expect(relay.requests.filter((request) => request === oneRequest)).toHaveLength(1)
  })

  test('an error is reported at once, unchanged', async () => {
    await createLargeFile()
    relay.target = { ...relay.target, apiKey: 'wrong' }
    await expect(upload()).rejects.toMatchObject({ code: 6502, pauses: [] })
  })
})

describe('network failures', () => {
  test('a refused part is sent again, not before the requested time, also on a new connection', async () => {
    await createLargeFile()
    const refusals = [
      [503, {}],
      [429, { 'retry-after': '7' }],
      [503, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() }],
      // The response ends before the request.
      [503, { connection: 'close' }],
      [503, { connection: 'close' }],
    ] as const
    let next = 0
    relay.intercept = ({ method }, response) => {
      const refusal = method === 'PUT' ? refusals[next] : undefined
      if (refusal === undefined) return false
      next += 1
      const [status, headers] = refusal
      response.writeHead(status, { ...headers }).end('busy')
      return true
    }
    const { record, pauses } = await upload()
    await expectStored(record)
    expect(pauses).toHaveLength(refusals.length)
    const [longest = 0, second = 0] = pauses.toSorted((one, other) => other - one)
    expect(longest).toBeGreaterThanOrEqual(30_000)
    expect(second).toBeGreaterThanOrEqual(7000)
  })

  test('a service that asks for too long a wait, or never recovers, is reported', async () => {
    await createLargeFile()
    const rejectPart = (headers: Record<string, string>) => {
      relay.intercept = ({ method }, response) => {
        if (method !== 'PUT') return false
        response.writeHead(503, headers).end('busy')
        return true
      }
    }
    rejectPart({ 'retry-after': '3600' })
    await expect(upload()).rejects.toMatchObject({ code: 6401, retryAfter: 3600, pauses: [] })
    rejectPart({})
    const failure: unknown = await upload().catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 6401, retryable: true })
    const { pauses } = failure as { pauses: number[] }
    // Soon at first, then with increasing delays.
    expect(Math.min(...pauses)).toBeLessThanOrEqual(200)
    expect(Math.max(...pauses)).toBeGreaterThan(10_000)
    relay.intercept = () => false
    await expectStored((await upload()).record)
  })

  test('parts whose responses were lost are not sent again, and `complete` is repeated', async () => {
    await createLargeFile()
    const lost = { part: 0, complete: 0 }
    relay.dropsResponse = ({ method, url }) =>
      (method === 'PUT' && lost.part++ === 0) ||
      (url?.endsWith('/complete') === true && lost.complete++ === 0)
    await expectStored((await upload()).record)
    expect([lost.part, requestsFrom('PUT').length]).toEqual([3, 3])
    expect(
      requestsFrom('POST /base/file/upload/chunk').filter((request) => request.endsWith('/complete')),
    ).toHaveLength(2)
  })

  test('an aborted upload resumes where it stopped', async () => {
    await createLargeFile()
    const end = new AbortController()
    const reason = new Error('the agent has disconnected')
    relay.dropsResponse = ({ url }) => {
      if (url?.endsWith('/2') === true) setImmediate(() => end.abort(reason))
      return false
    }
    await expect(upload({ signal: end.signal })).rejects.toBe(reason)
    const [session] = await openUploads()
    const part = (index: number) => requestsFrom(`PUT /base/file/upload/chunk/${session?.id}/${index}`).length
    expect(part(2)).toBe(1)
    await expectStored((await upload()).record)
    expect(part(2)).toBe(1)
    expect(part(0) + part(1) + part(2)).toBe(requestsFrom('PUT').length)
  })

  test('an upload whose session ends is started again', async () => {
    await createLargeFile()
    let aborting: Promise<unknown> | undefined
    relay.intercept = ({ method, url = '' }) => {
      if (method === 'PUT') aborting ??= chunkedUploadClient(relay.target).abort(url.split('/').at(-2) ?? '')
      return false
    }
    const { record } = await upload()
    await aborting
    expect(record.size).toBe(largeSize)
    expect(requestsFrom(`POST ${initPath}`)).toHaveLength(2)
  })
})

describe('a file that changes while it is uploaded', () => {
  test.each([
    ['in parts', largeSize],
    ['in one request', 300_000],
  ])('%s: is reported, and its upload is not resumed', async (_kind, size) => {
    await createStampedFile(path, size, 'sparse')
    await write(size - 100, `before ${files}`)
    let writing: Promise<void> | undefined
    // After the fingerprint was sent, but before the last part was hashed.
    relay.intercept = ({ url }) => {
      if (url === initPath) writing ??= write(size - 100, `after ${files}!`)
      return false
    }
    await expect(upload()).rejects.toMatchObject({
      code: 6036,
      message: 'clip.mp4 was modified during its upload',
    })
    await writing
    expect(await openUploads()).toEqual([])
    await expectStored((await upload()).record)
  })

  test('a file that becomes shorter is reported without a second attempt', async () => {
    await createLargeFile()
    let shortening: Promise<void> | undefined
    relay.intercept = ({ url }) => {
      if (url === initPath) shortening ??= truncate(path, partBytes)
      return false
    }
    await expect(upload()).rejects.toMatchObject({ code: 6036, pauses: [] })
    await shortening
  })
})
