import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import {
  link,
  mkdir,
  mkdtemp,
  open,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { uploadFile } from '../../src/client/upload.ts'
import { fillPath, routes } from '../../src/contract/routes.ts'
import type { LocalFile, OpenUploadSession } from '../../src/contract/upload.ts'
import { hashFile } from '../../src/platform/hash.ts'
import { api } from '../service/api.ts'
import { startTestService, type TestAccount, type TestService } from '../service/in-process.ts'
import { chunkedUploadClient, setPartSize, hashOf } from './chunked-upload-client.ts'

const content = 'the first part, the last one'
const partSize = 16

let folder: string
let service: TestService
let account: TestAccount

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelwright-local-'))
  service = await startTestService({
    localImport: true,
    privateFolders: [{ path: join(folder, 'private'), use: 'mirror of models' }],
  })
  account = await service.account(0)
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

async function file(name: string, text = content): Promise<LocalFile> {
  const path = join(folder, name)
  await writeFile(path, text)
  return await local(path)
}

async function local(path: string): Promise<LocalFile> {
  const { dev, ino } = await stat(path, { bigint: true })
  return { path, device: String(dev), inode: String(ino) }
}

let uploadCount = 0

async function startUpload(blake3_id?: string): Promise<OpenUploadSession> {
  uploadCount += 1
  // With an equal name and content, init would return the open upload.
  const filename = `${uploadCount}.txt`
  const { data } = await chunkedUploadClient(account).init({ filename, size: content.length, blake3_id })
  await setPartSize(service.running.service.db, data.upload_id, partSize)
  return data
}

function importPart(
  { upload_id }: OpenUploadSession,
  index: number,
  from: unknown,
  headers: Record<string, string> = {},
) {
  return api(account).send(fillPath(routes.importPart.path, { upload_id, index: String(index) }), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(from),
  })
}

describe('parts of a file of the same machine', () => {
  test('can be mixed with uploaded parts and are verified with the whole file', async () => {
    const session = await startUpload(await hashOf(content))
    await importPart(session, 0, await file('other.txt', content.replace('first', 'FIRST')))
    await chunkedUploadClient(account).put(session.upload_id, 1, content.slice(partSize))
    expect((await chunkedUploadClient(account).complete(session.upload_id)).code).toBe(6026)
  })

  test('are read by path and become the file', async () => {
    const from = await file('whole.txt')
    const session = await startUpload(await hashOf(content))
    expect(session.local_import).toBe(true)
    expect(await importPart(session, 1, from)).toMatchObject({
      code: 200,
      data: { index: 1, received: 1, total_parts: 2 },
    })
    expect((await importPart(session, 0, from)).data).toMatchObject({ received: 2 })
    const { data } = await chunkedUploadClient(account).complete(session.upload_id)
    expect(Buffer.from(await api(account).download(data.file_id)).toString()).toBe(content)
  })

  test.each<[string, () => Promise<unknown>]>([
    [
      'another file at the path',
      async () => {
        const from = await file('before.txt')
        await file('after.txt')
        await rename(join(folder, 'after.txt'), from.path)
        return from
      },
    ],
    ['a file of another number', async () => ({ ...(await file('x.txt')), inode: '1' })],
    ['a file of another device', async () => ({ ...(await file('x.txt')), device: '1' })],
    ['a folder', () => local(folder)],
    ['a device', () => local('/dev/zero')],
    [
      'a FIFO',
      async () => {
        await promisify(execFile)('mkfifo', [join(folder, 'pipe')])
        return await local(join(folder, 'pipe'))
      },
    ],
    ['nothing there', async () => ({ ...(await file('x.txt')), path: join(folder, 'missing.txt') })],
    ['a relative path', async () => ({ ...(await file('x.txt')), path: 'x.txt' })],
    ['a path with NUL', async () => ({ ...(await file('x.txt')), path: `${folder}/x.txt\0` })],
  ])('are not read from %s', async (_, from) => {
    expect(await importPart(await startUpload(), 0, await from())).toMatchObject({ status: 404, code: 6004 })
  })

  test('are read through another name of the same file', async () => {
    const from = await file('named.txt')
    await symlink(from.path, join(folder, 'symlink.txt'))
    await link(from.path, join(folder, 'link.txt'))
    for (const name of ['symlink.txt', 'link.txt']) {
      expect((await importPart(await startUpload(), 0, { ...from, path: join(folder, name) })).code).toBe(200)
    }
  })

  test('are not read from the folders of the service, whatever path leads there', async () => {
    const { dataDir } = service
    await writeFile(join(dataDir, 'daemon.json'), content)
    await symlink(dataDir, join(folder, 'to-data'))
    await link(join(dataDir, 'daemon.json'), join(folder, 'hard-link.json'))
    const paths = [join(dataDir, 'daemon.json'), join(folder, 'to-data/daemon.json')]
    for (const path of [...paths, join(folder, 'hard-link.json'), join(folder, 'private/models.txt')]) {
      await mkdir(join(folder, 'private'), { recursive: true })
      await writeFile(join(folder, 'private/models.txt'), content)
      const response = await importPart(await startUpload(), 0, await local(path))
      expect([path, response.status, response.code]).toEqual([path, 400, 6016])
    }
  })

  test('are not read from a hard link to any file of the service', async () => {
    const { dataDir } = service
    const stored = join(dataDir, 'files')
    const { data } = await api(account).upload('stored.txt', content)
    const session = await startUpload()
    await chunkedUploadClient(account).put(session.upload_id, 0, content.slice(0, partSize))
    await mkdir(join(dataDir, 'steps/1/deep'), { recursive: true })
    await writeFile(join(dataDir, 'steps/1/deep/step.txt'), content)
    const files = [
      join(dataDir, 'reelwright.sqlite'),
      join(dataDir, 'reelwright.sqlite-wal'),
      join(stored, 'database'),
      join(stored, 'blobs', data.blake3_id.slice(0, 2), data.blake3_id),
      join(stored, 'parts', session.upload_id),
      join(dataDir, 'steps/1/deep/step.txt'),
    ]
    for (const [number, path] of files.entries()) {
      const linked = join(folder, `linked-${number}.txt`)
      await link(path, linked)
      const response = await importPart(await startUpload(), 0, await local(linked))
      expect([path, response.status, response.code]).toEqual([path, 400, 6016])
    }
  })

  test('are read from a file of the user that has other hard links', async () => {
    const from = await file('shared.txt')
    await link(from.path, join(folder, 'same-shared.txt'))
    await mkdir(join(folder, 'deep'))
    await link(from.path, join(folder, 'deep/same.txt'))
    expect((await importPart(await startUpload(), 0, from)).code).toBe(200)
  })

  test('of a file that is too short are not stored', async () => {
    expect((await importPart(await startUpload(), 1, await file('short.txt', 'short'))).code).toBe(6025)
  })

  test('need valid parameters', async () => {
    const from = await file('x.txt')
    for (const wrong of [{}, { ...from, inode: -1 }, { ...from, device: '1x' }, { ...from, path: '' }]) {
      expect((await importPart(await startUpload(), 0, wrong)).status).toBe(400)
    }
  })

  test('are rejected for web pages', async () => {
    const { code } = await importPart(await startUpload(), 0, await file('x.txt'), {
      origin: service.baseUrl,
    })
    expect(code).toBe(6005)
  })

  test('are rejected by a shared service', async () => {
    await using other = await startTestService()
    const { data } = await chunkedUploadClient(other).init({ filename: 'a.txt', size: content.length })
    expect(data.local_import).toBeUndefined()
    const path = fillPath(routes.importPart.path, { upload_id: data.upload_id, index: '0' })
    const response = await api(other).send(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(await file('x.txt')),
    })
    expect(response).toMatchObject({ status: 404, code: 6005 })
  })

  test('are uploaded when the service cannot read them', async () => {
    const from = await file('sent.txt', 'bytes that must be sent')
    await using handle = await open(from.path)
    const source = { handle, name: 'sent.txt', size: 23, local: { ...from, inode: '1' } }
    const client = createClient(account)
    const { file_id } = await uploadFile(client, source)
    await client.close()
    expect(Buffer.from(await api(account).download(file_id)).toString()).toBe('bytes that must be sent')
  })
})

describe('a large file of the same machine', () => {
  const size = 64 * 2 ** 20 + 1

  /** Creates a file that starts with a text and opens it for writing only, so that a client cannot read it. */
  async function largeSource(name: string) {
    const { path, ...rest } = await file(name, name)
    await truncate(path, size)
    const handle = await open(path, constants.O_WRONLY)
    return { handle, name, size, local: { path, ...rest } }
  }

  test('is read once, by the service, and not at all if the client knows its hash', async () => {
    const source = await largeSource('large.txt')
    const client = createClient(account)
    const progress: number[] = []
    const record = await uploadFile(client, source, { onProgress: (share) => void progress.push(share) })
    expect(record).toMatchObject({ size, blake3_id: await hashFile(source.local.path) })
    expect(progress).toEqual([...progress].toSorted((one, other) => one - other))
    expect(progress.at(-1)).toBe(1)
    const again = await uploadFile(client, source, { blake3: record.blake3_id })
    expect(again).toMatchObject({ file_id: record.file_id, instant: true })
    await client.close()
    await source.handle.close()
  })

  test('that changes meanwhile is reported, and leaves no open upload', async () => {
    const source = await largeSource('changing.txt')
    const client = createClient(account)
    let changing: Promise<void> | undefined
    const onProgress = (share: number): void => {
      if (share > 0) changing ??= utimes(source.local.path, 1, 1)
    }
    await expect(uploadFile(client, source, { onProgress })).rejects.toMatchObject({
      code: 6036,
      retryable: true,
    })
    await changing
    await client.close()
    await source.handle.close()
    const { db } = service.running.service
    const unfinished = await db.selectFrom('uploads').select('name').where('file_id', 'is', null).execute()
    expect(unfinished.map(({ name }) => name)).not.toContain('changing.txt')
  })
})
