import { expect, test } from 'vitest'
import type { VideoFacts } from '../../src/contract/media-facts.ts'
import { videoPurify } from './contract.ts'
import { purifySeconds } from './estimate.ts'

const seconds = 60
const video: VideoFacts = {
  ...{ codec: 'h264', width: 1920, height: 1080, coded_width: 1920, coded_height: 1080, rotation: 0 },
  ...{ sample_aspect_ratio: { num: 1, den: 1 }, frame_rate: { num: 30, den: 1 }, variable_rate: false },
  ...{ start_ms: 0, duration_ms: 1000 * seconds, pixel_format: 'yuv420p', hdr: false, alpha: false },
}

function expected(request: Readonly<Record<string, unknown>>): number {
  return purifySeconds(videoPurify.input.parse({ file_id: '1', ...request }), { video, seconds })
}

function filled(...regions: readonly object[]): number {
  return expected({ purify_scope: 'region', purify_func_type: 'raft', regions })
}

const line = { x: 0.25, y: 0.85, w: 0.5, h: 0.1 }
const large = { x: 0.1, y: 0.1, w: 0.5, h: 0.6 }

test('the estimate for inpainting depends on the area and duration of regions', () => {
  expect(filled(large)).toBeGreaterThan(3 * filled(line))
  expect(filled(line, { ...line, y: 0.05 })).toBeGreaterThan(filled(line))
  expect(filled({ ...large, start: 10, end: 11 })).toBeLessThan(filled(large) / 5)
  // Overlapping regions count once at most, and time after the end does not count.
  const wholePicture = { x: 0, y: 0, w: 1, h: 1 }
  expect(filled(wholePicture, wholePicture)).toBe(filled(wholePicture))
  expect(filled({ ...large, end: 1e6 })).toBe(filled(large))
})

test('undetected text counts with a default area; blurring time does not depend on regions', () => {
  const unknown = expected({ purify_func_type: 'raft' })
  expect(unknown).toBeGreaterThan(filled(line) / 3)
  expect(unknown).toBeLessThan(filled(large))
  const blurred = (region: object) => expected({ purify_scope: 'region', regions: [region] })
  expect(blurred(large)).toBe(blurred(line))
  expect(blurred(line)).toBeLessThan(seconds + 5)
  expect(blurred(line)).toBeLessThan(filled(line) / 2)
})
