import { readFile } from 'node:fs/promises'
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
  return rendered.path
}

/** Returns a function that measures the middle of a sound, because the codec fades the ends. */
function levelIn(sound: Float32Array, from = 9600, to = 48_000) {
  return (hertz: number) => amplitude(sound.subarray(from, to), hertz)
}

/** Returns the streams of the picture and the sound. */
async function bothStreams(path: string) {
  const all = await streams(path)
  expect(all).toHaveLength(2)
  return ['audio', 'video'].map((type) => all.find((stream) => stream['codec_type'] === type))
}

describe('first', () => {
  it('is the sound of the first clip that has any, at its own level, padded with silence up to the end of the picture', async () => {
    const path = await renderSplitSound(['silent', 'brief', 'low'], 'first')
    const [audio, video] = await bothStreams(path)
    expect(audio).toMatchObject({ codec_name: 'aac', sample_rate: '48000', channels: 2 })
    const sound = await samples(path)
    const level = levelIn(sound, 4800, 21_600)
    expect(level(700)).toBeGreaterThan(0.45)
    expect(level(700)).toBeLessThan(0.55)
    expect(level(440)).toBeLessThan(0.005)
    expect(levelIn(sound, 28_800, 52_800)(700)).toBeLessThan(0.005)
    expect(Number(audio?.['duration'])).toBeCloseTo(1.2, 2)
    expect(Number(video?.['duration'])).toBeCloseTo(1.2, 3)
    expect(Number(audio?.['duration'])).toBeLessThanOrEqual(Number(video?.['duration']) + 0.001)
  })

  it('starts at the start of the range', async () => {
    const sound = await samples(await renderSplitSound(['brief', 'brief'], 'first', { begin_time_ms: 310 }))
    // The source has 0.5 s of sound and the range starts at 0.31 s, so the result has 0.19 s.
    const last = sound.findLastIndex((sample) => Math.abs(sample) > 0.1)
    expect(last / 48_000).toBeGreaterThan(0.18)
    expect(last / 48_000).toBeLessThan(0.2)
  })
})

describe('mix', () => {
  it('contains every sound, stays below full scale and lasts as long as the shortest clip', async () => {
    const path = await renderSplitSound(['low', 'middle', 'silent', 'high', 'brief'], 'mix')
    const [audio] = await bothStreams(path)
    const sound = await samples(path)
    const level = levelIn(sound)
    for (const hertz of [440, 1000, 2500]) {
      expect(level(hertz)).toBeGreaterThan(0.2)
      expect(level(hertz)).toBeLessThan(0.3)
    }
    expect(amplitude(sound.subarray(4800, 21_600), 700)).toBeGreaterThan(0.2)
    expect(Math.max(...sound.map(Math.abs))).toBeLessThanOrEqual(1)
    expect(Number(audio?.['duration'])).toBeCloseTo(1.2, 2)
  })

  it('does not clip the sum of loud sounds', async () => {
    const sound = await samples(await renderSplitSound(['low', 'low', 'low', 'low', 'low', 'low'], 'mix'))
    const level = levelIn(sound)
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
  const all = await streams(await renderSplitSound(names, mode))
  expect(all.map((stream) => stream['codec_type'])).toEqual(['video'])
})

/** Consecutive samples of 32 bits, little-endian, that are not numbers. The sign of 0/0 differs between processors. */
const notNumbers = /(?:..[\xc0-\xff][\x7f\xff]){100}/s

it('is silent where samples are not finite, alone and in a mix', async () => {
  const source = `aevalsrc='0.3*sin(2*PI*1000*t)+if(between(t,0.4,0.6),0/0,0)':s=44100`
  await ffmpeg(
    ...['-i', at('silent'), '-f', 'lavfi', '-i', source, '-t', '1.2', '-map', '0:v', '-map', '1:a'],
    ...['-c:v', 'copy', '-c:a', 'pcm_f32le', at('broken')],
  )
  expect(notNumbers.test(await readFile(at('broken'), 'latin1'))).toBe(true)
  const modes = [
    ['mix', 0.21],
    ['first', 0.3],
  ] as const
  for (const [mode, expected] of sampleCases(modes, 1)) {
    const sound = await samples(await renderSplitSound(['broken', 'low'], mode))
    const level = levelIn(sound)
    expect(sound.every((one) => Math.abs(one) < 1)).toBe(true)
    expect(amplitude(sound.subarray(4800, 16_800), 1000)).toBeCloseTo(expected, 1)
    expect(amplitude(sound.subarray(33_600, 48_000), 1000)).toBeCloseTo(expected, 1)
    expect(amplitude(sound.subarray(21_600, 26_400), 1000)).toBeLessThan(0.01)
    if (mode === 'mix') expect(level(440)).toBeGreaterThan(0.3)
  }
})
