import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { sampleCases } from '../soak-size.ts'
import { amplitude, counter, ffmpeg, samples, streams } from './media.ts'
import { renderSplit } from './render.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const at = (name: string) => join(folder.path, `${name}.mkv`)

/** Few pictures, because results have at least 720 lines. */
const small = { width: 160, height: 90, seconds: 1.2, rate: '5' }

beforeAll(async () => {
  folder = await temporaryFolder()
  await Promise.all([
    counter(at('silent'), small),
    counter(at('low'), { ...small, hertz: 440 }),
    counter(at('middle'), { ...small, hertz: 1000 }),
    counter(at('high'), { ...small, hertz: 2500 }),
    counter(at('brief'), { ...small, hertz: 700, soundSeconds: 0.5 }),
  ])
})
afterAll(() => folder[Symbol.asyncDispose]())

async function renderSplitSound(names: readonly string[], audio_mode: string, more: object = {}) {
  const rendered = await renderSplit(
    {
      clips: names.map((name) => ({ file_id: at(name), ...more })),
      audio_mode,
      quality: '720p',
      output_ratio: '1:1',
    },
    folder.path,
  )
  const all = await streams(rendered.path)
  const audio = all.find((stream) => stream['codec_type'] === 'audio')
  const video = all.find((stream) => stream['codec_type'] === 'video')
  const sound = audio ? await samples(rendered.path) : new Float32Array()
  // Measures the middle, because the codec fades the ends.
  const level = (hertz: number) => amplitude(sound.subarray(9600, 48_000), hertz)
  return { audio, video, sound, level, all }
}

describe('first', () => {
  it('is the sound of the first clip that has any, at its own level', async () => {
    const { audio, level, all } = await renderSplitSound(['silent', 'low', 'middle'], 'first')
    expect(all).toHaveLength(2)
    expect(audio).toMatchObject({ codec_name: 'aac', sample_rate: '48000', channels: 2 })
    expect(level(440)).toBeGreaterThan(0.45)
    expect(level(440)).toBeLessThan(0.55)
    expect(level(1000)).toBeLessThan(0.005)
  })

  it('is padded with silence up to the end of the picture', async () => {
    const { audio, video, sound } = await renderSplitSound(['brief', 'low'], 'first')
    expect(amplitude(sound.subarray(4800, 21_600), 700)).toBeGreaterThan(0.45)
    expect(amplitude(sound.subarray(28_800, 52_800), 700)).toBeLessThan(0.005)
    expect(Number(audio?.['duration'])).toBeCloseTo(1.2, 2)
    expect(Number(video?.['duration'])).toBeCloseTo(1.2, 3)
    expect(Number(audio?.['duration'])).toBeLessThanOrEqual(Number(video?.['duration']) + 0.001)
  })

  it('starts at the start of the range', async () => {
    const { sound } = await renderSplitSound(['brief', 'brief'], 'first', { begin_time_ms: 310 })
    // The source has 0.5 s of sound and the range starts at 0.31 s, so the result has 0.19 s.
    const last = sound.findLastIndex((sample) => Math.abs(sample) > 0.1)
    expect(last / 48_000).toBeGreaterThan(0.18)
    expect(last / 48_000).toBeLessThan(0.2)
  })
})

describe('mix', () => {
  it('contains every sound, stays below full scale and lasts as long as the shortest clip', async () => {
    const { sound, level, audio } = await renderSplitSound(
      ['low', 'middle', 'silent', 'high', 'brief'],
      'mix',
    )
    for (const hertz of [440, 1000, 2500]) {
      expect(level(hertz)).toBeGreaterThan(0.2)
      expect(level(hertz)).toBeLessThan(0.3)
    }
    expect(amplitude(sound.subarray(4800, 21_600), 700)).toBeGreaterThan(0.2)
    expect(Math.max(...sound.map(Math.abs))).toBeLessThanOrEqual(1)
    expect(Number(audio?.['duration'])).toBeCloseTo(1.2, 2)
  })

  it('does not clip the sum of loud sounds', async () => {
    const { sound, level } = await renderSplitSound(['low', 'low', 'low', 'low', 'low', 'low'], 'mix')
    expect(Math.max(...sound.map(Math.abs))).toBeLessThanOrEqual(0.95)
    expect(level(440)).toBeGreaterThan(0.7)
    // A clipped sine has a strong third harmonic.
    expect(level(1320)).toBeLessThan(0.02)
  })
})

const silentResults = [
  ['mute creates no sound stream', 'mute', ['low', 'middle']],
  ['first creates no sound stream if no clip has sound', 'first', ['silent', 'silent']],
] as const

it.each(sampleCases(silentResults, 1))('%s', async (_, mode, names) => {
  const { all } = await renderSplitSound(names, mode)
  expect(all.map((stream) => stream['codec_type'])).toEqual(['video'])
})

it('is silent where samples are not finite, alone and in a mix', async () => {
  const source = `aevalsrc='0.3*sin(2*PI*1000*t)+if(between(t,0.4,0.6),0/0,0)':s=44100`
  await ffmpeg(
    ...['-i', at('silent'), '-f', 'lavfi', '-i', source, '-t', '1.2', '-map', '0:v', '-map', '1:a'],
    ...['-c:v', 'copy', '-c:a', 'pcm_f32le', at('broken')],
  )
  expect((await samples(at('broken'))).some(Number.isNaN)).toBe(true)
  const modes = [
    ['mix', 0.21],
    ['first', 0.3],
  ] as const
  for (const [mode, expected] of sampleCases(modes, 1)) {
    const { sound, level } = await renderSplitSound(['broken', 'low'], mode)
    expect(sound.every((one) => Math.abs(one) < 1)).toBe(true)
    expect(amplitude(sound.subarray(4800, 16_800), 1000)).toBeCloseTo(expected, 1)
    expect(amplitude(sound.subarray(33_600, 48_000), 1000)).toBeCloseTo(expected, 1)
    expect(amplitude(sound.subarray(21_600, 26_400), 1000)).toBeLessThan(0.01)
    if (mode === 'mix') expect(level(440)).toBeGreaterThan(0.3)
  }
})
