import { mkdir, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { StagedFile } from '../../../src/contract/operation.ts'
import { removeSubtitles, widenRanges } from '../../../src/engines/clean/remove-subtitles.ts'
import { decodeFrames } from '../../../src/engines/ffmpeg/decode-frames.ts'
import { detectText } from '../../../src/engines/vision/detect-text.ts'
import { drawFootage, type Caption, type Footage } from '../../footage/text.ts'
import { stageFiles } from '../../tasks/run-in-worker.ts'
import { scratchFolder, testdata } from '../ffmpeg/generate-media.ts'
import { useTestPacks } from '../vision/test-packs.ts'

const rate = { num: 30, den: 1 }
const spoken = ['Do you know where he went?', 'See you tomorrow, Anna!', 'Nobody called me', 'It rains again']
const captions = spoken.map((text, index): Caption => ({
  ...{ text, size: 18, x: 160, y: 150, outline: 'black' },
  ...{ first: 30 + 120 * index, end: 110 + 120 * index },
}))
const footage: Footage = {
  ...{ width: 320, height: 180, fps: 30, frames: 540, background: 'pan' },
  captions: [...captions, { text: 'BAKERY', size: 20, x: 240, y: 60, first: 0, end: 540 }],
}
/** Its start, with the first two lines. */
const start: Footage = {
  ...{ ...footage, frames: 240 },
  captions: [...captions.slice(0, 2), { text: 'BAKERY', size: 20, x: 240, y: 60, first: 0, end: 240 }],
}
/** The first and the last line, with 6 s between them. */
const ranges = [
  { first: 40, count: 60 },
  { first: 400, count: 60 },
]

let folder: string
let source: StagedFile
let short: StagedFile
beforeAll(async () => {
  if (testdata('models') === undefined) return
  folder = await scratchFolder()
  useTestPacks(join(folder, 'packs'))
  source = await stage('talk.mp4', footage)
  short = await stage('start.mp4', start)
})

async function stage(name: string, drawn: Footage): Promise<StagedFile> {
  const path = join(folder, name)
  await drawFootage(path, drawn)
  return (await stageFiles([path])).get(path.slice(-64))
}

async function remove(
  name: string,
  options: Partial<Parameters<typeof removeSubtitles>[1]> = {},
  from = source,
) {
  const [scratch, steps] = [join(folder, `${name}-scratch`), join(folder, `${name}-steps`)]
  await Promise.all([scratch, steps].map((path) => mkdir(path, { recursive: true })))
  const progress: number[] = []
  const { signal } = new AbortController()
  const result = await removeSubtitles(from, {
    ...{ scratch, steps, threads: 2, signal, progress: (percent) => progress.push(percent) },
    ...options,
  })
  return { result, progress, parts: (await readdir(steps)).filter((file) => file.startsWith('part-')) }
}

/** Luma of a frame. */
async function lumaAt(file: StagedFile, frame: number): Promise<Uint8Array> {
  const { video } = file.facts ?? {}
  if (!video) throw new Error(`${file.name} has no picture`)
  const colour = {
    range: 'tv',
    matrix: undefined,
    transfer: undefined,
    primaries: undefined,
    chroma: undefined,
  }
  const picture = { path: file.path, video, rate, stream: { colour, interlaced: undefined } }
  const { signal } = new AbortController()
  const options = { first: frame, count: 1, threads: 1, signal, timeoutMs: 60_000 }
  for await (const { bytes } of decodeFrames(picture, options)) return bytes.slice(0, 320 * 180)
  throw new Error(`${file.name} has no frame ${frame}`)
}

/** Root of the mean squared difference of rows of two pictures, in levels. */
function difference(one: Uint8Array, other: Uint8Array, [from, to]: readonly [number, number]): number {
  let sum = 0
  for (let at = 320 * from; at < 320 * to; at += 1) sum += ((one[at] ?? 0) - (other[at] ?? 0)) ** 2
  return Math.sqrt(sum / (320 * (to - from)))
}

describe.skipIf(testdata('models') === undefined)('burned-in subtitles (REELWRIGHT_TESTDATA)', () => {
  it('are removed in the given ranges, whose frames keep their times', async () => {
    const { result, progress, parts } = await remove('ranges', { ranges })
    expect(result.regions).toBe(2)
    expect(progress).toEqual(progress.toSorted((one, other) => one - other))
    expect(progress.at(-1)).toBeCloseTo(100)
    // Only the start, the ranges and their margins are coded.
    const frames = parts.map((name) => Number(/^part-\d+-(\d+)-/.exec(name)?.[1]))
    expect(frames.reduce((sum, count) => sum + count, 0)).toBe(130 + 120)
    const { file } = result
    expect(file).toMatchObject({ file_id: source.file_id, name: 'talk.mp4' })
    expect(file.facts?.video).toMatchObject({ frame_rate: rate, variable_rate: false })
    for (const frame of [40, 70, 99, 400, 430, 459]) {
      const [before, after] = [await lumaAt(source, frame), await lumaAt(file, frame)]
      // The background moves, so that a neighbouring frame would differ.
      expect(difference(before, after, [0, 120])).toBeLessThan(3)
      expect(difference(before, await lumaAt(source, frame + 1), [0, 120])).toBeGreaterThan(3)
    }
    if (!file.facts) throw new Error('no facts')
    const within = ranges.map(({ first, count }) => ({
      ...{ x: 0, y: 0.6, w: 1, h: 0.4, start: first / 30, end: (first + count) / 30 },
    }))
    expect((await detectText(file.path, file.facts, { within, threads: 2 })).regions).toEqual([])
  })

  it('are removed in the whole video, and an interrupted attempt is resumed', async () => {
    const controller = new AbortController()
    const ending = new Error('the attempt ends')
    const ended = {
      signal: controller.signal,
      progress(percent: number) {
        if (percent > 60) controller.abort(ending)
      },
    }
    await expect(remove('whole', ended, short)).rejects.toBe(ending)
    const { result, progress } = await remove('whole', {}, short)
    expect(result.regions).toBe(2)
    // The lines were detected, so that the progress starts after it.
    expect(Math.min(...progress)).toBeGreaterThanOrEqual(30)
    const again = await remove('whole', {}, short)
    expect(again.progress.every((percent) => percent >= 30)).toBe(true)
    expect(again.parts.length).toBeGreaterThan(0)
  })

  it('that are not there leave the file unchanged', async () => {
    const { result, parts } = await remove('none', { ranges: [{ first: 510, count: 20 }] })
    expect(result).toEqual({ file: source, regions: 0 })
    expect(parts).toEqual([])
    expect(basename(result.file.path)).toBe('talk.mp4')
  })
})

it('ranges get margins inside of the picture, and are joined over short gaps', () => {
  const picture = { first: 10, count: 990, rate }
  expect(widenRanges([{ first: 12, count: 10 }], picture, 1)).toEqual([{ first: 10, count: 42 }])
  expect(widenRanges([{ first: 990, count: 100 }], picture, 1)).toEqual([{ first: 960, count: 40 }])
  const [far, near] = [
    { first: 500, count: 10 },
    { first: 100, count: 10 },
  ]
  expect(widenRanges([far, near], picture, 1)).toEqual([
    { first: 70, count: 70 },
    { first: 470, count: 70 },
  ])
  expect(widenRanges([near, { first: 230, count: 10 }], picture, 1)).toEqual([{ first: 70, count: 200 }])
  expect(widenRanges([{ first: 2000, count: 5 }], picture, 1)).toEqual([])
})
