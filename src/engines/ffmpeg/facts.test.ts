import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mediaFacts } from '../../contract/media-facts.ts'
import { headerDuration, needsFrameCount, readFacts } from './facts.ts'
import { ffprobeOutput } from './ffprobe.ts'

const picture = { codec_type: 'video', codec_name: 'h264', width: 320, height: 240, avg_frame_rate: '25/1' }
const sound = { codec_type: 'audio', codec_name: 'aac', channels: 2, sample_rate: '48000' }

function factsOf(streams: readonly object[], format: object = {}) {
  return readFacts(
    ffprobeOutput.parse({ streams, format: { format_name: 'mov', duration: '2.0', ...format } }),
  )
}

describe('variable rate', () => {
  test.each([
    ['even', { r_frame_rate: '25/1' }, false],
    ['a last frame a little longer', { r_frame_rate: '30/1', avg_frame_rate: '3000/101' }, false],
    ['NTSC', { r_frame_rate: '30000/1001', avg_frame_rate: '30000/1001' }, false],
    ['uneven', { r_frame_rate: '57600/1', avg_frame_rate: '3628800/502589' }, true],
    ['fields counted in an interlaced picture', { r_frame_rate: '50/1', field_order: 'tt' }, false],
    ['twice the rate in a progressive picture', { r_frame_rate: '50/1', field_order: 'progressive' }, true],
    ['a clock tick', { r_frame_rate: '1000/1', avg_frame_rate: '1000/1' }, true],
    ['no declared rate', { r_frame_rate: '0/0', avg_frame_rate: '0/0' }, false],
  ])('%s', (_, rates, variable) => {
    expect(factsOf([{ ...picture, ...rates }])?.video?.variable_rate).toBe(variable)
  })
})

test('frames are counted if the average exceeds the rates of recorders, unless a table lists all pictures', () => {
  const uneven = { ...picture, r_frame_rate: '1000/1', avg_frame_rate: '250/1' }
  const answer = (format_name: string) => ffprobeOutput.parse({ streams: [uneven], format: { format_name } })
  expect(['matroska,webm', 'mov,mp4', 'png_pipe'].map((name) => needsFrameCount(answer(name)))).toEqual([
    ...[true, false, false],
  ])
})

test.each([
  ['no picture', { pictures: 0, endMs: 0 }],
  ['one without a declared duration', { pictures: 1, endMs: 0 }],
  ['one with a declared duration of a millisecond', { pictures: 1, endMs: 1 }],
])('whose frames were counted has the length of all of the file: %s', (_, counted) => {
  const streams = [{ ...picture, r_frame_rate: '1000/1', avg_frame_rate: '0/0' }, sound]
  const format = { format_name: 'matroska,webm', duration: '10.0' }
  expect(readFacts(ffprobeOutput.parse({ streams, format }), { counted })?.video).toMatchObject({
    duration_ms: 10_000,
    frame_rate: { num: 1000, den: 10_000 },
  })
})

describe('steady rate', () => {
  test.each([
    ['even', { r_frame_rate: '25/1' }, { num: 25, den: 1 }],
    [
      'a last frame that stays longer',
      { r_frame_rate: '30/1', avg_frame_rate: '3000/101' },
      { num: 30, den: 1 },
    ],
    ['fields counted', { r_frame_rate: '50/1', field_order: 'tt' }, { num: 50, den: 2 }],
    ['frames counted by halves', { r_frame_rate: '25/2', field_order: 'tt' }, { num: 50, den: 2 }],
    ['uneven', { r_frame_rate: '57600/1', avg_frame_rate: '3628800/502589' }, undefined],
    ['no declared rate', { r_frame_rate: '0/0', avg_frame_rate: '0/0' }, undefined],
  ])('%s', (_, rates, rate) => {
    expect(factsOf([{ ...picture, ...rates }])?.video?.steady_rate).toEqual(rate)
  })
})

describe('length', () => {
  test('a stream has its own, else its tag, else that of the container', () => {
    const streams = [
      { ...picture, duration: '1.5' },
      { ...sound, tags: { DURATION: '00:00:01.250000000' } },
      sound,
    ]
    const facts = factsOf(streams)
    expect(facts?.video?.duration_ms).toBe(1500)
    expect(facts?.audio.map(({ duration_ms }) => duration_ms)).toEqual([1250, 2000])
  })

  test('an absurd, negative or missing one is omitted', () => {
    for (const duration of ['9223372036854.775807', '-3', '0', 'N/A', 'nan', undefined]) {
      const answer = ffprobeOutput.parse({ streams: [picture], format: { format_name: 'mov', duration } })
      expect(headerDuration(answer)).toBeUndefined()
    }
  })

  test('a measured one replaces the values of the header', () => {
    const answer = ffprobeOutput.parse({
      streams: [{ ...sound, duration: '9' }],
      format: { format_name: 'aac', duration: '9' },
    })
    const facts = readFacts(answer, { durationMs: 4000 })
    expect([facts?.duration_ms, facts?.audio[0]?.duration_ms]).toEqual([4000, 4000])
  })
})

test.each([
  ['yuv420p', false],
  ['yuva420p', true],
  ['rgba', true],
  ['rgb0', false],
  ['gbrap10le', true],
  ['gbrp', false],
  ['ya8', true],
  ['gray', false],
  ['argb', true],
  ['yuvj444p', false],
  ['pal8', true],
])('transparency of %s: %s', (pix_fmt, alpha) => {
  expect(factsOf([{ ...picture, pix_fmt }])?.video?.alpha).toBe(alpha)
})

test('a cover or a picture without a size is not a video; a file with neither picture nor sound has no facts', () => {
  const cover = { ...picture, disposition: { attached_pic: 1 } }
  expect(factsOf([cover, sound])?.video).toBeNull()
  expect(factsOf([cover, { ...picture, width: 100 }])?.video?.width).toBe(100)
  expect(factsOf([{ ...picture, width: 0 }])).toBeUndefined()
  expect(factsOf([cover, { codec_type: 'subtitle' }, { codec_type: 'data' }, {}])).toBeUndefined()
})

test('languages are tags or null', () => {
  const languages = ['eng', 'pt-BR', 'und', '<script>', ''].map((language) => ({
    codec_type: 'subtitle',
    tags: { language },
  }))
  const facts = factsOf([sound, ...languages])
  expect(facts?.subtitles.map(({ language }) => language)).toEqual(['eng', 'pt-BR', null, null, null])
})

test('any output of ffprobe becomes valid facts, nothing, or an error', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('N/A', '0/0', '1/0', '1e999', '25/1', '99999999999999999999', '-1', '12.5', 'png_pipe'),
  )
  const stream = fc.record(
    {
      codec_type: fc.constantFrom('video', 'audio', 'subtitle', 'data'),
      codec_name: text,
      width: fc.oneof(fc.integer(), fc.double()),
      height: fc.nat(2_000_000),
      sample_aspect_ratio: text,
      avg_frame_rate: text,
      r_frame_rate: text,
      duration: text,
      channels: fc.integer(),
      sample_rate: text,
      tags: fc.dictionary(fc.string(), fc.string()),
      side_data_list: fc.array(fc.record({ rotation: fc.double() })),
    },
    { requiredKeys: ['codec_type'] },
  )
  const format = fc.record({ format_name: text, duration: text, size: text, bit_rate: text })
  fc.assert(
    fc.property(fc.array(stream, { maxLength: 4 }), format, (streams, of) => {
      const answer = ffprobeOutput.safeParse({ streams, format: of })
      const facts = answer.success ? readFacts(answer.data) : undefined
      if (facts) expect(mediaFacts.safeParse(facts).error).toBeUndefined()
    }),
    { numRuns: 500 },
  )
})
