import { expect, test } from 'vitest'
import { publicMediaFacts } from './inspect-tool.ts'

const video = {
  ...{ codec: 'h264', width: 64, height: 36, coded_width: 64, coded_height: 36, rotation: 0 },
  sample_aspect_ratio: { num: 1, den: 1 },
  frame_rate: { num: 25, den: 1 },
  ...{
    variable_rate: false,
    start_ms: 0,
    duration_ms: 1000,
    pixel_format: 'yuv420p',
    hdr: false,
    alpha: false,
  },
}
const media = {
  ...{ container: 'mov', duration_ms: 1000, size: 1, bit_rate: null, audio: [], subtitles: [] },
  video: { ...video, seek_ms: 200 },
}

test('agents receive all facts of a file except the distance of key frames', () => {
  expect(publicMediaFacts(media)).toEqual({ ...media, video })
  expect(publicMediaFacts({ ...media, video: null })).toEqual({ ...media, video: null })
  expect(publicMediaFacts(null)).toBeNull()
})
