import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentFile } from '../../src/contract/agent-form.ts'
import type { MediaFacts } from '../../src/contract/media-facts.ts'
import { readGtrk } from '../../src/media/timeline/read-gtrk.ts'
import { videoTimelineRender } from './contract.ts'

interface FileOptions {
  readonly seconds: number
  /** Of the picture; absent for audio. */
  readonly rate?: readonly [number, number]
}

function agentFile(name: string, { seconds, rate }: FileOptions): [string, AgentFile] {
  const duration_ms = seconds * 1000
  const sound = { codec: 'aac', channels: 2, sample_rate: 48_000, start_ms: 0, duration_ms }
  const facts: MediaFacts = {
    ...{ container: 'mov', duration_ms, size: 1, bit_rate: null, audio: [sound], subtitles: [] },
    video: rate
      ? {
          ...{ codec: 'h264', width: 1281, height: 720, coded_width: 1281, coded_height: 720, rotation: 0 },
          ...{ sample_aspect_ratio: { num: 1, den: 1 }, frame_rate: { num: rate[0], den: rate[1] } },
          ...{
            variable_rate: false,
            start_ms: 0,
            duration_ms,
            pixel_format: 'yuv420p',
            hdr: false,
            alpha: false,
          },
        }
      : null,
  }
  return [name, { name, kind: rate ? 'video' : 'audio', facts }]
}

const files = new Map([
  agentFile('street.mp4', { seconds: 12.4, rate: [30_000, 1001] }),
  agentFile('jump.mp4', { seconds: 4, rate: [25, 1] }),
  agentFile('music.mp3', { seconds: 90 }),
])

function complete(args: Readonly<Record<string, unknown>>) {
  const form = videoTimelineRender.agentForm
  const converted = form?.toRequest(args, files)
  return {
    input: videoTimelineRender.input.parse(converted?.request),
    assumed: converted?.assumed.join(' ') ?? '',
  }
}

test('clips alone are enough: files whole and in order, size and rate of the first', () => {
  const { input, assumed } = complete({ clips: [{ material: 'street.mp4' }, { material: 'jump.mp4' }] })
  expect(input).toMatchObject({
    video_size: [1282, 720],
    video_rate: 30,
    video_track: [
      {
        track_timeline: [
          { material: 'street.mp4', clip_st: 0, clip_ed: 12.4, track_st: 0, track_ed: 12.4 },
          { material: 'jump.mp4', clip_st: 0, clip_ed: 4, track_st: 12.4, track_ed: 16.4 },
        ],
      },
    ],
  })
  expect(assumed).toMatch(/video_size is 1282x720, that of street\.mp4\./)
  expect(assumed).toMatch(
    /video_rate is 30: the rate of street\.mp4 is 29\.97, and only whole rates from 1 to 120 can be rendered\./,
  )
})

test('clips of another shape than the output are noted', () => {
  const clips = [
    { material: 'street.mp4' },
    { material: 'jump.mp4', clip_st: 1, clip_ed: 2 },
    { material: 'jump.mp4' },
  ]
  const { assumed } = complete({ clips, video_size: [720, 1280] })
  expect(assumed).toMatch(
    /Shown with black bars at 720x1280: street\.mp4 \(\d+x\d+\), jump\.mp4 \(\d+x\d+\)\./,
  )
  expect(complete({ clips: clips.slice(0, 1) }).assumed).not.toMatch(/bars/)
})

test('a stated rate is rounded, slow motion keeps the pitch, and music ends with the picture; all are reported', () => {
  const { input, assumed } = complete({
    clips: [{ material: 'jump.mp4', clip_st: 1, clip_ed: 2, speed: 0.5 }],
    ...{ audio: [{ material: 'music.mp3', volume: 0.3 }], video_rate: 29.97, video_size: [640, 360] },
  })
  expect(input.video_rate).toBe(30)
  expect(input.video_track[0]?.track_timeline).toMatchObject([{ track_ed: 2, duration: 2, keep_pitch: true }])
  expect(input.audio_track[0]?.track_timeline).toMatchObject([{ clip_ed: 2, track_ed: 2, volume: 0.3 }])
  expect(assumed).toMatch(/video_rate is 30: the given rate is 29\.97,/)
  expect(assumed).toMatch(/keeps its pitch/)
  expect(assumed).toMatch(/music\.mp3 ends at 2 s, with the picture\./)
})

test('a complete timeline is unchanged and needs no files', () => {
  for (const { input } of videoTimelineRender.examples) {
    const form = videoTimelineRender.agentForm
    expect(form?.neededFiles?.(input)).toEqual([])
    expect(complete(input).input).toEqual(videoTimelineRender.input.parse(input))
  }
  const [{ input: example }] = videoTimelineRender.examples
  const fast = JSON.parse(JSON.stringify(example).replaceAll('"material"', '"speed":2,"material"')) as object
  expect(complete({ ...fast }).assumed).toBe('')
})

test.each([
  [
    { clips: [{ material: 'jump.mp4', clip_st: 10 }] },
    'clips[0].clip_st: 10 s is after the end of jump.mp4, 4 s',
  ],
  [
    { clips: [{ material: 'jump.mp4' }], audio: [{ material: 'music.mp3', clip_st: 95 }] },
    'audio[0].clip_st: 95 s is after the end of music.mp3, 90 s',
  ],
  [
    { clips: [{ material: 'jump.mp4', clip_st: 3, clip_ed: 2 }] },
    'clips[0].clip_ed: 2 s is not after clip_st, 3 s',
  ],
])('%j is rejected with the name that the call used', (args, message) => {
  expect(() => complete(args)).toThrow(expect.objectContaining({ code: 6016, message }))
})

test('errors of the service name the clips of the call', () => {
  const restore = (text: string, args: object) =>
    videoTimelineRender.agentForm?.restoreNames?.(text, { ...args })
  const clips = [{ material: 'a.mp4' }, { material: 'a.mp4' }, { material: 'b.mp4' }]
  const text =
    'video_track[0].track_timeline[1].clip_ed, audio_track[3].track_timeline[0].clip_st, materials[1].id, materials[2].id'
  expect(restore(text, { clips, audio: [{ material: 'c.mp3' }] })).toBe(
    'clips[1].clip_ed, audio[3].clip_st, clips[2].material, audio[0].material',
  )
  expect(restore(text, { video_track: [], audio_track: [], materials: [] })).toBe(text)
})

test.each([
  [{ video_rate: 30 }, 6013],
  [{ clips: [{ material: 'jump.mp4' }], video_track: [] }, 6016],
])('%j is rejected with %i', (args, code) => {
  expect(() => videoTimelineRender.agentForm?.checkForm?.(args)).toThrow(expect.objectContaining({ code }))
})

test('for any trims and speeds, the completed timeline is consistent', () => {
  const clip = fc
    .record({
      from: fc.integer({ min: 0, max: 1999 }),
      length: fc.option(fc.integer({ min: 100, max: 2000 })),
      speed: fc.option(fc.integer({ min: 25, max: 400 })),
    })
    .map(({ from, length, speed }) => ({
      ...{ material: 'jump.mp4', clip_st: from / 1000 },
      ...(length !== null && { clip_ed: (from + length) / 1000 }),
      ...(speed !== null && { speed: speed / 100 }),
    }))
  fc.assert(
    fc.property(fc.array(clip, { minLength: 1, maxLength: 8 }), (clips) => {
      const { input } = complete({ clips, audio: [{ material: 'music.mp3' }] })
      const { picture, seconds } = readGtrk(input)
      expect(picture).toHaveLength(clips.length)
      expect(seconds).toBeCloseTo(Math.max(...picture.map(({ track }) => track.to)), 5)
    }),
  )
})
