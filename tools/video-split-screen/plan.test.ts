import { describe, expect, it } from 'vitest'
import { MediaError } from '../../src/contract/errors.ts'
import type { MediaFacts, VideoFacts } from '../../src/contract/media-facts.ts'
import type { RequestFile } from '../../src/contract/operation.ts'
import { videoSplitScreen } from './contract.ts'
import { plan } from './plan.ts'
import { outputRate, selectClips, selectLayout } from './selection.ts'
import { frameCount } from '../../src/media/frame-rate.ts'

function video(changes: Partial<VideoFacts> = {}): VideoFacts {
  return {
    codec: 'h264',
    width: 1920,
    height: 1080,
    coded_width: 1920,
    coded_height: 1080,
    rotation: 0,
    sample_aspect_ratio: { num: 1, den: 1 },
    frame_rate: { num: 30, den: 1 },
    variable_rate: false,
    start_ms: 0,
    duration_ms: 90_000,
    pixel_format: 'yuv420p',
    hdr: false,
    alpha: false,
    ...changes,
  }
}

/** Returns a file of a request, by default a video of 90 s. */
function requestFile(changes: Partial<RequestFile> = {}, picture: VideoFacts | null = video()): RequestFile {
  const facts: MediaFacts = {
    container: 'mov',
    duration_ms: picture?.duration_ms ?? 5000,
    size: 1000,
    bit_rate: 1000,
    video: picture,
    audio: [],
    subtitles: [],
  }
  return { file_id: '1', name: 'one.mp4', size: 1000, kind: 'video', facts, ...changes }
}

/** Plans a request whose clips all refer to one file. */
function planFor(request: object, file: RequestFile = requestFile()) {
  return plan(videoSplitScreen.input.parse(request), { get: () => file })
}

/** Returns the error with which a request is rejected. */
function rejection(request: object, file: RequestFile = requestFile()): MediaError {
  try {
    planFor(request, file)
  } catch (error) {
    if (error instanceof MediaError) return error
    throw error
  }
  throw new Error('the request was accepted')
}

const clips = (count: number, more: object = {}) =>
  Array.from({ length: count }, () => ({ file_id: '1', ...more }))
const two = { clips: clips(2) }

describe('a request is rejected', () => {
  it.each([
    ['a still picture', requestFile({ name: 'one.png', kind: 'image' }, video({ duration_ms: 0 }))],
    ['a still picture in a video container', requestFile({}, { ...video({ duration_ms: 0 }) })],
    ['sound with a cover', requestFile({ name: 'one.mp3', kind: 'audio' }, null)],
    ['a video file without a picture stream', requestFile({}, null)],
    ['text', requestFile({ name: 'one.srt', kind: 'text', facts: null })],
  ])('for %s with 6014', (_, file) => {
    const error = rejection(two, file)
    expect(error.code).toBe(6014)
    expect(error.message).toContain(file.name)
  })

  it.each([
    ['an unknown layout', { ...two, layout_mode: 'template', layout_id: 299_999 }, 'layout 299999', 'auto'],
    [
      'a layout for another number of clips',
      { ...two, layout_mode: 'template', layout_id: 300_100 },
      '3 slots',
      'as many slots as clips',
    ],
    [
      'a begin at the end of the video',
      { clips: clips(2, { begin_time_ms: 90_000 }) },
      'clips[0]',
      'below 90000',
    ],
    [
      'a begin past the end of the video and before end_time_ms',
      { clips: clips(2, { begin_time_ms: 95_000, end_time_ms: 99_000 }) },
      '90000 ms',
      'below 90000',
    ],
    [
      'a crop of less than two pixels',
      { clips: clips(2, { crop: { x: 0, y: 0, width: 0.001, height: 1 } }) },
      'crop',
      '1920 x 1080 pixels',
    ],
  ])('for %s with 6016 and a correction', (_, request, text, fix) => {
    const error = rejection(request)
    expect(error.code).toBe(6016)
    expect(error.message).toContain(text)
    expect(error.hint).toContain(fix)
  })

  it('with 6016 above sixteen 1080p pictures to decode, counting a repeated file each time', () => {
    expect(planFor({ clips: clips(16) }).credits).toBe(2)
    expect(
      planFor({ clips: clips(4) }, requestFile({}, video({ coded_width: 3840, coded_height: 2160 }))).credits,
    ).toBe(2)
    expect(
      rejection({ clips: clips(5) }, requestFile({}, video({ coded_width: 3840, coded_height: 2160 }))).code,
    ).toBe(6016)
    expect(rejection({ clips: clips(16) }, requestFile({}, video({ coded_height: 1088 }))).message).toContain(
      '16',
    )
  })

  it('with 6016 if the shortest clip is longer than six hours', () => {
    const hours = 3_600_000
    const longFile = requestFile({}, video({ duration_ms: 7 * hours }))
    expect(rejection(two, longFile).code).toBe(6016)
    const [first, second] = clips(2)
    expect(planFor({ clips: [first, { ...second, begin_time_ms: hours }] }, longFile).credits).toBe(360)
  })

  it.each([
    [{ ...two, layout_mode: 'template' }, 'layout_id'],
    [{ ...two, layout_id: 200_100 }, 'layout_id'],
    [{ ...two, layout_mode: 'auto', layout_id: 200_100, random_seed: 7 }, 'layout_id'],
    [{ clips: clips(2, { begin_time_ms: 500, end_time_ms: 500 }) }, 'begin_time_ms'],
    [{ clips: clips(2, { crop: { x: 0.6, y: 0, width: 0.5, height: 1 } }) }, 'crop'],
    [{ ...two, background_color: 'red' }, 'background_color'],
    [{ ...two, duration_mode: 'longest' }, 'duration_mode'],
  ])('by the schema, with the name of the field: %j', (request, field) => {
    const { error } = videoSplitScreen.input.safeParse(request)
    expect(error?.issues.flatMap(({ path }) => path)).toContain(field)
  })
})

it('accepts layout and seed together, because a result contains both', () => {
  const again = { ...two, layout_mode: 'template', layout_id: 250_100, random_seed: 7 }
  expect(planFor(again).credits).toBe(2)
})

it.each([
  [854, 480, '16:9', 250_100],
  [426, 240, '16:9', 250_100],
  [1366, 768, '16:9', 250_100],
  [480, 854, '9:16', 200_100],
  [720, 720, '1:1', 200_100],
])('selects the same layout for sizes that are rounded to whole pixels: %i x %i in %s', (...given) => {
  const [width, height, output_ratio, id] = given
  const input = videoSplitScreen.input.parse({ ...two, output_ratio })
  const size = { width, height, coded_width: width, coded_height: height }
  const selected = selectClips(input, { get: () => requestFile({}, video(size)) })
  expect(selectLayout(input, selected, 0).id).toBe(id)
})

describe('a plan', () => {
  it('charges each started minute of the shortest clip', () => {
    expect(planFor(two).credits).toBe(2)
    expect(planFor({ clips: clips(2, { end_time_ms: 60_000 }) }).credits).toBe(1)
    expect(planFor({ clips: clips(2, { end_time_ms: 60_001 }) }).credits).toBe(2)
    expect(planFor({ clips: [...clips(1), { file_id: '1', end_time_ms: 1 }] }).credits).toBe(1)
  })

  it('treats 0 and an end past the source as the end of the source', () => {
    expect(planFor({ clips: clips(2, { end_time_ms: 0 }) }).credits).toBe(2)
    expect(planFor({ clips: clips(2, { end_time_ms: 10_000_000 }) }).credits).toBe(2)
  })

  it('estimates more work for more, larger, longer and faster clips', () => {
    const base = planFor(two).seconds
    expect(planFor({ clips: clips(8) }).seconds).toBeGreaterThan(base)
    expect(planFor({ ...two, quality: '720p' }).seconds).toBeLessThan(base)
    expect(planFor(two, requestFile({}, video({ duration_ms: 180_000 }))).seconds).toBeGreaterThan(1.5 * base)
    expect(planFor(two, requestFile({}, video({ frame_rate: { num: 60, den: 1 } }))).seconds).toBeGreaterThan(
      1.5 * base,
    )
  })
})

describe('the rate of a result', () => {
  const rate = (num: number, den = 1, variable_rate = false) => ({ frame_rate: { num, den }, variable_rate })

  it('is the highest of its sources, exactly, at most 60', () => {
    expect(outputRate([rate(24), rate(30_000, 1001)])).toEqual({ num: 30_000, den: 1001 })
    expect(outputRate([rate(15), rate(12)])).toEqual({ num: 15, den: 1 })
    expect(outputRate([rate(120), rate(24)])).toEqual({ num: 60, den: 1 })
    expect(outputRate([rate(0), rate(24)])).toEqual({ num: 30, den: 1 })
  })

  it('is the standard rate next to an average, or above a variable one', () => {
    expect(outputRate([rate(359_640, 12_001), rate(1)])).toEqual({ num: 30_000, den: 1001 })
    expect(outputRate([rate(3_628_800, 502_589, true), rate(1)])).toEqual({ num: 24_000, den: 1001 })
    expect(outputRate([rate(1000, 1, true), rate(1)])).toEqual({ num: 60, den: 1 })
  })

  it('divides a duration into at least one whole frame', () => {
    expect(frameCount(1000, { num: 30_000, den: 1001 })).toBe(30)
    expect(frameCount(3_600_000, { num: 30_000, den: 1001 })).toBe(107_892)
    expect(frameCount(1, { num: 25, den: 1 })).toBe(1)
  })
})

describe('a file that is cut off after 2.1 s', () => {
  const file = requestFile()
  const cutOff = (container: string) => ({
    ...file,
    facts: file.facts && { ...file.facts, container, cut_off_ms: 2100 },
  })

  it('is rejected if the range ends later, with the latest possible end', () => {
    const error = rejection({ clips: [{ file_id: '1' }, { file_id: '1', end_time_ms: 2101 }] }, cutOff('mov'))
    expect(error).toMatchObject({
      code: 6021,
      hint: expect.stringContaining('end_time_ms to at most 2100') as string,
    })
    expect(error.message).toContain('one.mp4 is cut off, there is no picture after 2.1 s')
  })

  it('is accepted up to there, and checked by the run if its packets have no duration', () => {
    expect(planFor({ clips: clips(2, { end_time_ms: 2100 }) }, cutOff('mov')).credits).toBe(1)
    expect(planFor(two, cutOff('flv')).credits).toBeGreaterThan(0)
  })
})
