import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { videoFolder } from '../engines/ffmpeg/generate-media.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { sampleCases } from '../soak-size.ts'
import { ffmpeg, grey, streams } from './media.ts'
import { cutOut, difference99, scalePart } from './reference.ts'
import { renderSplit } from './render.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const testVideos = videoFolder() ?? ''
const testVideo = (name: string) => join(testVideos, name)

const square = { quality: '720p', output_ratio: '1:1', audio_mode: 'mute' }

async function expectUprightPicture(): Promise<void> {
  const name = testVideo('mediabunny-rotate-buck-bunny.mp4')
  const rendered = await renderSplit(
    {
      ...square,
      clips: [{ file_id: name, begin_time_ms: 1500, end_time_ms: 1700 }, { file_id: name }],
      layout_mode: 'template',
      layout_id: 250_100,
    },
    folder.path,
  )
  const source = { width: 1080, height: 1920 }
  // The file has 24 frames per second from 83 ms on. Raw frames start at 0, where ffmpeg repeats the first.
  const first = ['-i', name, '-map', '0:V:0', '-frames:v', '37', '-f', 'rawvideo', '-pix_fmt', 'gray', '-']
  const picture = { ...source, pixels: (await ffmpeg(...first)).subarray(-source.width * source.height) }
  const frame = { ...rendered.output, pixels: (await grey(rendered.path)).subarray(0, 720 * 720) }
  const [slot] = rendered.output.layout.slots
  if (!slot) throw new Error('no slot')
  const box = { x: 0, y: 0, width: Math.round(slot.destination_rect.width * 720), height: 720 }
  const crop = slot.source_crop
  const part = { x: crop.x * 1080, y: crop.y * 1920, width: crop.width * 1080, height: crop.height * 1920 }
  expect(part.width / part.height).toBeCloseTo(box.width / box.height, 2)
  expect(difference99(scalePart(picture, part, box), cutOut(frame, box))).toBeLessThanOrEqual(8)
}

async function expectConstantRate(): Promise<void> {
  const clips = [
    { file_id: testVideo('mediabunny-cursed-vfr.mp4'), begin_time_ms: 2000 },
    { file_id: testVideo('mediabunny-transparency.webm'), begin_time_ms: 4000 },
    { file_id: testVideo('opendubbing-englishvideo.mp4'), begin_time_ms: 1000, end_time_ms: 1200 },
    { file_id: testVideo('mediabunny-rotate-buck-bunny.mp4') },
    { file_id: testVideo('auto-editor-mov_text.mp4'), crop: { x: 0.25, y: 0.25, width: 0.5, height: 0.5 } },
  ]
  const rendered = await renderSplit({ clips, quality: '720p', audio_mode: 'mix' }, folder.path)
  const [video, audio] = await streams(rendered.path)
  expect(rendered.output.duration_ms).toBe(200)
  expect(video).toMatchObject({ r_frame_rate: '60/1', nb_read_frames: '12', width: 720, height: 1280 })
  expect(Number(video?.['duration'])).toBeCloseTo(0.2, 4)
  expect(Number(audio?.['duration'])).toBeCloseTo(0.2, 2)
}

const cases = [
  ['rotated by 90 degrees are shown upright and cropped after rotation', expectUprightPicture],
  [
    'of variable rate, with transparency, with any number of channels, become one video of constant rate',
    expectConstantRate,
  ],
] as const

describe.skipIf(testVideos === '')('real files', () => {
  it.each(sampleCases(cases, 1))('%s', (_, expectation) => expectation())
})
