import { expect, test } from 'vitest'
import { MediaError } from '../../src/contract/errors.ts'
import type { VideoFacts } from '../../src/contract/media-facts.ts'
import { requestFiles } from '../../src/contract/operation.ts'
import { videoPurify } from './contract.ts'
import { plan } from './plan.ts'

// The limits of a video. test/video-purify/http.test.ts has those that depend on how a file is read.

const usual = { codec: 'h264', width: 128, height: 128, coded_width: 128, coded_height: 128 }
const video: VideoFacts = {
  ...{ ...usual, rotation: 0, sample_aspect_ratio: { num: 1, den: 1 }, variable_rate: false },
  ...{ frame_rate: { num: 25, den: 1 }, start_ms: 0, duration_ms: 1000 },
  ...{ pixel_format: 'yuv420p', hdr: false, alpha: false },
}
const sized = (width: number, height: number) => ({ width, height, coded_width: width, coded_height: height })
const lasting = (seconds: number) => ({ duration_ms: 1000 * seconds })

/** What differs from a small video of a second, by name. */
const videos = {
  '3840x2160.mp4': sized(3840, 2160),
  '2160x4000.mp4': sized(2160, 4000),
  '4096x2160.mp4': sized(4096, 2160),
  '120fps.mp4': { frame_rate: { num: 120, den: 1 } },
  '121fps.mp4': { frame_rate: { num: 121, den: 1 } },
  '2h.mp4': lasting(7200),
  '2h1s.mp4': lasting(7201),
  '20min.mp4': lasting(1200),
  '20min1s.mp4': lasting(1201),
  'low.mp4': sized(256, 126),
} as const satisfies Record<string, Partial<VideoFacts>>

async function planned(name: keyof typeof videos, request: object) {
  const facts = {
    ...{ container: 'mov,mp4', duration_ms: 1000, size: 1000, bit_rate: null, audio: [], subtitles: [] },
    video: { ...video, ...videos[name] },
  }
  const file = { file_id: '1', name, size: 1000, kind: 'video', facts } as const
  const input = videoPurify.input.parse({ file_id: '1', ...request })
  return await plan(input, requestFiles(new Map([['1', file]])), () => Promise.reject(new Error('no list')))
}

const box = { x: 0.25, y: 0.25, w: 0.5, h: 0.5 }
const listed = { id: 'a', source: 'manual', ...box, start: 0, end: 1 }
const allFields = { purify_scope: 'region', regions: [box] }
const emptyList = { phase: 'purify', regions: [] }

test.each([
  ['3840x2160.mp4', {}, 200],
  ['2160x4000.mp4', {}, 200],
  ['4096x2160.mp4', {}, 6022],
  ['4096x2160.mp4', { phase: 'detect' }, 6022],
  ['4096x2160.mp4', emptyList, 6022],
  ['120fps.mp4', {}, 200],
  ['121fps.mp4', {}, 6023],
  ['2h.mp4', {}, 200],
  ['2h1s.mp4', {}, 6019],
  ['2h1s.mp4', emptyList, 6019],
  ['20min.mp4', { ...allFields, purify_func_type: 'raft' }, 200],
  ['20min1s.mp4', { ...allFields, purify_func_type: 'raft' }, 6016],
  ['20min1s.mp4', { ...allFields }, 200],
  ['20min1s.mp4', { phase: 'detect', purify_func_type: 'raft' }, 200],
  ['20min1s.mp4', { ...emptyList, purify_func_type: 'raft' }, 200],
  ['20min1s.mp4', { phase: 'purify', regions: [listed], purify_func_type: 'raft' }, 6016],
  ['low.mp4', { ...allFields, purify_func_type: 'raft' }, 6035],
  ['low.mp4', { ...allFields }, 200],
  ['low.mp4', { phase: 'detect', purify_func_type: 'raft' }, 200],
  ['low.mp4', { ...emptyList, purify_func_type: 'raft' }, 200],
] as const)('%s with %j returns %i', async (name, request, code) => {
  const result = planned(name, request).then(
    () => 200,
    (error: unknown) => (error instanceof MediaError ? error.code : error),
  )
  expect(await result).toBe(code)
})

test('the price is 1 credit per started minute for every kind of request', async () => {
  for (const request of [emptyList, allFields, { phase: 'purify', regions: [listed] }])
    expect([request, (await planned('20min1s.mp4', request)).credits]).toEqual([request, 21])
})
