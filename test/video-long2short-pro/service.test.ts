import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { api } from '../service/api.ts'
import { startServiceProcess, type ServiceProcess } from '../service/process.ts'
import { uploadFile } from '../video-oral-cut/cut-service.ts'
import { type ProOutput, type ToneTalk, writeToneTalk } from './run-pro.ts'

const type = 'video_long2short_pro'
const folder = await scratchFolder()
let talk: ToneTalk
let service: ServiceProcess

beforeAll(async () => {
  talk = await writeToneTalk(join(folder, 'talk.mp4'), 4)
  service = await startServiceProcess(join(folder, 'data'), {
    packs: { folder: join(folder, 'packs'), automatic: false },
  })
})
afterAll(() => service.kill('SIGTERM'))

async function finish(changes: object) {
  const request = { language: 'en-US', output_size: '90x160', duration: { pref: 'short' }, stt: talk.stt }
  const file_id = await uploadFile(service, talk.path)
  const { status, msg, data } = await api(service).create(type, { ...request, file_id, ...changes })
  if (status !== 200) throw new Error(msg)
  return (await api(service).ended(type, data.task_id)).data
}

it('a task with a given transcript returns finished clips, and costs a credit per started minute', async () => {
  const before = await api(service).balance()
  const { status, output_result } = await finish({})
  expect([status, JSON.stringify(output_result)]).toEqual(['completed', expect.any(String)])
  const { clips, report, errors } = output_result as ProOutput
  expect(before - (await api(service).balance())).toBe(1)
  expect(report.degraded).toBe(Object.keys(errors).length > 0)
  const [clip] = clips
  const path = join(folder, 'clip.mp4')
  await writeFile(path, await api(service).download(clip?.file.file_id ?? ''))
  const { video, audio, duration_ms } = await probe(path)
  expect(video).toMatchObject({ width: 90, height: 160 })
  expect(audio).toHaveLength(1)
  expect(Math.abs(duration_ms / 1000 - (clip?.file.duration ?? 0))).toBeLessThan(0.1)
})

it('a transcript without sentences fails the task, with a refund', async () => {
  const before = await api(service).balance()
  const { status, output_result } = await finish({ stt: { ...talk.stt, sentence_tc_list: [] } })
  expect(status).toBe('failed')
  expect(output_result).toMatchObject({ error: { code: 6016 } })
  expect(await api(service).balance()).toBe(before)
})
