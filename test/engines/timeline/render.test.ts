import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { renderTimeline, type RenderTimelineOptions } from '../../../src/engines/timeline/render.ts'
import { lazy } from '../../../src/platform/cache.ts'
import type { Timeline, TimelineClip } from '../../../src/media/timeline/timeline.ts'
import { fileIdOf, stageFiles } from '../../tasks/run-in-worker.ts'
import { samples } from '../../video-split-screen/media.ts'
import { generateMedia, h264, picture, scratchFolder } from '../ffmpeg/generate-media.ts'

const folder = await scratchFolder()
const path = join(folder, 'noise.mkv')
const level = 0.25

beforeAll(() => {
  // A constant sound shows the gain of a fade.
  const constant = ['-f', 'lavfi', '-i', `aevalsrc=${level}|${level}:s=48000:duration=8`]
  return generateMedia(path, [...picture(8, ',noise=alls=20'), ...constant, ...h264, '-c:a', 'pcm_s16le'])
})

/** Returns a timeline of two ranges of the file, of `seconds` each. */
function twoCuts(seconds: number): Timeline {
  const clip = (from: number, at: number): TimelineClip => ({
    ...{ requestPath: `clips[${at}]`, material: fileIdOf(path), speed: 1, keepPitch: true, volume: 1 },
    source: { from, to: from + seconds },
    track: { from: at, to: at + seconds },
  })
  const clips = [clip(1, 0), clip(4, seconds)]
  const frames = 2 * seconds * 25
  const length = { rate: { num: 25, den: 1 }, seconds: 2 * seconds, frames }
  return { width: 160, height: 90, ...length, picture: clips, sound: [clips] }
}

/** Renders two ranges to a file in a scratch folder of its own. Returns its path and the remaining files. */
async function render(name: string, options: Pick<RenderTimelineOptions, 'crf' | 'fadeMs'>) {
  const scratch = join(folder, name)
  await mkdir(scratch)
  const result = join(scratch, 'result.mp4')
  const percents: number[] = []
  const notes = await renderTimeline(twoCuts(1), {
    ...{ path: result, scratch, files: await stageFiles([path]), threads: 2, ...options },
    signal: new AbortController().signal,
    progress: (percent) => percents.push(percent),
  })
  return { path: result, notes, percents, remaining: await readdir(scratch) }
}

/** Results that tests share: with the default settings, and with others for picture and sound. */
const results = {
  plain: lazy(() => render('plain', {})),
  fine: lazy(() => render('fine', { crf: 14, fadeMs: 0 })),
  coarse: lazy(() => render('coarse', { crf: 30, fadeMs: 40 })),
}

test('a timeline is rendered to a path, and temporary files are removed', async () => {
  const { notes, percents, remaining } = await results.plain()
  expect(notes).toEqual([])
  expect(remaining).toEqual(['result.mp4'])
  expect(Math.max(...percents)).toBeGreaterThan(90)
})

test('temporary files are removed after a failure', async () => {
  const scratch = join(folder, 'stopped')
  await mkdir(scratch)
  const rendering = renderTimeline(twoCuts(1), {
    ...{ path: join(scratch, 'result.mp4'), scratch, files: await stageFiles([path]), threads: 2 },
    signal: AbortSignal.abort(new Error('stopped')),
    progress: () => {},
  })
  await expect(rendering).rejects.toThrow('stopped')
  expect((await readdir(scratch)).filter((name) => name !== 'result.mp4')).toEqual([])
})

test('a range after the end of its file is rejected', async () => {
  const rendering = renderTimeline(twoCuts(20), {
    ...{ path: join(folder, 'late.mp4'), scratch: folder, files: await stageFiles([path]), threads: 2 },
    signal: new AbortController().signal,
    progress: () => {},
  })
  await expect(rendering).rejects.toMatchObject({ code: 6016 })
})

test('a lower rate factor takes more bytes', async () => {
  const sizeOf = async (name: keyof typeof results) => (await stat((await results[name]()).path)).size
  expect(await sizeOf('fine')).toBeGreaterThan(1.5 * (await sizeOf('coarse')))
})

test.each([
  { fadeMs: undefined, name: 'plain', quiet: [0, 6] },
  { fadeMs: 0, name: 'fine', quiet: [0, 0] },
  { fadeMs: 40, name: 'coarse', quiet: [50, 80] },
] as const)(
  'the sound fades for $fadeMs ms on each side of a cut',
  async ({ name, quiet: [least, most] }) => {
    const { path: result } = await results[name]()
    const sound = await samples(result)
    const aroundCut = sound.subarray(48_000 - 4800, 48_000 + 4800)
    const quietMs = aroundCut.filter((value) => Math.abs(value) < 0.8 * level).length / 48
    expect(quietMs).toBeGreaterThanOrEqual(least)
    expect(quietMs).toBeLessThanOrEqual(most)
  },
)
