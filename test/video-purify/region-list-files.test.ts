import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import { operations } from '../../tools/index.ts'
import { h264, generateMedia, picture, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { api, type Api } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'

// Lists of regions in files, over HTTP: errors are reported before a task is created.

const folder = await scratchFolder()
let service: TestService
let calls: Api
const ids: Record<string, string> = {}
let clip = ''

const listed = { id: 'a', source: 'manual', x: 0.25, y: 0.25, w: 0.5, h: 0.5, start: 0, end: 1 }

async function upload(name: string, bytes: Uint8Array<ArrayBuffer> | string): Promise<string> {
  return (await calls.upload(name, bytes)).data.file_id
}

/** Uploads a list of regions of a video. */
const uploadList = (file_id: string | undefined, regions: unknown, mark = '') =>
  upload('list.json', mark + JSON.stringify({ version: 1, source: { file_id }, regions }))

beforeAll(async () => {
  configurePacks({ folder: join(folder, 'packs'), automatic: false, own: {}, manifest })
  service = await startTestService({ operations })
  calls = api(await service.account(100))
  const plain = (size: string, rate: number, seconds: number) => [
    ...['-f', 'lavfi', '-i', `color=black:size=${size}:rate=${rate}:duration=${seconds}`, ...h264],
  ]
  const clipOptions = {
    'clip.mp4': [...picture(2), ...h264],
    '20min1s.mp4': plain('128x128', 1, 1201),
    'low.mp4': plain('256x126', 5, 0.4),
  }
  for (const [name, args] of Object.entries(clipOptions)) {
    ids[name] = await upload(
      name,
      new Uint8Array(await readFile(await generateMedia(join(folder, name), args))),
    )
  }
  clip = ids['clip.mp4'] ?? ''
  ids['list.json'] = await uploadList(clip, [listed])
})
afterAll(() => service[Symbol.asyncDispose]())

const quote = (body: unknown) =>
  calls.send<{ credits: number } | null>('/task/video_purify/quote', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

it.each([
  ['20min1s.mp4', [listed], 6016],
  ['20min1s.mp4', [], 200],
  ['low.mp4', [listed], 6035],
  ['low.mp4', [], 200],
])('%s with %j in a file returns %i', async (name, regions, code) => {
  const regions_file_id = await uploadList(ids[name], regions)
  const request = { phase: 'purify', regions_file_id, purify_func_type: 'raft' }
  expect(await quote({ file_id: ids[name], ...request })).toMatchObject({ code })
})

it.each([{}, { phase: 'detect' }, { purify_scope: 'region', regions: [listed] }])(
  'a list in a file (our addition) is rejected where it does not apply: %j',
  async (request) => {
    expect(await quote({ file_id: clip, ...request, regions_file_id: ids['list.json'] })).toMatchObject({
      code: 6016,
      msg: expect.stringMatching(/^regions_file_id: .*phase purify/) as string,
    })
  },
)

it('a list in a file is checked at creation: 6016 if it is invalid or of another video', async () => {
  const list = { phase: 'purify', regions_file_id: ids['list.json'] }
  const other = { file_id: ids['low.mp4'], ...list }
  const msg = expect.stringContaining(`another video (source.file_id "${clip}")`) as string
  expect(await quote(other)).toMatchObject({ code: 6016, msg })
  expect(await calls.create('video_purify', other)).toMatchObject({ code: 6016, msg })
  const wrong = await upload('wrong.json', '{"regions": [')
  expect(await quote({ file_id: clip, ...list, regions_file_id: wrong })).toMatchObject({
    code: 6016,
    msg: expect.stringMatching(/^regions_file_id: wrong\.json is not valid JSON/) as string,
  })
})

it('a list over 1 MiB is read by the task, which fails and is refunded if it is invalid', async () => {
  const wrong = async (bytes: number) => await upload('wrong.json', '{"regions": ['.padEnd(bytes))
  const request = { file_id: clip, phase: 'purify' }
  const before = await calls.balance()
  const small = { ...request, regions_file_id: await wrong(2 ** 20) }
  expect(await calls.create('video_purify', small)).toMatchObject({ code: 6016, data: null })
  const large = { ...request, regions_file_id: await wrong(2 ** 20 + 1) }
  expect(await quote(large)).toMatchObject({ code: 200 })
  const { data: task } = await calls.create('video_purify', large)
  expect((await calls.ended('video_purify', task.task_id)).data).toMatchObject({
    status: 'failed',
    output_result: {
      error: { code: 6016, message: expect.stringMatching(/wrong\.json is not valid JSON/) as string },
    },
  })
  expect(await calls.balance()).toBe(before)
})

it('a list in a file is parsed as leniently as a request, and may start with a byte order mark', async () => {
  const quoted = async (regions: unknown) =>
    quote({ file_id: clip, phase: 'purify', regions_file_id: await uploadList(clip, regions, '\uFEFF') })
  expect(await quoted([{ ...listed, score: null }])).toMatchObject({ code: 200 })
  expect(await quoted([{ ...listed, start: null }])).toMatchObject({
    code: 6016,
    msg: expect.stringMatching(/regions\[0\]\.start \(a\): required with phase purify/) as string,
  })
})
