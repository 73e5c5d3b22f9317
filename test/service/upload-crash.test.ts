import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { FileRecord } from '../../src/contract/file.ts'
import { openDatabase } from '../../src/db/open.ts'
import { openDiskStore } from '../../src/files/disk.ts'
import { chunkedUploadClient, setPartSize, hashOf } from '../http/chunked-upload-client.ts'
import { sampleCases } from '../soak-size.ts'
import { api } from './api.ts'
import { createServiceSequence } from './killable-service.ts'
import { checkInvariants } from './invariants.ts'

const partSize = 300_000

/** A file of four parts with unique content. */
function createContent(name: string): { parts: readonly string[]; content: string } {
  const parts = ['a', 'b', 'c', 'd'].map((letter, index) =>
    `${letter} ${name} `.repeat(partSize).slice(0, index === 3 ? 1000 : partSize),
  )
  return { parts, content: parts.join('') }
}

interface TestUpload {
  readonly dataDir: string
  readonly calls: ReturnType<typeof chunkedUploadClient>
  readonly parts: readonly string[]
  readonly content: string
}

/** Starts an upload in small parts; null when the service exited meanwhile. */
async function startUpload({ dataDir, calls, content }: Omit<TestUpload, 'parts'>): Promise<string | null> {
  const blake3_id = await hashOf(content)
  const session = await calls.init({ filename: 'a.txt', size: content.length, blake3_id }).catch(() => null)
  if (!session) return null
  const db = await openDatabase({ path: join(dataDir, 'reelwright.sqlite') })
  await setPartSize(db, session.data.upload_id, partSize)
  await db.destroy()
  return session.data.upload_id
}

/** Responses that the client received before the service exited. */
interface Acknowledged {
  readonly id: string | null
  readonly parts: Set<number>
  readonly file: FileRecord | null
}

/** Uploads until the service exits; one part is sent wrong, corrected and repeated. */
async function uploadUntilKilled(uploading: TestUpload): Promise<Acknowledged> {
  const { calls, parts } = uploading
  const id = await startUpload(uploading)
  const stored = new Set<number>()
  if (!id) return { id, parts: stored, file: null }
  try {
    for (const [index, bytes] of [
      [2, parts[2]],
      [0, parts[0]],
      [1, 'x'.repeat(partSize)],
      [1, parts[1]],
      [0, parts[0]],
      [3, parts[3]],
    ] as const) {
      // It is being replaced and may be missing until the new bytes are acknowledged.
      if (index === 1) stored.delete(index)
      const { code } = await calls.put(id, index, bytes ?? '')
      expect(code).toBe(200)
      if (bytes === parts[index]) stored.add(index)
    }
    return { id, parts: stored, file: (await calls.complete(id)).data }
  } catch {
    return { id, parts: stored, file: null }
  }
}

/** Every durable step, and how often it was passed before. */
const durableSteps: readonly [string, number][] = [
  ['upload.begun', 1],
  ['files.part.written', 1],
  ['files.part.synced', 2],
  ['upload.part.before-commit', 1],
  ['upload.part.after-commit', 2],
  ['upload.part.forgotten', 1],
  ['files.part.written', 4],
  ['files.part.synced', 4],
  ['upload.part.before-commit', 4],
  ['upload.part.after-commit', 6],
  ['files.put.renamed', 1],
  ['upload.complete.before-commit', 1],
  ['upload.complete.after-commit', 1],
]

describe('kill -9 of the service during a chunked upload', () => {
  const services = createServiceSequence()
  let files = 0
  test.for(sampleCases(durableSteps, 5))('%s, hit %i', async ([point, hit]) => {
    const { dataDir } = services
    const armedService = await services.ensureRunning()
    await armedService.arm(point, hit)
    const upload = { dataDir, ...createContent(`${point} ${hit}`) }
    const { parts, content } = upload
    const acknowledged = await uploadUntilKilled({ ...upload, calls: chunkedUploadClient(armedService) })
    await armedService.exited
    expect(armedService.process.signalCode, 'the failpoint was reached').toBe('SIGKILL')

    const restarted = await services.ensureRunning()
    const calls = chunkedUploadClient(restarted)
    const id = acknowledged.id ?? (await startUpload({ ...upload, calls }))
    expect.assert(id !== null)
    const { data: state } = await calls.status(id)
    for (const index of acknowledged.parts) expect(state.missing).not.toContain(index)
    for (const index of state.missing) expect((await calls.put(id, index, parts[index] ?? '')).code).toBe(200)
    // A part without acknowledgement may have wrong bytes, which is detected and corrected.
    const first = await calls.complete(id)
    if (first.code === 6026) await calls.put(id, 1, parts[1] ?? '')
    const { code, data: file } = first.code === 6026 ? await calls.complete(id) : first
    expect(code).toBe(200)
    expect(Buffer.from(await api(restarted).download(file.file_id)).toString() === content).toBe(true)
    expect((await calls.complete(id)).data).toEqual(file)
    files += 1
    await expectClean(dataDir, files)
  })

  test('upload.aborted', async () => {
    const { dataDir } = services
    const armedService = await services.ensureRunning()
    await armedService.arm('upload.aborted')
    const calls = chunkedUploadClient(armedService)
    const { parts, content } = createContent('upload.aborted')
    const id = (await startUpload({ dataDir, calls, content })) ?? ''
    await calls.put(id, 0, parts[0] ?? '')
    await expect(calls.abort(id)).rejects.toThrow('fetch failed')
    await armedService.exited
    const restarted = await services.ensureRunning()
    expect((await chunkedUploadClient(restarted).status(id)).code).toBe(6024)
    expect((await chunkedUploadClient(restarted).abort(id)).data).toEqual({ upload_id: id, aborted: true })
    await expectClean(dataDir, files)
  })
})

/** The store matches the database, and no part remains. */
async function expectClean(dataDir: string, files: number): Promise<void> {
  const db = await openDatabase({ path: join(dataDir, 'reelwright.sqlite') })
  const store = await openDiskStore(join(dataDir, 'files'))
  await checkInvariants(db, store)
  expect(await db.selectFrom('files').select('id').execute()).toHaveLength(files)
  expect(await db.selectFrom('upload_parts').selectAll().execute()).toEqual([])
  const left: string[] = []
  for await (const upload of store.listUploads()) left.push(upload)
  expect(left).toEqual([])
  let blobs = 0
  for await (const _ of store.list()) blobs += 1
  expect(blobs).toBe(files)
  await db.destroy()
}
