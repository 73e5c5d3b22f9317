import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { amplitude, ffmpeg, solidColour, samples, sine, streams } from '../video-split-screen/media.ts'
import { renderBeats } from './render.ts'
import { sampleCases } from '../soak-size.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let base: string
let music: string

beforeAll(async () => {
  folder = await temporaryFolder()
  base = await solidColour(
    join(folder.path, 'base.mkv'),
    { width: 64, height: 36, seconds: 1, hertz: 440 },
    'black',
  )
  music = join(folder.path, 'music.wav')
  await ffmpeg('-f', 'lavfi', '-i', sine(1000), '-t', '3', music)
})
afterAll(() => folder[Symbol.asyncDispose]())

const video = { type: 'video', asset: 'base', track_index: 0, start: 0.5 }
const audio = { type: 'audio', asset: 'music', track_index: 0, start: 1, duration: 0.5, volume: 0.1 }

async function sounds(tracks: readonly Readonly<Record<string, unknown>>[]) {
  const rendered = await renderBeats(
    {
      composition: { video_size: { width: 64, height: 36 }, duration: 2, tracks },
      render: { quality: 'draft' },
      assets: { base, music },
    },
    folder.path,
  )
  const kinds = (await streams(rendered.path)).map((stream) => stream['codec_name'])
  if (!kinds.includes('aac')) return { kinds, rendered }
  const sound = await samples(rendered.path)
  const during = (from: number, to: number) => sound.subarray(from * 48_000, to * 48_000)
  return { kinds, rendered, sound, during }
}

it('the base is silent by default, and without sound there is no audio stream', async () => {
  expect((await sounds([video])).kinds).toEqual(['h264'])
})

/** Expects a result of 2 s to be silent before the base and after it. */
function expectSilenceAround(sound: Float32Array = new Float32Array()) {
  expect(sound.length).toBeCloseTo(96_000, -3)
  for (const [from, to] of [
    [4800, 21_600],
    [76_800, 93_600],
  ])
    expect(amplitude(sound.subarray(from, to), 440)).toBeLessThan(0.01)
}

/** An unmuted base, with music and alone. */
const unmuted = {
  async 'both sounds are mixed without clipping, the one of the base at its time'() {
    const { during, sound } = await sounds([{ ...video, muted: false }, audio])
    expectSilenceAround(sound)
    const both = during?.(0.6, 1.4) ?? new Float32Array()
    expect(amplitude(both, 440)).toBeGreaterThan(0.35)
    expect(amplitude(both, 1000)).toBeGreaterThan(0.35)
    expect(Math.max(...(sound ?? []).map(Math.abs))).toBeLessThan(1)
  },
  async 'the sound of an unmuted base plays at its time'() {
    const { during, sound } = await sounds([{ ...video, muted: false }])
    expectSilenceAround(sound)
    expect(amplitude(during?.(0.6, 1.4) ?? new Float32Array(), 440)).toBeCloseTo(0.5, 1)
  },
}

it.each(sampleCases(Object.entries(unmuted), 1))('%s', async (_, check) => await check())

it('the first audio track plays from 0 to the end at its original volume', async () => {
  const { during, rendered } = await sounds([video, audio, { ...audio, track_index: 1, asset: 'base' }])
  for (const [from, to] of [
    [0.1, 0.5],
    [1.5, 1.9],
  ] as const) {
    expect(amplitude(during?.(from, to) ?? new Float32Array(), 1000)).toBeCloseTo(0.5, 1)
    expect(amplitude(during?.(from, to) ?? new Float32Array(), 440)).toBeLessThan(0.01)
  }
  expect(rendered.output.notes).toEqual([
    'tracks[2] is not used, because only the first audio track is',
    'tracks[1] plays from 0 to 2 s unchanged: start, duration, volume do not apply to audio',
    'base.mkv ends at 1.5 s of 2 s; the rest has a black background',
    'base.mkv has 25 frames per second and the result 30: set composition.fps to 25 to show each of its frames once',
  ])
})
