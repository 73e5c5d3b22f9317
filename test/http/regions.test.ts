import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ShownRegions } from '../../src/contract/file-routes.ts'
import { maxRegionsBytes } from '../../src/contract/regions.ts'
import { decodeJpeg } from '../engines/ffmpeg/decode-jpeg.ts'
import { h264, generateMedia, scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { writeFloatWav } from '../engines/float-wav.ts'
import { api } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'
import { sendRequest } from './raw-http.ts'

// A 12 s clip whose second n has grey level 20 n, and region lists for it.

let service: TestService
let calls: ReturnType<typeof api>
const ids = new Map<string, string>()

beforeAll(async () => {
  service = await startTestService()
  calls = api(service)
  const folder = await scratchFolder()
  const grey = 'color=black:size=32x18:rate=10:duration=12,format=gray,geq=lum=floor(T)*20,scale=320:180'
  const full = ['-color_range', 'pc', '-vf', 'scale=out_range=pc', '-g', '37']
  const media = {
    'clip.mp4': ['-f', 'lavfi', '-i', grey, ...h264, ...full],
    'fast.mp4': [
      ...['-f', 'lavfi', '-i', 'color=black:size=64x36:rate=30:duration=1'],
      ...['-vf', 'geq=lum=20+N*7:cb=128:cr=128', ...h264, '-g', '5'],
    ],
    'still.png': ['-f', 'lavfi', '-i', 'color=0x4080c0:s=300x600', '-frames:v', '1'],
  }
  const paths = [await writeFloatWav(join(folder, 'tone.wav'), new Float32Array(8000), 8000)]
  for (const [name, args] of Object.entries(media)) paths.push(await generateMedia(join(folder, name), args))
  for (const path of paths) {
    const name = basename(path)
    ids.set(name, (await calls.upload(name, new Uint8Array(await readFile(path)))).data.file_id)
  }
})
afterAll(() => service[Symbol.asyncDispose]())

const logo = { id: 'logo', source: 'manual', x: 0.7, y: 0.1, w: 0.2, h: 0.2, start: 0, end: 12 }
const line = (id: string, start: number, score: number) => {
  return { id, source: 'detected', x: 0.25, y: 0.75, w: 0.5, h: 0.1, start, end: start + 2, score }
}
const face = { id: 'face', source: 'manual', x: 0.1, y: 0.1, w: 0.2, h: 0.4, start: 0, end: 12 }
const detection = {
  version: 1,
  source: { file_id: '1234567890123456789' },
  regions: [logo, line('text-1', 1, 0.97), line('text-2', 6, 0.7)],
  protect_regions: [face],
}

async function listed(content: unknown, name = 'regions.json'): Promise<string> {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return (await calls.upload(name, text)).data.file_id
}

const query = (list: string, at?: string) => `regions_file_id=${list}${at === undefined ? '' : `&at=${at}`}`

function regionsOf(file: string, list: string, at?: string) {
  return calls.send<ShownRegions>(`/base/file/${ids.get(file)}/regions?${query(list, at)}`)
}

/** The picture's size and the colour of a pixel. */
async function drawn(file: string, list: string, at?: string) {
  const url = `${service.baseUrl}/base/file/${ids.get(file)}/preview?kind=regions&${query(list, at)}`
  const { status, bytes } = await sendRequest(url, { headers: { authorization: service.apiKey } })
  expect([status, bytes.length <= 300_000]).toEqual([200, true])
  return await decodeJpeg(bytes)
}

const isNear = (actual: readonly number[], expected: readonly number[]): boolean =>
  expected.every((value, channel) => Math.abs((actual[channel] ?? 999) - value) <= 24)

const red = [255, 92, 72]
const green = [72, 224, 128]

describe('of a video', () => {
  test('each region is drawn on a frame within its time, which the response names', async () => {
    const list = await listed(detection)
    const { code, data } = await regionsOf('clip.mp4', list)
    expect(code).toBe(200)
    expect(data).toEqual({
      source_file_id: '1234567890123456789',
      ...{ regions: 3, protect_regions: 1 },
      frames: [
        { seconds: 1.9, ids: ['logo', 'text-1'], protect_ids: ['face'] },
        { seconds: 6.9, ids: ['text-2', 'logo'], protect_ids: ['face'] },
      ],
      not_shown: { count: 0, ids: [] },
      next_at: [],
    })
    const picture = await drawn('clip.mp4', list)
    // Two frames side by side, each in a half of the sheet with 20 around and 14 between.
    const side = { width: 613, height: 345 }
    expect([picture.width, picture.height]).toEqual([1280, 20 + side.height + 38 + 4])
    for (const [column, grey] of [20, 120].entries()) {
      const frameLeft = 20 + column * (side.width + 14)
      const at = (x: number, y: number) => picture.colour(Math.round(frameLeft + x), Math.round(20 + y))
      const lefts = [0.7, 0.25].map((share) => share * side.width - 1)
      expect(isNear(at(0.5 * side.width, 0.5 * side.height), [grey, grey, grey]), 'its second').toBe(true)
      expect(isNear(at(lefts[0] ?? 0, 0.2 * side.height), red), 'the logo').toBe(true)
      expect(isNear(at(lefts[1] ?? 0, 0.8 * side.height), red), 'the line').toBe(true)
      const dashes = Array.from({ length: 24 }, (_, y) => at(0.1 * side.width - 1, 0.25 * side.height + y))
      expect([dashes.some((one) => isNear(one, green)), dashes.some((one) => !isNear(one, green))]).toEqual([
        true,
        true,
      ])
      expect(isNear(at(0.2 * side.width, 0.3 * side.height), [grey, grey, grey]), 'nothing inside').toBe(true)
    }
  })

  test('requested times show the regions at those times; the others are listed', async () => {
    const list = await listed(detection)
    const { data } = await regionsOf('clip.mp4', list, '0.5,11.95')
    expect(data.frames.map(({ seconds, ids: frameIds }) => [seconds, frameIds])).toEqual([
      [0.5, ['logo']],
      [11.9, ['logo']],
    ])
    expect([data.not_shown, data.next_at]).toEqual([{ count: 2, ids: ['text-1', 'text-2'] }, [1.9, 6.9]])
    const { colour } = await drawn('clip.mp4', list, '11.95')
    expect(isNear(colour(640, 300), [220, 220, 220]), 'the last frame').toBe(true)
  })

  test('undrawable or duplicate names are replaced by a number', async () => {
    const [long, longer] = ['the logo at the top', 'x'.repeat(200)]
    const names = ['水印', undefined, '#1', 'keep#1', ' ', long, longer, 'face', 'logo\u200b', 'lo\u00adgo']
    const list = await listed({
      ...{ source: null, regions: names.map((id) => ({ ...logo, id })) },
      // Ids are unique in each of the two lists.
      protect_regions: [face],
    })
    const { data } = await regionsOf('clip.mp4', list)
    expect(data.frames).toMatchObject([
      { ids: ['水印', '#2', '#3', '#4', '#5', long, '#7', 'face', '#9', '#10'], protect_ids: ['keep#1'] },
    ])
    expect(data.drawn_as).toEqual({ '#1': '水印', '#6': long })
    expect(data).not.toHaveProperty('source_file_id')
  })

  test('at 30 frames per second the next times show the remaining regions until none is left', async () => {
    const regions = Array.from({ length: 29 }, (_, frame) => ({
      ...{ id: `text-${frame}`, x: 0.1, y: 0.1, w: 0.2, h: 0.2 },
      ...{ start: frame / 30, end: (frame + 1) / 30 },
    }))
    const list = await listed({ regions })
    const { data: first } = await regionsOf('fast.mp4', list)
    const drawnIds = first.frames.flatMap(({ ids: frameIds }) => frameIds)
    for (let from = 0; from < first.next_at.length; from += 12) {
      const at = first.next_at.slice(from, from + 12)
      const { data } = await regionsOf('fast.mp4', list, at.join())
      expect(data.frames.map(({ seconds }) => seconds)).toEqual(at)
      drawnIds.push(...data.frames.flatMap(({ ids: frameIds }) => frameIds))
    }
    expect(new Set(drawnIds).size).toBe(29)
  })

  test('thousands of regions are limited to the frames and names that fit', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({
      ...{ id: `text-${index}`, source: 'detected', w: 0.01, h: 0.01, score: 0.5 },
      ...{
        x: (index % 97) / 100,
        y: (index % 89) / 100,
        start: (index % 600) / 50,
        end: (index % 600) / 50 + 0.4,
      },
    }))
    const list = await listed({ ...detection, regions: many })
    const { data } = await regionsOf('clip.mp4', list)
    expect(data.frames).toHaveLength(12)
    const drawnIds = new Set(data.frames.flatMap(({ ids: frameIds }) => frameIds))
    expect([drawnIds.size, data.not_shown.count, data.not_shown.ids.length]).toEqual([12 * 40 - 1, 4521, 50])
    expect((await drawn('clip.mp4', list, '1')).width).toBe(1280)
  })
})

test('a still image is drawn once, its regions with or without times', async () => {
  const list = await listed({ regions: [{ x: 0.5, y: 0.5, w: 0.25, h: 0.1 }] })
  expect((await regionsOf('still.png', list)).data).toMatchObject({
    regions: 1,
    frames: [{ seconds: 0, ids: ['#1'] }],
  })
  const { width, height, colour } = await drawn('still.png', list)
  expect([width, height]).toEqual([490, 962])
  expect(isNear(colour(20 + 225 - 1, 20 + 495), red)).toBe(true)
  expect(isNear(colour(20 + 100, 20 + 100), [0x40, 0x80, 0xc0])).toBe(true)
})

describe('invalid requests', () => {
  const one = (change: object) => ({ regions: [logo, { ...line('text-1', 1, 0.9), ...change }] })

  test.each<[string, unknown, RegExp]>([
    ['invalid JSON', '{"regions": [}', /regions\.json is not valid JSON: Unexpected token/],
    ['no list', { regions: {} }, /regions: must be a list/],
    ['something else', [], /the file: must be an object/],
    ['an invalid entry', { regions: [logo, 7] }, /regions\[1\] \(#2\): must be an object/],
    [
      'an entry that leaves the frame',
      one({ x: 0.8 }),
      /regions\[1\]\.w \(text-1\): x \+ w must be at most 1/,
    ],
    ['an edge outside', one({ y: -0.1 }), /regions\[1\]\.y \(text-1\): at least 0/],
    ['an end before the start', one({ end: 0.5 }), /regions\[1\]\.end \(text-1\): end must be after start/],
    ['an id that is there twice', one({ id: 'logo' }), /regions\[1\]\.id \(logo\): "logo" is used twice/],
    [
      'a source longer than an id',
      { source: { file_id: 'x'.repeat(65) }, regions: [] },
      /source\.file_id: at most 64/,
    ],
    [
      'an invalid protection',
      { ...detection, protect_regions: [{}] },
      /protect_regions\[0\]\.x \(keep#1\): required/,
    ],
    [
      'more than the limit',
      { regions: Array.from({ length: 50_001 }, () => 0) },
      /regions: at most 50000 items/,
    ],
    ['depths of lists', '['.repeat(100_000), /is nested 100000 levels deep; at most 64/],
    ['more bytes than are read', ' '.repeat(maxRegionsBytes + 1), /larger than 32 MiB/],
  ])('%s: 6016 names it', async (_, content, message) => {
    const list = await listed(content)
    expect(await regionsOf('clip.mp4', list)).toMatchObject({
      code: 6016,
      msg: expect.stringMatching(message),
    })
    const path = `/base/file/${ids.get('clip.mp4')}/preview?kind=regions&${query(list)}`
    expect(await calls.send(path)).toMatchObject({ code: 6016, msg: expect.stringMatching(message) })
  })

  test('files of another kind return 6014, missing files 6004, invalid times 6016', async () => {
    const list = await listed(detection)
    expect(await regionsOf('tone.wav', list)).toMatchObject({
      code: 6014,
      msg: expect.stringContaining('tone.wav'),
    })
    expect(await regionsOf('clip.mp4', ids.get('still.png') ?? '')).toMatchObject({ code: 6014 })
    expect(await regionsOf('clip.mp4', '1234567890123456789')).toMatchObject({ code: 6004 })
    expect(await regionsOf('clip.mp4', list, '3,12')).toMatchObject({
      code: 6016,
      msg: expect.stringContaining('at: 12 is not before the end of clip.mp4 (12 s)'),
    })
    for (const [at, cell] of [
      ['now', 'at[0]'],
      ['', 'at[0]'],
      ['1,,2', 'at[1]'],
      ['0x10', 'at[0]'],
      ['-1', 'at[0]'],
    ]) {
      expect(await regionsOf('clip.mp4', list, at)).toMatchObject({
        code: 6016,
        msg: expect.stringContaining(`${cell}: must be a number of seconds`),
      })
    }
    expect(await regionsOf('clip.mp4', list, Array.from({ length: 13 }, () => 1).join())).toMatchObject({
      code: 6016,
    })
    const without = `/base/file/${ids.get('clip.mp4')}/preview?kind=regions`
    expect(await calls.send(without)).toMatchObject({ code: 6016, msg: 'regions_file_id: required' })
  })
})
