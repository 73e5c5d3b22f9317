import { randomBytes } from 'node:crypto'
import { open, readdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startContractServer, type ContractServer } from '../../test/mcp/contract-server.ts'
import { temporaryFolder } from '../../test/mcp/temporary-folder.ts'
import { downloadUrl } from '../contract/routes.ts'
import { createClient } from './client.ts'
import { downloadFile } from './download.ts'
import { uploadFile } from './upload.ts'

const megabyte = randomBytes(2 ** 20)

async function upload(service: ContractServer, path: string, name: string) {
  await using handle = await open(path)
  const { size } = await handle.stat()
  const progress: number[] = []
  const options = { onProgress: (share: number) => void progress.push(share) }
  return { record: await uploadFile(createClient(service), { handle, name, size }, options), progress }
}

describe('upload', () => {
  test.each(['plain.mp4', 'with "quotes" and spaces.mp4', '视频 ünï.mp4'])(
    'preserves bytes and name: %s',
    async (name) => {
      await using service = await startContractServer()
      await using folder = await temporaryFolder()
      const path = join(folder.path, 'a.bin')
      await writeFile(path, megabyte)
      const { record, progress } = await upload(service, path, name)
      const uploaded = service.files.get(record.file_id)
      expect(uploaded?.bytes.equals(megabyte)).toBe(true)
      expect(uploaded?.name.replaceAll('%22', '"')).toBe(name)
      expect(progress.at(-1)).toBe(1)
      expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    },
  )

  test('succeeds although the connection breaks once', async () => {
    await using service = await startContractServer()
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'a.bin')
    await writeFile(path, megabyte)
    service.beforeResponse = (request) => {
      if (service.requests.length === 1) request.socket.destroy()
    }
    const { record } = await upload(service, path, 'a.mp4')
    expect(record.size).toBe(megabyte.length)
    expect(service.files.size).toBe(1)
  })

  test('rejects a file that shrinks during the upload, and stores nothing', async () => {
    await using service = await startContractServer()
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'a.bin')
    await writeFile(path, megabyte)
    await using handle = await open(path)
    await truncate(path, 1000)
    const source = { handle, name: 'a.mp4', size: megabyte.length }
    await expect(uploadFile(createClient(service), source)).rejects.toMatchObject({
      code: 6036,
      retryable: true,
    })
    expect(service.files.size).toBe(0)
  })

  test('reports a rejection that arrives before the body was read', async () => {
    await using service = await startContractServer()
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'big.bin')
    await writeFile(path, Buffer.alloc(20 * 2 ** 20))
    await using handle = await open(path)
    const client = createClient({ baseUrl: service.baseUrl, apiKey: 'wrong' })
    const source = { handle, name: 'a.mp4', size: 20 * 2 ** 20 }
    await expect(uploadFile(client, source)).rejects.toMatchObject({ code: 6502 })
  })
})

async function download(service: ContractServer, folder: string, name = 'out.mp4') {
  const file = await service.addFile('in.mp4', megabyte)
  const record = { size: file.bytes.length, blake3_id: file.blake3, download_url: downloadUrl(file.id) }
  return downloadFile(createClient(service), record, { folder, name })
}

describe('download', () => {
  test('saves the whole file under its name', async () => {
    await using service = await startContractServer()
    await using folder = await temporaryFolder()
    expect(await download(service, folder.path)).toBe('out.mp4')
    expect(megabyte.equals(await readFile(join(folder.path, 'out.mp4')))).toBe(true)
    expect(await readdir(folder.path)).toEqual(['out.mp4'])
  })

  test.each([
    ['resumes where the connection broke', false, 3],
    ['starts again if the service ignores ranges', true, 3],
  ])('%s', async (_name, ignoreRanges, requests) => {
    await using service = await startContractServer()
    await using folder = await temporaryFolder()
    service.ignoreRanges = ignoreRanges
    service.downloadBreaks.push(300_000, 700_000)
    expect(await download(service, folder.path)).toBe('out.mp4')
    expect(service.requests.filter((request) => request.endsWith('/download'))).toHaveLength(requests)
    expect(megabyte.equals(await readFile(join(folder.path, 'out.mp4')))).toBe(true)
  })

  test('is complete although the connection breaks after the last byte', async () => {
    await using service = await startContractServer()
    await using folder = await temporaryFolder()
    service.downloadBreaks.push(megabyte.length)
    expect(await download(service, folder.path)).toBe('out.mp4')
    expect(service.requests.filter((request) => request.endsWith('/download'))).toHaveLength(1)
  })

  test('never replaces a different file, and uses an identical one', async () => {
    await using service = await startContractServer()
    await using folder = await temporaryFolder()
    await writeFile(join(folder.path, 'out.mp4'), 'mine')
    await symlink('/etc/passwd', join(folder.path, 'out-2.mp4'))
    expect(await download(service, folder.path)).toBe('out-3.mp4')
    expect(await download(service, folder.path)).toBe('out-3.mp4')
    expect(await readFile(join(folder.path, 'out.mp4'), 'utf8')).toBe('mine')
    expect(service.requests.filter((request) => request.endsWith('/download'))).toHaveLength(1)
  })

  test('saves nothing if size or hash differ from the record', async () => {
    await using service = await startContractServer()
    await using folder = await temporaryFolder()
    const file = await service.addFile('in.mp4', megabyte)
    const url = downloadUrl(file.id)
    const client = createClient(service)
    const target = { folder: folder.path, name: 'out.mp4' }
    const wrongHash = { size: file.bytes.length, blake3_id: '0'.repeat(64), download_url: url }
    const wrongSize = { size: 1000, blake3_id: file.blake3, download_url: url }
    for (const record of [wrongHash, wrongSize]) {
      await expect(downloadFile(client, record, target)).rejects.toMatchObject({
        code: 6401,
        retryable: true,
      })
    }
    const missing = { ...wrongSize, download_url: downloadUrl('404') }
    await expect(downloadFile(client, missing, target)).rejects.toMatchObject({ code: 6004 })
    expect(await readdir(folder.path)).toEqual([])
  })

  test('fails after several connections without data', async () => {
    await using service = await startContractServer()
    await using folder = await temporaryFolder()
    service.downloadBreaks.push(...Array.from({ length: 10 }, () => 100_000))
    await expect(download(service, folder.path)).rejects.toMatchObject({ code: 6401, retryable: true })
    expect(await readdir(folder.path)).toEqual([])
  })
})
