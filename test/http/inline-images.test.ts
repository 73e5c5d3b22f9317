import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { accountBalance } from '../../src/accounts/ledger.ts'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { TaskQuote } from '../../src/contract/task.ts'
import { storageUsed } from '../../src/files/storage-limits.ts'
import { api } from '../service/api.ts'
import { imageModule } from '../service/image-operation.ts'
import type { TestService, TestServiceOptions } from '../service/in-process.ts'
import { onNewDatabases, onNewMainDatabase } from './on-databases.ts'

const type = 'test_images'

/** The start of a PNG and other bytes: the service recognises images by their signature. */
function png(content: string): Buffer<ArrayBuffer> {
  return Buffer.from(`\x89PNG\r\n\x1a\n${content}`, 'latin1')
}
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const one = png('one image')
/** A PNG of one black pixel. */
const other = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)
const base64 = (bytes: Buffer) => bytes.toString('base64')

async function storedHashes({ running }: TestService): Promise<string[]> {
  const hashes: string[] = []
  for await (const { blake3 } of running.service.files.list()) hashes.push(blake3)
  return hashes
}

/** A service for the tests of a suite, each of which leaves nothing in its store. */
function useService(
  start: Parameters<Parameters<typeof onNewDatabases>[1]>[0],
  options: TestServiceOptions = {},
): () => TestService {
  let service: TestService
  beforeAll(async () => {
    service = await start({ operations: [imageModule], ...options })
  })
  afterEach(() => expect.poll(() => storedHashes(service)).toEqual([]))
  afterAll(() => service[Symbol.asyncDispose]())
  return () => service
}

onNewDatabases('inline images', (start) => {
  const service = useService(start, { storageQuota: 1000 })

  test('reach the operation byte for byte, as base64, as a data URI and by file id, and are removed with the task', async () => {
    const account = await service().account(20)
    const calls = api(account)
    const { data: file } = await calls.upload('kept.png', other)
    const wrapped = base64(one).replaceAll(/.{5}/g, '$&\r\n')
    const input = [
      { image: base64(one) },
      { image: `data:image/png;base64,${base64(one).replace(/=+$/, '')}` },
      { image: wrapped },
      { file_id: file.file_id },
      { image: base64(other) },
    ]
    const { data } = await calls.create(type, { input })
    const ended = await calls.ended(type, data.task_id)
    expect(ended.data.output_result).toEqual({ hashes: [one, one, one, other, other].map(sha256) })
    // The uploaded file stays, with the same content as an inline image.
    await expect.poll(() => storedHashes(service())).toEqual([file.blake3_id])
    expect((await calls.send<unknown>(routes.listFiles.path)).data).toMatchObject({ total: 1 })
    const row = await service()
      .running.service.db.selectFrom('tasks')
      .select('input')
      .where('id', '=', data.task_id)
      .executeTakeFirstOrThrow()
    expect(row.input).toMatch(/^\{"input":\[\{"image":"[0-9a-f]{64}"\}/)
    await calls.send(`/base/file/${file.file_id}`, { method: 'DELETE' })
  })

  test.each([
    ['twice between storing and recording it is stored again', 2, { status: 200 }],
    ['again and again leaves nothing behind', 3, { status: 400, code: 6036, data: null }],
  ])('whose content is removed %s', async (_, removals, expected) => {
    const account = await service().account(20)
    const calls = api(account)
    const { files, db } = service().running.service
    const put = files.put.bind(files)
    let left = removals
    const storing = vi.spyOn(files, 'put').mockImplementation(async (...args) => {
      const stored = await put(...args)
      // As the end of another task that used the image does.
      if (left > 0) await files.remove(stored.blake3)
      left -= 1
      return stored
    })
    const created = await calls.create(type, { input: [{ image: base64(one) }] })
    storing.mockRestore()
    expect(created).toMatchObject(expected)
    const isCreated = created.status === 200
    if (isCreated) {
      const ended = await calls.ended(type, created.data.task_id)
      expect(ended.data.output_result).toEqual({ hashes: [sha256(one)] })
    }
    await expect.poll(() => storedHashes(service())).toEqual([])
    expect(await accountBalance(db, account.id)).toBe(isCreated ? 19 : 20)
  })

  test('make equal creations equal, and quotes store nothing', async () => {
    const calls = api(await service().account(20))
    const post = <T>(path: string, body: unknown, headers: Record<string, string> = {}) =>
      calls.send<T>(fillPath(path, { task_type: type }), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    const body = (image: string) => ({ input: [{ image }], wait: true })
    expect((await post<TaskQuote>(routes.quoteTask.path, body(base64(one)))).data.credits).toBe(1)
    expect(await storedHashes(service())).toEqual([])
    const first = await calls.create(type, body(base64(one)))
    const joining = { prefer: 'join-identical' }
    const joined = await post(routes.createTask.path, body(`data:;base64,${base64(one)}`), joining)
    expect(joined.data).toMatchObject({ task_id: first.data.task_id, joined: true })
    const different = await post<{ task_id: string }>(routes.createTask.path, body(base64(other)), joining)
    expect(different.data.task_id).not.toBe(first.data.task_id)
    expect(await storedHashes(service())).toHaveLength(2)
    await calls.stop(different.data.task_id)
    await calls.stop(first.data.task_id)
  })

  test('of an unfinished task count towards the quota, and are kept until it is stopped or cancelled', async () => {
    const account = await service().account(20)
    const calls = api(account)
    const tasks = []
    for (let index = 0; index < 3; index += 1)
      tasks.push(await calls.create(type, { input: [{ image: base64(one) }], wait: true }))
    const { db } = service().running.service
    expect(await storageUsed(db, account.id)).toBe(3 * one.length)
    const big = await calls.create(type, { input: [{ image: base64(png('x'.repeat(960))) }], wait: true })
    expect(big).toMatchObject({ status: 413, code: 6002, data: null })
    expect(await storedHashes(service())).toHaveLength(1)
    for (const { data } of tasks) await calls.stop(data.task_id)
    for (const { data } of tasks) await calls.ended(type, data.task_id)
    expect(await storageUsed(db, account.id)).toBe(0)
    await expect.poll(() => storedHashes(service())).toEqual([])
    expect(await accountBalance(db, account.id)).toBe(20)
  })
})

onNewMainDatabase('the content of inline images', (start) => {
  const service = useService(start)

  test('of exactly 1 MiB are accepted, however their base64 is wrapped', async () => {
    const calls = api(await service().account(20))
    const whole = Buffer.concat([one], 2 ** 20)
    const wrap = (columns: number) => base64(whole).replaceAll(new RegExp(`.{${columns}}`, 'g'), '$&\r\n')
    const input = [76, 64, 4].map((columns) => ({ image: wrap(columns) }))
    const { data } = await calls.create(type, { input })
    const ended = await calls.ended(type, data.task_id)
    expect(ended.data.output_result).toEqual({ hashes: Array(3).fill(sha256(whole)) })
  })

  test.each([
    ['a text that is not base64', 'no base64!', 400, 6016],
    ['a truncated base64', base64(one).slice(0, 9), 400, 6016],
    ['base64 of no image', base64(Buffer.from('just text')), 400, 6014],
    ['base64 of a GIF', base64(Buffer.from('GIF89a and more')), 400, 6014],
    ['an image above 1 MiB', base64(png('x'.repeat(2 ** 20))), 413, 6031],
    ['an image of 1 MiB and a byte', base64(Buffer.concat([one], 2 ** 20 + 1)), 413, 6031],
    ['base64 with too much padding', `${base64(one).replace(/=+$/, '')}===`, 400, 6016],
  ])('%s is rejected, and nothing is stored', async (_, image, status, code) => {
    const calls = api(await service().account(20))
    const response = await calls.create(type, { input: [{ image: base64(one) }, { image }] })
    expect(response).toMatchObject({ status, code, data: null })
    expect(response.msg).toContain('input[1].image')
    expect(await storedHashes(service())).toEqual([])
  })
})
