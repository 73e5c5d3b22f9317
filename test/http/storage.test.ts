import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Capabilities } from '../../src/contract/catalog.ts'
import type { FileRecord } from '../../src/contract/file.ts'
import { fillPath, routes } from '../../src/contract/routes.ts'
import { api, pollUntil } from '../service/api.ts'
import { startTestService, type TestAccount, type TestService } from '../service/in-process.ts'
import { checkInvariants } from '../service/invariants.ts'
import { ageFile, chunkedUploadClient, hashOf } from './chunked-upload-client.ts'
import { onDatabases, onNewDatabases } from './on-databases.ts'
import { openConnection } from './raw-http.ts'

const mebibyte = 2 ** 20
const dayMs = 24 * 3600 * 1000

onNewDatabases('the storage quota', (start) => {
  let service: TestService
  beforeAll(async () => {
    service = await start({ storageQuota: 1000 })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const setUp = async () => {
    const account = await service.account(9)
    const calls = api(account)
    const storage = async () => (await calls.send<Capabilities>(routes.capabilities.path)).data.storage
    return { account, calls, parts: chunkedUploadClient(account), storage }
  }

  test('rejects files that exceed it, with the figures, and stores nothing', async () => {
    const { calls, storage } = await setUp()
    expect(await storage()).toEqual({ used_bytes: 0, quota_bytes: 1000 })
    expect((await calls.upload('a.txt', 'a'.repeat(600))).code).toBe(200)
    const rejection = await calls.upload('b.txt', 'b'.repeat(401))
    expect(rejection).toMatchObject({ status: 413, code: 6002, data: null })
    expect(rejection.msg).toBe(
      'the file needs 401 bytes, but the files of this account use 600 bytes of 1000 bytes',
    )
    expect(await service.running.service.files.has(await hashOf('b'.repeat(401)))).toBe(false)
    expect((await calls.upload('b.txt', 'b'.repeat(400))).code).toBe(200)
    expect(await storage()).toEqual({ used_bytes: 1000, quota_bytes: 1000 })
  })

  test('counts equal content once, under any name', async () => {
    const { calls, storage } = await setUp()
    await calls.upload('a.txt', 'a'.repeat(900))
    expect((await calls.upload('again.txt', 'a'.repeat(900))).code).toBe(200)
    expect((await calls.upload('other.srt', 'a'.repeat(900))).code).toBe(200)
    expect((await storage())?.used_bytes).toBe(900)
  })

  test('counts the declared size of a chunked upload until it is complete or aborted', async () => {
    const { calls, parts, storage } = await setUp()
    const { data: session } = await parts.init({ filename: 'a.txt', size: 700 })
    expect((await storage())?.used_bytes).toBe(700)
    expect((await parts.init({ filename: 'b.txt', size: 301 })).code).toBe(6002)
    expect((await calls.upload('c.txt', 'c'.repeat(301))).code).toBe(6002)
    await parts.put(session.upload_id, 0, 'a'.repeat(700))
    expect((await parts.complete(session.upload_id)).code).toBe(200)
    expect((await storage())?.used_bytes).toBe(700)
    const { data: declared } = await parts.init({ filename: 'b.txt', size: 300 })
    await parts.abort(declared.upload_id)
    expect((await storage())?.used_bytes).toBe(700)
  })

  test('is freed by deletion', async () => {
    const { calls, storage } = await setUp()
    const { data: file } = await calls.upload('a.txt', 'a'.repeat(1000))
    await calls.send(fillPath(routes.deleteFile.path, { file_id: file.file_id }), { method: 'DELETE' })
    expect((await storage())?.used_bytes).toBe(0)
    expect((await calls.upload('b.txt', 'b'.repeat(1000))).code).toBe(200)
  })

  test('is never exceeded by concurrent uploads', async () => {
    const { account, calls, parts } = await setUp()
    const sessions = Array.from({ length: 10 }, () => parts.init({ filename: 'a.txt', size: 150 }))
    const sent = Array.from({ length: 10 }, (_, index) => calls.upload('a.txt', `${index}`.repeat(150)))
    const codes = (await Promise.all([...sessions, ...sent])).map(({ code }) => code)
    expect(codes.toSorted((one, other) => one - other)).toEqual([
      ...Array<number>(6).fill(200),
      ...Array<number>(14).fill(6002),
    ])
    expect((await api(account).upload('b.txt', 'b'.repeat(101))).code).toBe(6002)
    const { db, files } = service.running.service
    await checkInvariants(db, files)
  })

  test('accepts content that the account already has', async () => {
    const large = await start({ storageQuota: 4 * mebibyte })
    onTestFinished(() => large[Symbol.asyncDispose]())
    const calls = api(await large.account(9))
    const bytes = 'a'.repeat(3 * mebibyte)
    const { data: file } = await calls.upload('a.txt', bytes)
    const { data: task } = await calls.create('test_copy', { file_id: file.file_id })
    await pollUntil(
      () => calls.query('test_copy', task.task_id),
      ({ data }) => data.status === 'completed',
    )
    expect((await calls.upload('again.txt', bytes)).data).toMatchObject({ file_id: file.file_id })
    const rejection = await calls.upload('b.txt', 'b'.repeat(3 * mebibyte))
    expect(rejection).toMatchObject({ code: 6002, msg: expect.stringMatching(/^the file needs 3 MiB/) })
    // Above the quota, which results may exceed: new content is rejected by size, known content accepted.
    const { data: small } = await calls.upload('c.txt', 'c')
    const grown = large.running.service.db.updateTable('files').set({ size: 2 * mebibyte })
    await grown.where('id', '=', small.file_id).execute()
    expect((await calls.upload('d.txt', 'new')).msg).toMatch(
      /^the file needs 3 bytes, but .* 5 MiB of 4 MiB$/,
    )
    expect((await calls.upload('again.txt', bytes)).code).toBe(200)
  })

  test('is checked before the body is sent', async () => {
    const { account } = await setUp()
    expect(await rejectionOf(account, 2 * mebibyte)).toMatch(/^HTTP\/1\.1 413 [^]*"code":6002[^]*1000 bytes/)
  })
})

describe('the free space of the disk', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const mockFreeSpace = (free: number) =>
    vi.spyOn(service.running.service.files, 'freeSpace').mockResolvedValue(256 * mebibyte + free)

  test('limits uploads, minus the missing bytes of open uploads', async () => {
    mockFreeSpace(1000)
    const account = await service.account(0)
    const parts = chunkedUploadClient(account)
    const rejection = await parts.init({ filename: 'a.txt', size: 1001 })
    expect(rejection).toMatchObject({ status: 413, code: 6002 })
    expect(rejection.msg).toMatch(
      /^the service has no space for this file: 256 MiB are free, .* need 256 MiB$/,
    )
    const { data: session } = await parts.init({ filename: 'a.txt', size: 1000 })
    expect(
      (await chunkedUploadClient(await service.account(0)).init({ filename: 'b.txt', size: 1 })).code,
    ).toBe(6002)
    await parts.put(session.upload_id, 0, 'a'.repeat(1000))
    // Its content is now on the disk.
    expect((await parts.init({ filename: 'b.txt', size: 1000 })).code).toBe(200)
  })

  test('is checked before the body is sent', async () => {
    mockFreeSpace(0)
    expect(await rejectionOf(await service.account(0), 2 * mebibyte)).toMatch(/"code":6002[^]*no space/)
  })
})

/** Returns the response to an upload of this size whose body is not sent. */
async function rejectionOf({ baseUrl, apiKey }: TestAccount, length: number): Promise<string> {
  using line = await openConnection(baseUrl)
  const head = [
    `POST ${routes.uploadFile.path} HTTP/1.1`,
    `Host: ${new URL(baseUrl).host}`,
    `Authorization: ${apiKey}`,
    'Content-Type: multipart/form-data; boundary=b',
    `Content-Length: ${length}`,
  ]
  line.socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return await line.waitForText(/\}$/)
}

onDatabases('a clean-up', (service) => {
  const parts = () => service().running.service
  const clean = (account: TestAccount, body?: unknown) =>
    api(account).send<{ files: number; bytes: number }>(routes.cleanFiles.path, {
      method: 'POST',
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
  const cleanOlderThan = (account: TestAccount, keep_days: number) => clean(account, { keep_days })
  const isStored = (file: FileRecord) => parts().files.has(file.blake3_id)

  test('removes expired files, and older ones on request', async () => {
    const account = await service().account(0)
    const calls = api(account)
    const files = await Promise.all(
      [0, 5, 10, 61].map(async (days) => {
        const { data: file } = await calls.upload('a.txt', `${days} days old`)
        await ageFile(parts().db, file, days * dayMs)
        return file
      }),
    )
    const storedFlags = () => Promise.all(files.map(isStored))
    expect((await clean(account)).data).toEqual({ files: 1, bytes: '61 days old'.length })
    expect(await storedFlags()).toEqual([true, true, true, false])
    expect((await cleanOlderThan(account, 7)).data).toEqual({ files: 1, bytes: '10 days old'.length })
    expect(await storedFlags()).toEqual([true, true, false, false])
    expect((await cleanOlderThan(account, 0)).data.files).toBe(2)
    expect(await storedFlags()).toEqual([false, false, false, false])
    expect((await calls.send(`/base/file/${files[0]?.file_id}`)).code).toBe(6004)
    await checkInvariants(parts().db, parts().files)
  })

  test('keeps files that unfinished tasks need, shared content, and files of other accounts', async () => {
    const [account, other] = [await service().account(1), await service().account(0)]
    const calls = api(account)
    const { data: needed } = await calls.upload('a.txt', 'needed by a task')
    const { data: shared } = await calls.upload('a.txt', 'held by two')
    const { data: otherFile } = await api(other).upload('a.txt', 'held by two')
    const { data: task } = await calls.create('test_copy', { file_id: needed.file_id, behaviour: 'wait' })
    // Same figures as for unshared content, so that other accounts' content is not revealed.
    expect((await cleanOlderThan(account, 0)).data).toEqual({ files: 1, bytes: 'held by two'.length })
    expect(await Promise.all([needed, shared].map(isStored))).toEqual([true, true])
    expect((await api(other).send(`/base/file/${otherFile.file_id}`)).code).toBe(200)
    await calls.stop(task.task_id)
    await pollUntil(
      () => cleanOlderThan(account, 0),
      ({ data }) => data.files === 1,
    )
    expect(await isStored(needed)).toBe(false)
  })

  test('counts content shared by two files once, with the last of them', async () => {
    const account = await service().account(0)
    const calls = api(account)
    const { data: older } = await calls.upload('a.txt', 'under two names')
    const { data: newer } = await calls.upload('a.srt', 'under two names')
    await ageFile(parts().db, older, 10 * dayMs)
    expect((await cleanOlderThan(account, 7)).data).toEqual({ files: 1, bytes: 0 })
    expect(await isStored(newer)).toBe(true)
    expect((await cleanOlderThan(account, 0)).data).toEqual({ files: 1, bytes: 'under two names'.length })
  })

  test('rejects an invalid number of days', async () => {
    const account = await service().account(0)
    for (const keep_days of [-1, 61, 1.5, '7']) {
      expect((await clean(account, { keep_days })).code).toBe(6016)
    }
  })
})
