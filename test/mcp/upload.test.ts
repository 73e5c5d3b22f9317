import { join } from 'node:path'
import { expect, test } from 'vitest'
import { partBytes } from '../../src/contract/upload.ts'
import { startTestService } from '../service/in-process.ts'
import { startRelay } from '../service/relay.ts'
import { makeStamped } from '../service/stamped-file.ts'
import { startBridge } from './bridge.ts'
import { scratchFolder } from './scratch.ts'

test('an agent uploads a large file: in parts, with its progress; then at once, also from a new server', async () => {
  await using service = await startTestService()
  await using relay = await startRelay(service)
  await using folder = await scratchFolder()
  const size = 2 * partBytes + 7
  await makeStamped(join(folder.path, 'long.mp4'), size, 'sparse')
  const entry = { baseUrl: relay.baseUrl, apiKey: service.apiKey }
  const requested = (begins: string) => relay.requests.filter((request) => request.startsWith(begins)).length

  const bridge = await startBridge(entry, folder.path)
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

  const another = await startBridge(entry, folder.path)
  expect(await another.upload('long.mp4')).toMatchObject({ file_id: uploaded['file_id'] })
  expect([requested('PUT'), requested('POST')]).toEqual([3, 4])
  await another.close()
})
