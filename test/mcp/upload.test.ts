import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FileRecord } from '../../src/contract/file.ts'
import { partBytes } from '../../src/contract/upload.ts'
import { hashFile } from '../../src/platform/hash.ts'
import { api } from '../service/api.ts'
import { startTestService } from '../service/in-process.ts'
import { startRelay } from '../service/relay.ts'
import { createStampedFile } from '../service/stamped-file.ts'
import { startMcpProcess } from './mcp-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('a large file is uploaded in parts, with progress; a repeated upload sends nothing, also from a new server', async () => {
  await using service = await startTestService()
  await using relay = await startRelay(service)
  await using folder = await temporaryFolder()
  const size = 2 * partBytes + 7
  await createStampedFile(join(folder.path, 'long.mp4'), size, 'sparse')
  const entry = { baseUrl: relay.baseUrl, apiKey: service.apiKey }
  const requested = (prefix: string) => relay.requests.filter((request) => request.startsWith(prefix)).length

  const mcp = await startMcpProcess(entry, folder.path)
  const progress: number[] = []
  const uploaded = await mcp.upload('long.mp4', (percent) => void progress.push(percent))
  expect(uploaded).toMatchObject({ name: 'long.mp4', bytes: size })
  // The first session only shows that this service cannot import the file.
  expect([requested('PUT'), requested('POST'), requested('DELETE')]).toEqual([3, 3, 1])
  expect(progress.length).toBeGreaterThan(5)
  expect(progress).toEqual(progress.toSorted((a, b) => a - b))

  const both = await Promise.all([mcp.upload('long.mp4'), mcp.upload(join(folder.path, 'long.mp4'))])
  expect(both.map(({ file_id }) => file_id)).toEqual([uploaded['file_id'], uploaded['file_id']])
  // The two concurrent uploads were merged.
  expect([requested('PUT'), requested('POST')]).toEqual([3, 4])
  await mcp.kill()

  const another = await startMcpProcess(entry, folder.path)
  expect(await another.upload('long.mp4')).toMatchObject({ file_id: uploaded['file_id'] })
  expect([requested('PUT'), requested('POST')]).toEqual([3, 6])
  await another.close()
})

test('a service on the same machine imports a file by its path, small or large, without an upload', async () => {
  await using service = await startTestService({ localImport: true })
  await using relay = await startRelay(service)
  await using folder = await temporaryFolder()
  const size = 2 * partBytes + 7
  await createStampedFile(join(folder.path, 'long.mp4'), size, 'sparse')
  await writeFile(join(folder.path, 'note.txt'), 'a note')
  const mcp = await startMcpProcess({ baseUrl: relay.baseUrl, apiKey: service.apiKey }, folder.path)
  const long = await mcp.upload('long.mp4')
  const note = await mcp.upload('note.txt')
  await mcp.close()
  expect(
    relay.requests.filter((request) => request.startsWith('PUT') || request.endsWith('/file/upload')),
  ).toEqual([])
  expect(relay.requests.filter((request) => request.endsWith('/import'))).toHaveLength(4)
  const calls = api(service)
  expect(Buffer.from(await calls.download(String(note['file_id']))).toString()).toBe('a note')
  const { data } = await calls.send<FileRecord>(`/base/file/${String(long['file_id'])}`)
  expect(data).toMatchObject({ size, blake3_id: await hashFile(join(folder.path, 'long.mp4')) })
})
