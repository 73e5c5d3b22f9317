import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../tools/index.ts'
import { h264, generateMedia, picture, scratchFolder, tone } from '../engines/ffmpeg/generate-media.ts'
import { api } from '../service/api.ts'
import { startTestService, type TestService } from '../service/in-process.ts'

// Invalid requests over HTTP are rejected with the path of the clip, create no task and charge nothing.

const folder = await scratchFolder()
let service: TestService
let account: Awaited<ReturnType<TestService['account']>>
const ids: Record<string, string> = {}

beforeAll(async () => {
  service = await startTestService({ operations })
  account = await service.account(5)
  const sources = {
    'clip.mp4': [...picture(2), ...tone(2), ...h264],
    'song.wav': tone(2),
    'sound-only.mp4': [...tone(2), '-c:a', 'aac'],
    'still.png': [...picture(1), '-frames:v', '1'],
  }
  for (const [name, args] of Object.entries(sources)) {
    const bytes = new Uint8Array(await readFile(await generateMedia(join(folder, name), args)))
    ids[name] = (await api(account).upload(name, bytes)).data.file_id
  }
})
afterAll(() => service[Symbol.asyncDispose]())

const clip = { clip_id: 'a', clip_st: 0, clip_ed: 1, track_st: 0, track_ed: 1, duration: 1 }

/** Returns a request with one clip of a file in a video and in an audio track, with changes to each. */
function body(name: string, changes: object = {}, audioChanges: object = {}) {
  const material = ids[name] ?? name
  return {
    ...{ version: 'v1', video_size: [320, 180], video_rate: 25, materials: [{ id: material }] },
    video_track: [{ track_index: 0, track_timeline: [{ ...clip, material, ...changes }] }],
    audio_track: [{ track_index: 0, track_timeline: [{ ...clip, material, ...audioChanges }] }],
  }
}

const many = Array.from({ length: 501 }, (_, at) => ({
  ...clip,
  clip_id: '',
  track_st: at,
  track_ed: at + 1,
}))
const firstClip = 'video_track[0].track_timeline[0]'
const two = (first: object, second: object) => ({
  video_track: [
    {
      track_index: 0,
      track_timeline: [first, second].map((one) => ({ ...clip, material: ids['clip.mp4'], ...one })),
    },
  ],
})

describe('rejects', () => {
  it.each<[string, () => object, number, string]>([
    [
      'overlapping clips',
      () => ({ ...body('clip.mp4'), ...two({}, { track_st: 0.9, track_ed: 1.9 }) }),
      6016,
      'video_track[0].track_timeline[1].track_st',
    ],
    [
      'clip_ed before clip_st',
      () => body('clip.mp4', { clip_st: 1, clip_ed: 0.5 }),
      6016,
      `${firstClip}.clip_ed`,
    ],
    [
      'a clip_ed that is wrong by two frames',
      () => body('clip.mp4', { clip_ed: 1.09 }),
      6016,
      `${firstClip}.clip_ed`,
    ],
    [
      'a material that is not listed',
      () => ({ ...body('clip.mp4'), materials: [{ id: ids['song.wav'] }] }),
      6016,
      `${firstClip}.material`,
    ],
    [
      'a file that does not exist',
      () => body('1234567890123456789'),
      6004,
      'materials[0].id: file "1234567890123456789" does not exist',
    ],
    [
      'a clip of no duration',
      () => body('clip.mp4', { track_ed: 0, duration: 0 }),
      6016,
      `${firstClip}.duration`,
    ],
    [
      'a clip that ends before it begins',
      () => body('clip.mp4', { track_st: 2 }),
      6016,
      `${firstClip}.track_ed`,
    ],
    [
      '501 clips',
      () => ({
        ...body('clip.mp4'),
        video_track: [{ track_index: 0, track_timeline: many }],
        audio_track: [],
      }),
      6016,
      'at most 500 clips',
    ],
    [
      '501 clips in two tracks',
      () => ({ ...body('clip.mp4'), video_track: [{ track_index: 0, track_timeline: many.slice(1) }] }),
      6016,
      '501 given',
    ],
    ['an odd side', () => ({ ...body('clip.mp4'), video_size: [321, 180] }), 6016, 'video_size[0]'],
    ['29.97 frames a second', () => ({ ...body('clip.mp4'), video_rate: 29.97 }), 6016, 'video_rate'],
    ['a duration of 0', () => ({ ...body('clip.mp4'), duration: 0 }), 6016, 'duration'],
    ['seven hours', () => ({ ...body('clip.mp4'), duration: 25_200 }), 6016, 'duration'],
    [
      'an empty timeline',
      () => ({ ...body('clip.mp4'), video_track: [], audio_track: [] }),
      6016,
      'nothing to render',
    ],
    [
      'an in point after the end of the file',
      () => body('clip.mp4', { clip_st: 2.5, clip_ed: 3.5 }),
      6016,
      `${firstClip}.clip_st`,
    ],
    [
      'an out point after the end of the file',
      () => body('clip.mp4', { clip_st: 1.5, clip_ed: 2.5 }),
      6016,
      `${firstClip}.clip_ed`,
    ],
    [
      'an out point of sound after the end of the file',
      () => body('clip.mp4', {}, { clip_st: 1.5, clip_ed: 2.5 }),
      6016,
      'audio_track[0].track_timeline[0].clip_ed',
    ],
    ['sound in the video track', () => body('song.wav'), 6014, 'video_track[0].track_timeline[0].material'],
    ['a video file without a picture', () => body('sound-only.mp4'), 6014, `${firstClip}.material`],
    ['a still picture', () => body('still.png'), 6014, 'still.png is not a video'],
    ['a speed of 101', () => body('clip.mp4', { speed: 101 }), 6016, `${firstClip}.speed`],
    [
      'a clip without a material',
      () => body('clip.mp4', { material: undefined }),
      6016,
      `${firstClip}.material`,
    ],
    ['version v2', () => ({ ...body('clip.mp4'), version: 'v2' }), 6016, 'version'],
  ])('%s', async (_, request, code, text) => {
    const response = await api(account).create('video_timeline_render', request())
    expect([response.code, response.msg]).toEqual([code, expect.stringContaining(text)])
    const { data } = await api(account).send('/base/capabilities')
    expect(data).toMatchObject({ credits: { balance: 5 }, tasks: { queued: 0, processing: 0 } })
  })
})

it('reports the errors of all clips together, with a hint if times look like milliseconds', async () => {
  const times = await api(account).create('video_timeline_render', {
    ...body('clip.mp4', { duration: 2 }, { clip_ed: 1.5 }),
  })
  expect([times.code, times.msg]).toEqual([
    6016,
    'video_track[0].track_timeline[0].duration: 2 s, but from track_st to track_ed it is 1 s; ' +
      'audio_track[0].track_timeline[0].clip_ed: 1.5 s, but clip_st 0 + duration 1 x speed 1 is 1 s',
  ])
  const overlapping = { ...clip, material: ids['clip.mp4'], track_st: 10, track_ed: 10.9 }
  const summarized = await api(account).create('video_timeline_render', {
    ...body('clip.mp4'),
    ...two(overlapping, { ...overlapping, duration: 3 }),
    audio_track: [{ track_index: 0, track_timeline: Array.from({ length: 30 }, () => overlapping) }],
  })
  expect(summarized.msg.split('; ')).toHaveLength(21)
  expect(summarized.msg).toMatch(/; and \d+ more$/)
  const late = await api(account).create(
    'video_timeline_render',
    body('clip.mp4', { clip_st: 1500, clip_ed: 1501 }, { clip_st: 1.5, clip_ed: 2.5 }),
  )
  expect(late).toMatchObject({
    code: 6016,
    msg: expect.stringMatching(
      /clip_st: 1500 s is not before .*; audio_track\[0\].*clip_ed: 2\.5 s is after/,
    ),
    hint: expect.stringMatching(
      /^Correct them all, .* Give a clip_st below 2\. Times are seconds, not milliseconds\.$/,
    ),
  })
})

it('accepts video in an audio track, and quotes the price of the whole output', async () => {
  const longRequest = { ...body('clip.mp4'), duration: 60.01 }
  const response = await api(account).send('/task/video_timeline_render/quote', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(longRequest),
  })
  expect(response).toMatchObject({ code: 200, data: { credits: 2 } })
})
