import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FileRecord } from '../../src/contract/file.ts'
import { partBytes } from '../../src/contract/upload.ts'
import { hashFile } from '../../src/platform/hash.ts'
import { api } from '../service/api.ts'
import { startTestService } from '../service/in-process.ts'
import { startRelay } from '../service/relay.ts'
import { makeStamped } from '../service/stamped-file.ts'
import { startMcpProcess } from './mcp-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

test('an agent uploads a large file: in parts, with its progress; then at once, also from a new server', async () => {
  await using service = await startTestService()
  await using relay = await startRelay(service)
  await using folder = await temporaryFolder()
  const size = 2 * partBytes + 7
  await makeStamped(join(folder.path, 'long.mp4'), size, 'sparse')
  const entry = { baseUrl: relay.baseUrl, apiKey: service.apiKey }
  const requested = (begins: string) => relay.requests.filter((request) => request.startsWith(begins)).length

  const bridge = await startMcpProcess(entry, folder.path)
  const progress: number[] = []
  const uploaded = await bridge.upload('long.mp4', (percent) => void progress.push(percent))
  expect(uploaded).toMatchObject({ name: 'long.mp4', bytes: size })
  expect([requested('PUT'), requested('POST')]).toEqual([3, 2])
  expect(progress.length).toBeGreaterThan(5)
  expect(progress).toEqual(progress.toSorted((a, b) => a - b))

  const both = await Promise.all([bridge.upload('long.mp4'), bridge.upload(join(folder.path, 'long.mp4'))])
  expect(both.map(({ file_id }) => file_id)).toEqual([uploaded['file_id'], uploaded['file_id']])
  // The two were one.
  expect([requested('PUT'), requested('POST')]).toEqual([3, 3])
  await bridge.kill()

  const another = await startMcpProcess(entry, folder.path)
  expect(await another.upload('long.mp4')).toMatchObject({ file_id: uploaded['file_id'] })
  expect([requested('PUT'), requested('POST')]).toEqual([3, 4])
  await another.close()
})

test('a service of the same machine takes a file from where it lies, small or large; only its bytes are looked at', async () => {
  await using service = await startTestService({ localImport: true })
  await using relay = await startRelay(service)
  await using folder = await temporaryFolder()
  const size = 2 * partBytes + 7
  await makeStamped(join(folder.path, 'long.mp4'), size, 'sparse')
  await writeFile(join(folder.path, 'note.txt'), 'a note')
  const bridge = await startMcpProcess({ baseUrl: relay.baseUrl, apiKey: service.apiKey }, folder.path)
  const long = await bridge.upload('long.mp4')
  const note = await bridge.upload('note.txt')
  await bridge.close()
  expect(
    relay.requests.filter((request) => request.startsWith('PUT') || request.endsWith('/file/upload')),
  ).toEqual([])
  expect(relay.requests.filter((request) => request.endsWith('/import'))).toHaveLength(4)
  const calls = api(service)
  expect(Buffer.from(await calls.download(String(note['file_id']))).toString()).toBe('a note')
  const { data } = await calls.send<FileRecord>(`/base/file/${String(long['file_id'])}`)
  expect(data).toMatchObject({ size, blake3_id: await hashFile(join(folder.path, 'long.mp4')) })
})
