import { expect, test } from 'vitest'
import type { MediaFacts } from '../../contract/media-facts.ts'
import { type RequestFile, requestFiles } from '../../contract/operation.ts'
import type { Timeline, TimelineClip } from './timeline.ts'
import { timelineRenderSeconds } from './render-seconds.ts'

/** Frame rates of the test files. a, b and c have frequent key frames, far has one every 250 frames, and big is 4K. */
const rates = { a: [30, 1], b: [24_000, 1001], c: [25, 1], far: [25, 1], big: [25, 1] } as const
const names = ['a', 'b', 'c', 'far', 'big'] as const

function factsOf(name: (typeof names)[number]): MediaFacts {
  const [num, den] = rates[name]
  const [width, height] = name === 'big' ? [3840, 2160] : [1920, 1080]
  return {
    ...{ container: 'mov', duration_ms: 15_000, size: 1, bit_rate: null, audio: [], subtitles: [] },
    video: {
      ...{ codec: 'h264', width, height, coded_width: width, coded_height: height },
      ...{ rotation: 0, sample_aspect_ratio: { num: 1, den: 1 }, frame_rate: { num, den } },
      ...{
        variable_rate: false,
        start_ms: 0,
        duration_ms: 15_000,
        pixel_format: 'yuv420p',
        hdr: false,
        alpha: false,
      },
      seek_ms: name === 'far' ? 4300 : 200,
    },
  }
}

const files = requestFiles(
  new Map<string, RequestFile>(
    names.map((name) => [
      name,
      {
        file_id: name,
        name: `${name}.mp4`,
        size: 1,
        kind: 'video',
        facts: factsOf(name),
      },
    ]),
  ),
)

function clip(material: string, seconds: number, { speed = 1, from = 0 } = {}): TimelineClip {
  return {
    ...{ requestPath: '', material, speed, keepPitch: true, volume: 1 },
    source: { from, to: from + seconds * speed },
    track: { from: 0, to: seconds },
  }
}

/** Returns a timeline of 1080p files with sound, by default 1280 x 720 at 30 frames per second. */
function timeline(picture: readonly TimelineClip[], more: Partial<Timeline> = {}): Timeline {
  const seconds = more.seconds ?? picture.reduce((sum, { track }) => sum + track.to, 0)
  const { rate = { num: 30, den: 1 } } = more
  const frames = Math.round((seconds * rate.num) / rate.den)
  return { width: 1280, height: 720, rate, seconds, frames, picture, sound: [picture], ...more }
}

const alternating = (count: number, minSeconds: number, step: number) =>
  Array.from({ length: count }, (_, at) => clip(names[at % 3] ?? 'a', minSeconds + (at % 5) * step))
const scattered = (material: string, count = 500) =>
  Array.from({ length: count }, (_, at) => clip(material, 0.05, { from: (at * 5.3) % 12 }))
const large = { width: 1920, height: 1080 }
const tiny = { width: 160, height: 90, rate: { num: 5, den: 1 } }

// Durations in seconds, measured on two otherwise idle cores. 0.55 of the processor time gives the same values.
test.each<[string, Timeline, number]>([
  ['16 cuts of three files with grain', timeline(alternating(16, 1, 0.3)), 19.7],
  ['16 cuts of three files without grain', timeline(alternating(16, 1, 0.3)), 15.7],
  ['8 cuts in 1080p with grain', timeline(alternating(8, 1, 0.3), large), 18.1],
  ['8 cuts in 1080p without grain', timeline(alternating(8, 1, 0.3), large), 10],
  ['9 jump cuts of one file', timeline(Array.from({ length: 9 }, () => clip('a', 1.1))), 8.8],
  ['100 short clips', timeline(alternating(100, 0.1, 0.05), { width: 640, height: 360 }), 17.5],
  ['500 short clips with far key frames', timeline(scattered('far'), { seconds: 25 }), 418],
  ['100 short clips of 4K', timeline(scattered('big', 100), { seconds: 5 }), 84],
  ['a minute of black', timeline([], { seconds: 60 }), 8.5],
  ['ten minutes of sound', timeline([], { ...tiny, seconds: 600, sound: [[clip('a', 600)]] }), 22.7],
  [
    'five minutes that keep their pitch',
    timeline([], { ...tiny, seconds: 300, sound: [[clip('a', 300, { speed: 1.25 })]] }),
    23,
  ],
])('%s: the estimate is close to the measured duration', (_, estimated, measuredSeconds) => {
  const ratio = timelineRenderSeconds(estimated, files) / measuredSeconds
  expect(ratio).toBeGreaterThan(0.65)
  expect(ratio).toBeLessThan(1.35)
})

test('clips in the order of their file are estimated without decoding from key frames', () => {
  const inOrder = Array.from({ length: 100 }, (_, at) => clip('far', 0.05, { from: at * 0.1 }))
  const estimate = (clips: readonly TimelineClip[]) =>
    timelineRenderSeconds(timeline(clips, { seconds: 5 }), files)
  expect(estimate(inOrder) * 3).toBeLessThan(estimate(inOrder.toReversed()))
})
