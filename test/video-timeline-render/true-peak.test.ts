import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import { renderBeats } from '../html-render-simple/render.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { ffmpeg, samples } from '../video-split-screen/media.ts'
import { renderSplit } from '../video-split-screen/render.ts'
import { clipAt, render, request } from './render.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const at = (name: string) => join(folder.path, name)
const seconds = 3

/** Loud material, as lavfi sources or filters of speech. A limiter makes it as dense as a mastered song. */
const mastered = 'acompressor=threshold=0.05:ratio=8:makeup=8,alimiter=limit=0.98:level=0'
const saw = (hertz: number) => `(mod(${hertz}*t,1)-0.5)`
const beat = (from: number, every: number) => `exp(-18*mod(t+${from},${every}))`
const song = [
  `0.3*(${[110, 138.6, 164.8, 220, 277.2].map(saw).join('+')})`,
  `0.9*sin(2*PI*55*t)*${beat(0, 0.5)}`,
  `(2*random(0)-1)*0.6*${beat(0.25, 0.5)}`,
  `(2*random(1)-1)*0.3*${beat(0, 0.125)}`,
].join('+')
const sources = {
  song: `aevalsrc='${song}':s=48000,${mastered}`,
  'pink noise': `anoisesrc=color=pink:r=48000:a=0.9:seed=3,${mastered}`,
  'white noise': 'anoisesrc=color=white:r=48000:a=1:seed=5',
  clicks: `aevalsrc='if(lt(mod(t,0.1),0.0002),1,-0.2*sin(2*PI*3000*t))':s=48000`,
  chord: `aevalsrc='sin(2*PI*12000*t+PI/4)+sin(2*PI*6000*t+PI/4)+sin(2*PI*1000*t)':s=48000`,
} as const

const speech = testdata('speech')

beforeAll(async () => {
  folder = await temporaryFolder()
  const jobs = Object.entries(sources).map(([name, source]) => [
    '-f',
    'lavfi',
    '-i',
    source,
    at(`${name}.mkv`),
  ])
  if (speech)
    jobs.push([
      '-i',
      join(speech, 'jfk.flac'),
      '-af',
      `aresample=48000,volume=12dB,${mastered}`,
      at('speech.mkv'),
    ])
  await Promise.all(
    jobs.map(([...args]) => {
      const path = args.pop() ?? ''
      const picture = ['-f', 'lavfi', '-i', 'color=black:s=64x36:r=25']
      return ffmpeg(...picture, ...args, '-t', String(seconds), '-c:v', 'ffv1', '-c:a', 'pcm_f32le', path)
    }),
  )
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Returns the true peak of a sound, dBTP, as measured by ebur128 (ITU-R BS.1770). */
async function truePeak(path: string): Promise<number> {
  const args = ['-nostats', '-i', path, '-map', '0:a:0', '-af', 'ebur128=peak=true', '-f', 'null', '-']
  const { stderr } = await promisify(execFile)(process.env['REELWRIGHT_FFMPEG'] ?? 'ffmpeg', args, {
    maxBuffer: 2 ** 26,
  })
  const peaks = [...stderr.matchAll(/Peak:\s+(-?[\d.]+|-inf) dBFS/g)].map(([, peak]) => Number(peak))
  return peaks.at(-1) ?? NaN
}

const names = [...Object.keys(sources), ...(speech ? ['speech'] : [])]

describe('a mix stays at or below -1 dBTP after AAC', () => {
  it.each(names)('in a timeline: four copies of %s', async (name) => {
    const sound = [0, 0, 0.013, 0.1].map((start) => [
      clipAt(start, { path: at(`${name}.mkv`), from: 0, seconds: seconds - 0.2 }),
    ])
    const { path } = await render(request({ duration: seconds, sound }), folder.path)
    const peak = await truePeak(path)
    expect(peak).toBeLessThanOrEqual(-1)
    expect(peak).toBeGreaterThan(-4)
  })

  it.each(names)('in a split screen: four copies of %s', async (name) => {
    const clips = Array.from({ length: 4 }, () => ({ file_id: at(`${name}.mkv`) }))
    const { path } = await renderSplit({ clips, audio_mode: 'mix', quality: '720p' }, folder.path)
    const peak = await truePeak(path)
    expect(peak).toBeLessThanOrEqual(-1)
  })

  it('in html: base and music', async () => {
    const { path } = await renderBeats(
      {
        composition: {
          ...{ video_size: { width: 64, height: 36 }, duration: 3 },
          tracks: [
            { type: 'video', asset: 'base', track_index: 0, start: 0, muted: false },
            { type: 'audio', asset: 'music', track_index: 0, start: 0 },
          ],
        },
        assets: { base: at('song.mkv'), music: at('pink noise.mkv') },
      },
      folder.path,
    )
    const peak = await truePeak(path)
    expect(peak).toBeLessThanOrEqual(-1)
  })
})

it('a single sound at its own volume is not limited', async () => {
  const path = at('song.mkv')
  const single = await render(
    request({ duration: seconds, sound: [[clipAt(0, { path, from: 0, seconds })]] }),
    folder.path,
  )
  const encoded = at('encoded.m4a')
  await ffmpeg('-i', path, '-af', 'pan=stereo|c0=c0|c1=c0', '-c:a', 'aac', '-b:a', '192k', encoded)
  const [result, expected] = [await samples(single.path), await samples(encoded)]
  let difference = 0
  for (let index = 4800; index < result.length - 4800; index += 1)
    difference = Math.max(difference, Math.abs((result[index] ?? 0) - (expected[index] ?? 0)))
  expect(difference).toBeLessThan(0.02)
})
