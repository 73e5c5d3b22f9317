import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { downloadUrl } from '../../src/contract/routes.ts'
import { wrongFields } from '../contract/laws.ts'
import { messageCreatedFields, messageEnvelopeFields } from '../contract/common.ts'
import { musicVisualizer } from '../contract/music-visualizer.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { api, pollUntil, type Api } from '../service/api.ts'
import { createServiceSequence } from '../service/killable-service.ts'
import {
  filterRunning,
  suspendProcesses,
  findProcesses,
  signalEach,
  waitUntilExited,
} from '../service/processes.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { soakSize } from '../soak-size.ts'

const type = 'music_visualizer'

async function uploadTone(calls: Api, seconds: number): Promise<string> {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'tone.flac')
  await ffmpeg('-f', 'lavfi', '-i', `sine=440:d=${seconds}`, path)
  return (await calls.upload('tone.flac', new Uint8Array(await readFile(path)))).data.file_id
}

/** Finds the ffmpeg process that encodes a task of a data folder. */
const encoders = (dataDir: string) => findProcesses('libx264', join(dataDir, 'scratch'))

const services = createServiceSequence()

test('returns the message envelope and an absolute download URL', async () => {
  const service = await services.ensureRunning()
  const calls = api(service)
  const file_id = await uploadTone(calls, 1)
  const request = { file_id, template_id: 'vinyl', resolution: { width: 128, height: 128 } }
  const { status: _, ...creation } = await calls.create(type, request)
  expect(wrongFields(messageEnvelopeFields, { ...creation })).toEqual([])
  expect(creation).toMatchObject({ code: 0, message: 'success' })
  expect(wrongFields(messageCreatedFields, { ...creation.data })).toEqual([])
  const done = await calls.ended(type, creation.data.task_id)
  expect(done).toMatchObject({ code: 0, data: { status: 'completed', progress: 100 } })
  const result = done.data.output_result ?? {}
  expect(wrongFields(musicVisualizer.result, result)).toEqual([])
  expect(result['download_url']).toBe(service.baseUrl + downloadUrl(String(result['file_id'])))
  const response = await fetch(String(result['download_url']), { headers: { authorization: service.apiKey } })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'video/mp4'])
})

const killed = soakSize('service', 'encoder or service')

test(`a task whose ${killed} is killed is rendered again, completes and is charged once`, async () => {
  const { dataDir } = services
  const firstService = await services.ensureRunning()
  const calls = api(firstService)
  const file_id = await uploadTone(calls, 8)
  const before = await calls.balance()
  const request = { file_id, template_id: 'ridge', resolution: { width: 160, height: 90 } }
  const { data: task } = await calls.create(type, request)
  if (soakSize(false, true)) {
    const encoder = await suspendProcesses([() => encoders(dataDir)])
    signalEach(encoder, 'SIGKILL')
    await waitUntilExited(encoder)
  }
  const again = await suspendProcesses([() => encoders(dataDir)])
  await firstService.kill('SIGKILL')
  const after = api(await services.ensureRunning())
  expect((await filterRunning(again)).length).toBe(0)
  expect((await after.ended(type, task.task_id)).data).toMatchObject({
    status: 'completed',
    output_result: { duration: 8 },
  })
  expect(await after.balance()).toBe(before - 1)
  expect(await findProcesses('ffmpeg', dataDir)).toEqual([])
})

test('a task stopped while it renders leaves no process running and is refunded', async () => {
  const { dataDir } = services
  const calls = api(await services.ensureRunning())
  const file_id = await uploadTone(calls, 61)
  const before = await calls.balance()
  const { data: task } = await calls.create(type, {
    ...{ file_id, template_id: 'pulsar', resolution: { width: 640, height: 360 } },
  })
  expect(await calls.balance()).toBe(before - 2)
  const running = await pollUntil(
    () => encoders(dataDir),
    (pids) => pids.length > 0,
  )
  expect(await calls.stop(task.task_id)).toMatchObject({
    data: { status: 'failed', output_result: { error: { code: 6009 } } },
  })
  expect(await calls.balance()).toBe(before)
  await waitUntilExited(running)
  await pollUntil(
    () => findProcesses('ffmpeg', dataDir),
    (pids) => pids.length === 0,
  )
})
