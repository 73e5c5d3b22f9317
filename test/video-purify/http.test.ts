import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manifest } from '../../src/engines/packs/manifest.ts'
import { configurePacks } from '../../src/engines/packs/resolve.ts'
import { operations } from '../../tools/index.ts'
import { h264, generateMedia, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { vp8 } from '../engines/ffmpeg/vp8.ts'
import { api, type Api } from '../service/api.ts'
import { longFilm } from './run-purify.ts'
import { startTestService, type TestService } from '../service/in-process.ts'

// Requests over HTTP at the limits, as quotes: these check like a creation and start nothing.

const folder = await scratchFolder()
let service: TestService
let calls: Api
const ids: Record<string, string> = {}
let clip = ''

/** A single-colour video of a given size, frame rate and duration in seconds. */
const plain = (size: string, rate: number, seconds: number) => [
  ...['-f', 'lavfi', '-i', `color=black:size=${size}:rate=${rate}`, '-t', String(seconds)],
  ...[...h264, '-r', String(rate)],
]

async function upload(name: string, bytes: Uint8Array<ArrayBuffer> | string): Promise<string> {
  return (await calls.upload(name, bytes)).data.file_id
}

beforeAll(async () => {
  configurePacks({ folder: join(folder, 'packs'), automatic: false, own: {}, manifest })
  service = await startTestService({ operations })
  calls = api(await service.account(100))
  const clipOptions = {
    '4096x2160.mp4': [...plain('4096x2160', 5, 0.2), '-threads', '1'],
    'sound.mp4': ['-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'aac'],
    'late.mkv': [
      ...['-f', 'lavfi', '-i', 'sine=duration=6', '-itsoffset', '3', '-f', 'lavfi'],
      ...['-i', 'testsrc2=size=64x64:rate=25:duration=2', ...h264],
    ],
    'later.mkv': [
      ...['-f', 'lavfi', '-i', 'sine=duration=1', '-itsoffset', '7201', '-f', 'lavfi'],
      ...['-i', 'testsrc2=size=64x64:rate=25:duration=1', ...h264],
    ],
    // As recorded by browsers: about 30 frames per second, at uneven times in milliseconds.
    'ticks.webm': [
      ...['-f', 'lavfi', '-i', 'testsrc2=size=32x32:rate=1000:duration=1', ...vp8],
      ...['-vf', "select='eq(mod(n,33),mod(7*floor(n/33),25))'"],
    ],
    'clip.mp4': ['-f', 'lavfi', '-i', 'testsrc2=size=160x90:rate=25:duration=2', ...h264],
  }
  ids['header of one minute.mkv'] = await upload(
    'header of one minute.mkv',
    await longFilm(join(folder, 'long.mkv'), 1201),
  )
  for (const [name, args] of Object.entries(clipOptions)) {
    ids[name] = await upload(
      name,
      new Uint8Array(await readFile(await generateMedia(join(folder, name), args))),
    )
  }
  clip = ids['clip.mp4'] ?? ''
  const still = createCanvas(120, 80).toBuffer('image/png')
  ids['still.png'] = await upload('still.png', new Uint8Array(still))
  const fast = await generateMedia(join(folder, 'fast.mp4'), [
    '-f',
    'lavfi',
    '-i',
    'testsrc2=size=160x90:rate=10:duration=20',
    ...h264,
    '-movflags',
    '+faststart',
  ])
  const bytes = new Uint8Array(await readFile(fast))
  ids['cut off.mp4'] = await upload('cut off.mp4', bytes.slice(0, bytes.length / 2))
  const whole = new Uint8Array(await readFile(join(folder, 'clip.mp4')))
  ids['without its end.mp4'] = await upload('without its end.mp4', whole.slice(0, whole.length / 2))
  ids['text as video.mp4'] = await upload('text as video.mp4', 'words, not pictures')
  const list = { version: 1, source: { file_id: clip }, regions: [listed] }
  ids['list.json'] = await upload('list.json', JSON.stringify(list))
})
afterAll(() => service[Symbol.asyncDispose]())

const quote = (body: unknown, type = 'video_purify') =>
  calls.send<{ credits: number } | null>(`/task/${type}/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** Code of a response. 6401 (a model is not installed) means that the request passed all checks, so it becomes 200. */
const checkedCode = ({ code }: { code: number }) => (code === 6401 ? 200 : code)

const box = { x: 0.25, y: 0.25, w: 0.5, h: 0.5 }
const listed = { id: 'a', source: 'manual', ...box, start: 0, end: 1 }
const allFields = { purify_scope: 'region', regions: [box] }
const emptyList = { phase: 'purify', regions: [] }

describe('video limits', () => {
  it.each([
    ['4096x2160.mp4', {}, 6022],
    ['header of one minute.mkv', { ...allFields, purify_func_type: 'raft' }, 6016],
    ['late.mkv', { purify_scope: 'region', regions: [{ ...box, start: 4.9 }] }, 200],
    ['late.mkv', { purify_scope: 'region', regions: [{ ...box, start: 5.1 }] }, 6016],
    ['later.mkv', emptyList, 6019],
    ['ticks.webm', {}, 200],
    ['sound.mp4', {}, 6014],
    ['list.json', {}, 6014],
    ['cut off.mp4', {}, 6021],
    ['without its end.mp4', {}, 6017],
    ['text as video.mp4', {}, 6017],
  ])('%s with %j returns %i', async (name, request, code) => {
    expect(checkedCode(await quote({ file_id: ids[name], ...request }))).toBe(code)
  })

  it('the price is 1 credit per started minute for every kind of request', async () => {
    const priced = async (name: string, request: object) =>
      (await quote({ file_id: ids[name], ...request })).data?.credits
    for (const request of [emptyList, allFields, { phase: 'purify', regions: [listed] }]) {
      expect([request, await priced('clip.mp4', request)]).toEqual([request, 1])
      expect([request, await priced('header of one minute.mkv', request)]).toEqual([request, 21])
    }
  })
})

describe('each kind of request reads its own fields only', () => {
  const nonsense = {
    regions: 'x',
    rois: 5,
    detect_roi: [],
    protect_regions: {},
    source_file_id: 'other',
    detect_scope: 'no',
  }
  it.each([
    ['cleaning in one request', nonsense],
    ['cleaning subtitles in one request, with regions', { purify_scope: 'subtitle', regions: [{ x: 2 }] }],
    [
      'cleaning regions in one request, with names',
      { purify_scope: 'region', regions: [{ ...box, id: 7, source: null }], rois: 'x' },
    ],
    [
      'detection',
      { phase: 'detect', ...nonsense, detect_scope: 'full_screen', purify_scope: 'no', purify_func_type: 3 },
    ],
    [
      'a list',
      { phase: 'purify', regions: [listed], rois: 'x', detect_scope: 1, detect_roi: 2, purify_scope: 3 },
    ],
  ])('%s', async (_, request) => {
    expect(checkedCode(await quote({ file_id: clip, ...request }))).toBe(200)
  })

  it('boxes in pixels are rejected with the expected unit', async () => {
    const regions = [{ x: 40, y: 0.5, w: 80, h: 0.2 }]
    expect(await quote({ file_id: clip, purify_scope: 'region', regions })).toMatchObject({
      code: 6016,
      msg: expect.stringMatching(
        /^regions\[0\]\.x: 40 given: .* from 0 to 1, not pixels: divide by its width; regions\[0\]\.w: 80 /,
      ) as string,
    })
  })

  it('a value slightly above 1 is not reported as pixels', async () => {
    const regions = [{ ...box, w: 1.000_000_5 }]
    expect(await quote({ file_id: clip, purify_scope: 'region', regions })).toMatchObject({
      code: 6016,
      msg: expect.stringMatching(/^regions\[0\]\.w: at most 1, 1\.0000005 given/) as string,
    })
  })

  it.each([{ regions: 'x' }, { purify_scope: 'full_screen', regions: [{ x: 2 }] }])(
    'an image request reads regions only with purify_scope region: %j',
    async (request) => {
      expect(checkedCode(await quote({ file_id: ids['still.png'], ...request }, 'image_purify'))).toBe(200)
      const read = { ...request, purify_scope: 'region' }
      expect(await quote({ file_id: ids['still.png'], ...read }, 'image_purify')).toMatchObject({
        code: 6016,
      })
    },
  )

  it('at most 256 areas to search are accepted', async () => {
    const many = (count: number) => ({
      purify_scope: 'custom',
      rois: Array.from({ length: count }, () => box),
    })
    expect(checkedCode(await quote({ file_id: clip, ...many(256) }))).toBe(200)
    expect(checkedCode(await quote({ file_id: clip, ...many(257) }))).toBe(6016)
  })

  it('phase purify requires a list', async () => {
    expect(await quote({ file_id: clip, phase: 'purify' })).toMatchObject({
      code: 6013,
      msg: expect.stringMatching(/^required: regions or regions_file_id$/) as string,
    })
    expect(await quote({ file_id: clip, phase: 'purify', regions: null })).toMatchObject({ code: 6013 })
    expect(await quote({ phase: 'purify' })).toMatchObject({
      code: 6013,
      msg: expect.stringContaining('file_id') as string,
    })
    expect(await quote({ file_id: clip, phase: 'purify', regions_file_id: ids['list.json'] })).toMatchObject({
      code: 200,
    })
    const list = { phase: 'purify', regions_file_id: '1234567890123456789' }
    expect(await quote({ file_id: clip, ...list })).toMatchObject({ code: 6004 })
  })

  it('a list of another video is rejected', async () => {
    const list = { file_id: clip, phase: 'purify', regions: [listed] }
    expect(await quote({ ...list, source_file_id: clip })).toMatchObject({ code: 200 })
    expect(await quote({ ...list, source_file_id: ids['sound.mp4'] })).toMatchObject({ code: 6016 })
  })

  it('twenty thousand regions are accepted', async () => {
    const regions = Array.from({ length: 20_000 }, (_, index) => ({ ...listed, id: `r${index}`, end: 99 }))
    expect(await quote({ file_id: clip, phase: 'purify', regions, protect_regions: regions })).toMatchObject({
      code: 200,
    })
  })
})

it('a task returns the cleaned video, or a copy for an empty list', async () => {
  const create = (request: object) => calls.create('video_purify', { file_id: clip, ...request })
  const before = await calls.balance()
  const { data: task } = await create(allFields)
  const done = await calls.ended('video_purify', task.task_id)
  expect(done.data).toMatchObject({ status: 'completed', progress: 100 })
  const result = done.data.output_result as Record<string, string>
  expect(Object.keys(result).toSorted()).toEqual(['download_url', 'file_id'])
  expect((await calls.download(result['file_id'] ?? '')).length).toBeGreaterThan(1000)
  const { data: copy } = await create(emptyList)
  const copied = await calls.ended('video_purify', copy.task_id)
  expect(copied.data.output_result).toMatchObject({ phase: 'purify', unchanged: true })
  const { file_id } = copied.data.output_result as { file_id: string }
  expect(Buffer.from(await calls.download(file_id)).equals(await readFile(join(folder, 'clip.mp4')))).toBe(
    true,
  )
  expect(await calls.balance()).toBe(before - 2)
})
