import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FileRecord } from '../src/contract/file.ts'
import { operations } from '../tools/index.ts'
import * as common from './contract/common.ts'
import { wrongFields } from './contract/laws.ts'
import { outputSizes, videoSplitScreen } from './contract/video-split-screen.ts'
import { generateMedia, h264, scratchFolder } from './engines/ffmpeg/generate-media.ts'
import { api, pollUntil, type ApiResponse } from './service/api.ts'
import { startTestService, type TestAccount, type TestService } from './service/in-process.ts'

// Compares HTTP responses of the service with the tables of the contract documents.

type Data = Readonly<Record<string, unknown>>

let service: TestService
let account: TestAccount
let calls: ReturnType<typeof api>
let video: FileRecord
let text: FileRecord

beforeAll(async () => {
  service = await startTestService({
    operations: operations.filter(({ operation }) => operation.name === videoSplitScreen.operation),
  })
  account = await service.account(50)
  calls = api(account)
  const folder = await scratchFolder()
  const source = 'testsrc2=size=320x180:rate=25:duration=0.2'
  const clip = await generateMedia(join(folder, 'clip.mp4'), ['-f', 'lavfi', '-i', source, ...h264])
  video = (await calls.upload('clip.mp4', new Uint8Array(await readFile(clip)))).data
  text = (await calls.upload('note.txt', 'not a video')).data
})
afterAll(() => service[Symbol.asyncDispose]())

/** The smallest valid request, with an existing file. */
function smallest(fileId = video.file_id): Data {
  return { clips: [{ file_id: fileId }, { file_id: fileId }] }
}

function expectRefusal(response: ApiResponse, code: number): void {
  expect(response).toMatchObject({ code, msg: expect.stringMatching(/./), data: null })
  const row = [...common.errorCodes, ...common.ownErrorCodes].find((known) => known.code === code)
  expect(response.status).toBe(row?.status)
}

describe('files', () => {
  it('upload returns a file record', async () => {
    const { status, code, data } = await calls.upload('other.txt', 'other text')
    expect([status, code]).toEqual([200, 200])
    expect(wrongFields(common.fileRecordFields, { ...data })).toEqual([])
    const retentionMs = Date.parse(data.expire_at) - Date.parse(data.created_at)
    expect(retentionMs / 86_400_000).toBeCloseTo(common.limits.retentionDays, 1)
  })

  it('identical content reuses the record', async () => {
    expect((await calls.upload('again.txt', 'not a video')).data.file_id).toBe(text.file_id)
  })

  it('details contain the uploader', async () => {
    const { data } = await calls.send<Data>(`/base/file/${video.file_id}`)
    expect(wrongFields(common.fileDetailsFields, data)).toEqual([])
  })

  it('rejects with the documented codes', async () => {
    expectRefusal(await calls.upload('program.exe', 'MZ'), 6001)
    expectRefusal(await calls.upload('empty.mp4', ''), 6011)
    expectRefusal(await calls.send('/base/file/1234567890123456789'), 6004)
  })
})

describe('authentication', () => {
  it.each([
    ['no key', () => ({})],
    ['a wrong key', () => ({ authorization: 'wrong' })],
    ['a prefix', () => ({ authorization: `Bearer ${account.apiKey}` })],
  ])('%s returns 6502', async (_, headers) => {
    const response = await fetch(`${service.baseUrl}/task/list`, { headers: headers() })
    expectRefusal(
      { status: response.status, ...((await response.json()) as Omit<ApiResponse, 'status'>) },
      6502,
    )
  })
})

describe('tasks', () => {
  const { operation, created, result, resultAdditions, resultParts } = videoSplitScreen

  it('are created, queried, listed and completed with the documented fields', async () => {
    const creation = await calls.create(operation, { ...smallest(), quality: '720p', output_ratio: '16:9' })
    expect([creation.status, creation.code, creation.msg]).toEqual([200, 200, 'success'])
    const always = { task_id: 'string', task_type: 'string', status: 'string' } as const
    expect(wrongFields({ ...always, ...created }, { ...creation.data })).toEqual([])

    const queryTask = () => calls.query(operation, creation.data.task_id)
    const done = await pollUntil(queryTask, ({ data }) => common.terminalStates.includes(data.status))
    expect(wrongFields(common.taskRecordFields, { ...done.data })).toEqual([])
    expect(done.data.status).toBe('completed')
    const output = done.data.output_result as Data
    expect(wrongFields({ ...result, ...resultAdditions }, output)).toEqual([])
    for (const [at, fields] of Object.entries(resultParts)) {
      const part = at.split('.').reduce<unknown>((node, step) => (node as Data)[step], output)
      expect([at, wrongFields(fields, part as Data)]).toEqual([at, []])
    }
    expect([output['width'], output['height']]).toEqual(outputSizes['16:9']['720p'])
    expect(output['duration_ms']).toBe(200)

    const list = await calls.send<Data>(`/task/list?task_type=${operation}&status=completed`)
    expect(wrongFields(common.taskListFields, list.data)).toEqual([])
    const [item] = list.data['list'] as Data[]
    expect(wrongFields(common.taskListItemFields, item ?? {})).toEqual([])
    expectRefusal(await calls.cancel(creation.data.task_id), 6007)
  })

  it('that are unknown or of another type return 6005', async () => {
    expectRefusal(await calls.query(operation, '1234567890123456789'), 6005)
  })
})
