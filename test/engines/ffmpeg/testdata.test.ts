import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkDecodable } from '../../../src/engines/ffmpeg/decodable.ts'
import { probe, probeWithFirstFrame } from '../../../src/engines/ffmpeg/probe.ts'
import { soakSize } from '../../soak-size.ts'
import { videoFolder } from './generate-media.ts'

const folder = videoFolder()

/** What each public file is, as looked at by hand. */
const files: Readonly<Record<string, { video: object | null; audio: number; decodes: boolean }>> = {
  'auto-editor-example.mp4': {
    video: {
      width: 1280,
      height: 720,
      frame_rate: { num: 30, den: 1 },
      duration_ms: 42_400,
      variable_rate: false,
    },
    audio: 1,
    decodes: true,
  },
  'auto-editor-mov_text.mp4': {
    video: { width: 300, height: 200, variable_rate: false },
    audio: 1,
    decodes: true,
  },
  'mediabunny-cursed-vfr.mp4': {
    video: { width: 3026, height: 1386, variable_rate: true, frame_rate: { num: 3_628_800, den: 502_589 } },
    audio: 0,
    decodes: true,
  },
  'mediabunny-multiple-aac-tracks.mp4': { video: null, audio: 2, decodes: false },
  'mediabunny-rotate-buck-bunny.mp4': {
    video: {
      width: 1080,
      height: 1920,
      coded_width: 1920,
      coded_height: 1080,
      rotation: 90,
      duration_ms: 1875,
    },
    audio: 1,
    decodes: true,
  },
  'mediabunny-transparency.webm': {
    video: { width: 1280, height: 720, alpha: true, codec: 'vp9', duration_ms: 9017 },
    audio: 0,
    decodes: true,
  },
  'opendubbing-englishvideo.mp4': { video: { width: 1080, height: 720 }, audio: 1, decodes: true },
  'mp4parse/hevc_white_frame.mp4': {
    video: { width: 640, height: 480, codec: 'hevc' },
    audio: 0,
    decodes: true,
  },
  // Holds the first of many megabytes: a whole table of contents, and no picture.
  'mp4parse/invalid_userdata.mp4': {
    video: { width: 1280, height: 720, duration_ms: 231_231 },
    audio: 1,
    decodes: false,
  },
  // Its display matrix is all zeros.
  'mp4parse/no_timescale.mp4': { video: { width: 320, height: 240, rotation: 0 }, audio: 0, decodes: true },
  'mp4parse/tiny_av1.mp4': { video: { width: 64, height: 64, codec: 'av1' }, audio: 0, decodes: true },
  'mp4parse/video_rotation_90.mp4': {
    video: { width: 60, height: 100, rotation: 90 },
    audio: 0,
    decodes: true,
  },
  'mp4parse/zero_empty_stsc.mp4': { video: { width: 1280, height: 720 }, audio: 1, decodes: false },
}

describe.skipIf(folder === undefined)('public test videos (REELWRIGHT_TESTDATA)', () => {
  const at = (name: string) => join(folder ?? '', name)

  /** Files that `npm test` reads: rotated and damaged ones, and one each of other kinds. */
  const sample = [
    ...['mediabunny-rotate-buck-bunny.mp4', 'mp4parse/video_rotation_90.mp4'],
    ...['mp4parse/invalid_userdata.mp4', 'mp4parse/no_timescale.mp4', 'mp4parse/zero_empty_stsc.mp4'],
    ...['mediabunny-cursed-vfr.mp4', 'mediabunny-transparency.webm'],
    ...['mp4parse/hevc_white_frame.mp4', 'mp4parse/tiny_av1.mp4'],
  ]
  const all = Object.entries(files)

  test.each(
    soakSize(
      all.filter(([name]) => sample.includes(name)),
      all,
    ),
  )('%s', async (name, { video, audio, decodes }) => {
    // One process for both: by each of their own in the long run.
    const { facts, isShown } = await probeWithFirstFrame(at(name))
    expect(isShown).toBe(decodes)
    if (soakSize(false, true)) expect(await probe(at(name))).toEqual(facts)
    if (video === null) expect(facts.video).toBeNull()
    else expect(facts.video).toMatchObject(video)
    expect(facts.audio.length).toBe(audio)
    if (decodes && soakSize(false, true)) await checkDecodable(at(name))
    if (!decodes) await expect(checkDecodable(at(name))).rejects.toMatchObject({ code: 6021 })
  })

  test.each(['mp4parse/chunk_out_of_range.mp4', 'LICENSE.mediabunny'])(
    '%s is not a media file',
    async (name) => {
      await expect(probe(at(name))).rejects.toMatchObject({ code: 6017, retryable: false })
      await expect(checkDecodable(at(name))).rejects.toMatchObject({ code: 6021 })
    },
  )
})
