import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lazy } from '../../src/platform/cache.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { ffmpeg, samples } from '../video-split-screen/media.ts'
import { renderSplit } from '../video-split-screen/render.ts'
import { clipAt, consecutiveClips, renderSamples, request } from './render.ts'
import { sampleCases } from '../soak-size.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const at = (name: string) => join(folder.path, name)

const hertz = 440
const level = 0.5
/** Largest step between two samples of the tone, each rounded to 16 bits. */
const maxStep = level * 2 * Math.sin((Math.PI * hertz) / 48_000) + 1 / 32_768

beforeAll(async () => {
  folder = await temporaryFolder()
  const tone = `aevalsrc=${level}*cos(2*PI*${hertz}*t):s=48000`
  await ffmpeg('-f', 'lavfi', '-i', tone, '-t', '10', '-c:a', 'pcm_s16le', at('tone.wav'))
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'color=black:s=160x90:r=5', '-i', at('tone.wav')],
    ...['-t', '10', '-c:v', 'ffv1', '-g', '5', '-c:a', 'pcm_s16le', at('tone.mkv')],
  )
})
afterAll(() => folder[Symbol.asyncDispose]())

function largestStep(sound: Float32Array): number {
  let largest = 0
  for (let index = 1; index < sound.length; index += 1) {
    const step = Math.abs((sound[index] ?? 0) - (sound[index - 1] ?? 0))
    largest = Math.max(largest, step)
  }
  return largest
}

async function timelineSamples(cuts: Parameters<typeof consecutiveClips>[0], start = 0) {
  const sound = [consecutiveClips(cuts, start)]
  return await renderSamples(request({ duration: 2, sound }), folder.path)
}

/** Half a period from any whole second, so that the phase jumps. */
const half = 0.5 / hertz
const tone = { path: '', seconds: 0.5 }

describe('a cut in a timeline', () => {
  const changes: readonly [{ speed?: number; keep_pitch?: boolean; volume?: number }, number][] = [
    [{}, 1],
    [{ speed: 0.8 }, 2],
    [{ volume: 0.5 }, 1],
    [{ speed: 1.5, keep_pitch: true }, 2],
  ]

  /** The cuts with each change, one after the other, 2 s each. */
  const sounds = lazy(async () => {
    const path = at('tone.wav')
    const clips = changes.flatMap(([more], place) =>
      consecutiveClips(
        [
          { ...tone, path, from: 1, ...more },
          { ...tone, path, from: 3 + half, ...more },
          { ...tone, path, from: 2 + half / 2, seconds: 0.01, ...more },
          0.2,
          { ...tone, path, from: 5 + half / 2, ...more },
        ],
        2 * place,
      ),
    )
    return await renderSamples(request({ duration: 2 * changes.length, sound: [clips] }), folder.path)
  })

  it.each(changes)('has no step larger than those of the sound: %o', async (more, factor) => {
    const all = await sounds()
    expect(all.length).toBe(96_000 * changes.length)
    const start = 96_000 * changes.findIndex(([one]) => one === more)
    const sound = all.subarray(start, start + 96_000)
    expect(largestStep(sound)).toBeLessThan(maxStep * (more.speed === undefined ? 1 : factor))
    expect(Math.max(...sound.subarray(9600, 12_000))).toBeGreaterThan(0.2)
  })

  it('fades where the result ends inside a source', async () => {
    const sound = await timelineSamples([{ ...tone, path: at('tone.wav'), from: 1, seconds: 4 }])
    const padded = new Float32Array(sound.length + 1)
    padded.set(sound)
    expect(largestStep(padded)).toBeLessThan(maxStep)
  })

  it('changes nothing where clips continue each other in a source', async () => {
    const path = at('tone.wav')
    // The second half repeats the first with cuts.
    const both = await timelineSamples([
      { path, from: 1, seconds: 0.8 },
      0.2,
      { path, from: 1, seconds: 0.2 },
      { path, from: 1.2, seconds: 0.35 },
      { path, from: 1.55, seconds: 0.25 },
    ])
    const [whole, parts] = [both.subarray(0, 48_000), both.subarray(48_000)]
    expect(parts.length).toBe(whole.length)
    expect(Math.max(...parts.map((one, index) => Math.abs(one - (whole[index] ?? 0))))).toBeLessThan(1e-4)
  })

  it('keeps the start and the end of a source', async () => {
    const path = at('tone.wav')
    const sound = [
      [clipAt(0.5, { path, from: 0, seconds: 0.5 })],
      [clipAt(1.2, { path, from: 9.5, seconds: 0.5 })],
    ]
    const levels = await renderSamples(request({ duration: 2, sound }), folder.path)
    const peak = (from: number) =>
      Math.max(...levels.subarray(from * 48_000, from * 48_000 + 48).map(Math.abs))
    expect(peak(0.5)).toBeGreaterThan(0.35)
    expect(peak(1.699)).toBeGreaterThan(0.35)
    expect(peak(0.999)).toBeLessThan(0.25)
    expect(peak(1.2)).toBeLessThan(0.25)
  })
})

it.each(sampleCases(['mix', 'first'], 1))(
  'ranges of a split screen start and end without a step: %s',
  async (audio_mode) => {
    const clips = [
      { file_id: at('tone.mkv'), begin_time_ms: 1001, end_time_ms: 2000 },
      { file_id: at('tone.mkv'), begin_time_ms: 1001, end_time_ms: 4000 },
    ]
    const rendered = await renderSplit(
      { clips, audio_mode, quality: '720p', output_ratio: '16:9' },
      folder.path,
    )
    const sound = await samples(rendered.path)
    const padded = new Float32Array(sound.length + 2)
    padded.set(sound, 1)
    expect(Math.abs(sound.length - 48_000)).toBeLessThan(1024)
    // AAC adds a tenth to the steps.
    expect(largestStep(padded)).toBeLessThan(1.1 * (audio_mode === 'mix' ? 1.5 : 1) * maxStep)
  },
)
