import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { padTo, truePeakLimiter } from '../../src/engines/ffmpeg/sound-filters.ts'
import { lazy } from '../../src/platform/cache.ts'
import { testdata } from '../engines/ffmpeg/generate-media.ts'
import { replaceFfmpeg } from '../engines/ffmpeg/replace-ffmpeg.ts'
import { renderBeats } from '../html-render-simple/render.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { sampleCases } from '../soak-size.ts'
import { ffmpeg, samples, streams } from '../video-split-screen/media.ts'
import { renderSplit } from '../video-split-screen/render.ts'
import { truePeak } from '../video-split-screen/true-peak.ts'
import { clipAt, render, request } from './render.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const at = (name: string) => join(folder.path, name)
const seconds = 2

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
/** At a quarter of the sample rate and a phase of 45 degrees, the wave is 3 dB above its samples. */
const wave = (hertz: number) => `sin(2*PI*${hertz}*t+PI/4)`
const sources = {
  song: `aevalsrc='${song}':s=48000,${mastered}`,
  'pink noise': `anoisesrc=color=pink:r=48000:a=0.9:seed=3,${mastered}`,
  'white noise': 'anoisesrc=color=white:r=48000:a=1:seed=5',
  clicks: `aevalsrc='if(lt(mod(t,0.1),0.0002),1,-0.2*sin(2*PI*3000*t))':s=48000`,
  chord: `aevalsrc='${wave(12_000)}+${wave(6000)}+sin(2*PI*1000*t)':s=48000`,
  full: `aevalsrc='${wave(12_000)}':s=48000`,
  bursts: `aevalsrc='${wave(12_000)}*lt(mod(t,0.25),0.05)+${wave(11_980)}*gt(mod(t,0.4),0.3)':s=48000`,
} as const

const speech = testdata('speech')

beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const names = [...Object.keys(sources), ...(speech ? ['speech'] : [])]

/** Paths of sources that were used, with a black picture. */
const created = new Map<string, Promise<string>>()

/** Creates a source when a test first uses it. Returns its path. */
function loud(name: string): Promise<string> {
  const path = created.get(name) ?? createLoud(name)
  created.set(name, path)
  return path
}

async function createLoud(name: string): Promise<string> {
  const path = at(`${name}.mkv`)
  const sound =
    name === 'speech'
      ? ['-i', join(speech ?? '', 'jfk.flac'), '-af', `aresample=48000,volume=12dB,${mastered}`]
      : ['-f', 'lavfi', '-i', sources[name as keyof typeof sources]]
  const picture = ['-f', 'lavfi', '-i', 'color=black:s=64x36:r=10']
  await ffmpeg(...picture, ...sound, '-t', String(seconds), '-c:v', 'ffv1', '-c:a', 'pcm_f32le', path)
  return path
}

/** Four copies of a source in a timeline. */
async function renderCopies(name: string) {
  const path = await loud(name)
  const sound = [0, 0, 0.013, 0.1].map((start) => [clipAt(start, { path, from: 0, seconds: seconds - 0.2 })])
  return await render(request({ duration: seconds, sound }), folder.path)
}

/** Four copies of a source in a split screen. */
async function renderSplitCopies(name: string) {
  const file_id = await loud(name)
  const clips = Array.from({ length: 4 }, () => ({ file_id }))
  return await renderSplit({ clips, audio_mode: 'mix', quality: '720p' }, folder.path)
}

/** Records the arguments of every run of ffmpeg. With a peak, every measurement returns it. */
async function recordRuns(peak?: string) {
  const log = at(`runs-${peak ?? 'measured'}`)
  await writeFile(log, '')
  const measured = `*ebur128*) echo '[info]     Peak:       ${peak} dBFS' >&2; exit 0;;`
  const script = `echo "$*" >> '${log}'; case "$*" in ${peak === undefined ? '' : measured} esac; exec "$FFMPEG" "$@"`
  const replaced = await replaceFfmpeg(at(`ffmpeg-${peak ?? 'measured'}`), script)
  const runs = async () => (await readFile(log, 'utf8')).trim().split('\n')
  return { runs, [Symbol.dispose]: () => replaced[Symbol.dispose]() }
}

/** A mix that clips between samples, and the runs of ffmpeg that created it. */
const recordedMix = lazy(async () => {
  using recorded = await recordRuns()
  const rendered = await renderMixedTimeline('white noise')
  return { ...rendered, runs: await recorded.runs() }
})

/** Mixes with the expected minimum of the true peak, dBTP. All three operations limit the same way. */
const mixes = [
  [
    'a timeline: two copies of white noise',
    -3,
    () => (process.platform === 'win32' ? renderMixedTimeline('white noise') : recordedMix()),
  ] as const,
  ...names.map((name) => [`a timeline: four copies of ${name}`, -4, () => renderCopies(name)] as const),
  // They clip between samples.
  ...['chord', 'full', 'bursts'].map(
    (name) => [`a timeline: two copies of ${name}`, -3, () => renderMixedTimeline(name)] as const,
  ),
  ...['song', 'white noise'].map(
    (name) => [`a split screen: four copies of ${name}`, -Infinity, () => renderSplitCopies(name)] as const,
  ),
  ['html: base and music', -Infinity, renderMixedHtml] as const,
]

it.each(sampleCases(mixes, 1))(
  'a mix stays at or below -1 dBTP after AAC in %s',
  async (_, least, renderMix) => {
    const { path } = await renderMix()
    const peak = await truePeak(path)
    expect(peak).toBeLessThanOrEqual(-1)
    expect(peak).toBeGreaterThan(least)
  },
)

/** Renders the sound of a base video together with music. */
async function renderMixedHtml() {
  return await renderBeats(
    {
      composition: {
        ...{ video_size: { width: 64, height: 36 }, fps: 10, duration: seconds },
        tracks: [
          { type: 'video', asset: 'base', track_index: 0, start: 0, muted: false },
          { type: 'audio', asset: 'music', track_index: 0, start: 0 },
        ],
      },
      assets: { base: await loud('song'), music: await loud('pink noise') },
    },
    folder.path,
  )
}

/** Renders two copies of a sound in a timeline. */
async function renderMixedTimeline(name: string) {
  const clip = clipAt(0, { path: await loud(name), from: 0, seconds })
  return await render(request({ duration: seconds, sound: [[clip], [clip]] }), folder.path)
}

async function renderMixedSplit() {
  const clip = { file_id: await loud('song'), end_time_ms: 600 }
  return await renderSplit({ clips: [clip, clip], audio_mode: 'mix', quality: '720p' }, folder.path)
}

describe.skipIf(process.platform === 'win32')('a mix that is encoded again', () => {
  it('copies its picture once, stays in time to the sample, and reports progress to the end', async () => {
    const { path, progress, runs } = await recordedMix()
    const encodings = runs.filter((args) => args.includes('-limited.m4a') && !args.includes('ebur128'))
    // The last one is the copy.
    expect(encodings.length).toBeGreaterThan(1)
    expect(encodings.slice(0, -1).every((args) => args.includes('-vn') && !args.includes('faststart'))).toBe(
      true,
    )
    expect(runs.filter((args) => args.includes('-c copy')).length).toBe(1)
    const durations = (await streams(path)).map((stream) => Number(stream['duration']))
    expect(durations).toEqual([seconds, seconds])
    expect(progress.at(-1)).toBe(100)
    expect(progress.some((percent) => percent >= 97 && percent < 100)).toBe(true)
    expect(progress.filter((percent) => percent < 97).length).toBeGreaterThan(0)
    expect(await shiftOfNoise(path)).toBe(0)
  })

  const operations = [
    ['a split screen', renderMixedSplit],
    ['a timeline', () => renderMixedTimeline('song')],
    ['html', renderMixedHtml],
  ] as const

  it.each(sampleCases(operations, 1))(
    'is noted in %s if it is too loud after all attempts',
    async (_, renderMix) => {
      using recorded = await recordRuns('-0.6')
      const { output } = await renderMix()
      expect(output.notes).toEqual([
        'the true peak of the mix is -0.6 dBTP, above the limit of -1 dBTP; use quieter sounds',
      ])
      expect((await recorded.runs()).filter((args) => args.includes('ebur128')).length).toBe(5)
    },
  )
})

it('limiting delays no sound, however often it is repeated', async () => {
  const limited = at('limited-often.wav')
  const filters = [padTo(seconds), ...Array.from({ length: 8 }, () => truePeakLimiter())].join(',')
  await ffmpeg('-i', await loud('white noise'), '-af', filters, '-c:a', 'pcm_f32le', limited)
  expect(await shiftOfNoise(limited)).toBe(0)
})

const noise = lazy(async () => await samples(await loud('white noise')))

/** Returns by how many samples, at most 3000, a sound is later than the white noise, from their correlation. */
async function shiftOfNoise(path: string): Promise<number> {
  const [one, other] = [await samples(path), await noise()]
  let best = { shift: NaN, sum: -Infinity }
  for (let shift = -3000; shift <= 3000; shift += 1) {
    let sum = 0
    // White noise is unlike itself at any other shift, also over a fortieth of a second.
    for (let index = 24_000; index < 25_200; index += 1)
      sum += (one[index + shift] ?? 0) * (other[index] ?? 0)
    if (sum > best.sum) best = { shift, sum }
  }
  return best.shift
}

it('a single sound at its own volume is not limited', async () => {
  const path = await loud('song')
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
