import { mkdir, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { StagedFile } from '../../../src/contract/operation.ts'
import { removeSubtitles, widenRanges } from '../../../src/engines/clean/remove-subtitles.ts'
import { decodeFrames } from '../../../src/engines/ffmpeg/decode-frames.ts'
import { detectText } from '../../../src/engines/vision/detect-text.ts'
import { drawFootage, type Caption, type Footage } from '../../footage/text.ts'
import { sampleCases, soakSize } from '../../soak-size.ts'
import { stageFiles } from '../../tasks/run-in-worker.ts'
import { scratchFolder, testdata } from '../ffmpeg/generate-media.ts'
import { useTestPacks } from '../vision/test-packs.ts'

const fps = soakSize(6, 30)
const rate = { num: fps, den: 1 }
const { width, height } = soakSize({ width: 228, height: 128 }, { width: 320, height: 180 })
/** Pixels of a length in a picture of 320 x 180. */
const scaled = (length: number) => Math.round((length * width) / 320)
/** Number of frames in so many seconds. */
const framesOf = (seconds: number) => Math.round(seconds * fps)
const spoken = ['Do you know where he went?', 'See you tomorrow, Anna!', 'Nobody called me']
const captions = spoken.map((text, index): Caption => ({
  ...{ text, size: scaled(18), x: scaled(160), y: scaled(150), outline: 'black' },
  ...{ first: framesOf(1 + 4 * index), end: framesOf(11 / 3 + 4 * index) },
}))
const sign: Omit<Caption, 'end'> = {
  ...{ text: 'BAKERY', size: scaled(20), x: scaled(240), y: scaled(60), first: 0 },
}
const footage: Footage = {
  ...{ width, height, fps, frames: framesOf(13), background: 'pan' },
  captions: [...captions, { ...sign, end: framesOf(13) }],
}
/** Its first two lines, in half the time. */
const start: Footage = {
  ...{ ...footage, frames: framesOf(5) },
  captions: [
    { ...captions[0], first: framesOf(1), end: framesOf(2.5) },
    { ...captions[1], first: framesOf(2.7), end: framesOf(4.2) },
    { ...sign, end: framesOf(5) },
  ] as Caption[],
}
/** A second of the first and of the last line, with 6 s between them. */
const ranges = [
  { first: framesOf(4 / 3), count: framesOf(1) },
  { first: framesOf(28 / 3), count: framesOf(1) },
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

/** Removes subtitles in an attempt that ends after the detection, and in another one, whose result is returned. */
async function removeInTwoAttempts(...[name, options = {}, from = source]: Parameters<typeof remove>) {
  const controller = new AbortController()
  const ending = new Error('the attempt ends')
  const progress = (percent: number) => {
    if (percent > 60) controller.abort(ending)
  }
  const ended = remove(name, { ...options, signal: controller.signal, progress }, from)
  await expect(ended).rejects.toBe(ending)
  const resumed = await remove(name, options, from)
  // The lines were detected, so that the progress starts after it.
  expect(Math.min(...resumed.progress)).toBeGreaterThanOrEqual(30)
  return resumed
}

/** Luma of so many frames from one on. */
async function lumaFrom(file: StagedFile, first: number, count: number): Promise<Uint8Array[]> {
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
  const luma: Uint8Array[] = []
  for await (const { bytes } of decodeFrames(picture, {
    first,
    count,
    threads: 1,
    signal,
    timeoutMs: 60_000,
  }))
    luma.push(bytes.slice(0, width * height))
  expect(luma, file.name).toHaveLength(count)
  return luma
}

/** Root of the mean squared difference of rows of two pictures, in levels. */
function difference(
  one: Uint8Array | undefined,
  other: Uint8Array | undefined,
  [from, to]: readonly [number, number],
): number {
  let sum = 0
  for (let at = width * from; at < width * to; at += 1) sum += ((one?.[at] ?? 0) - (other?.[at] ?? 0)) ** 2
  return Math.sqrt(sum / (width * (to - from)))
}

describe.skipIf(testdata('models') === undefined)('burned-in subtitles (REELWRIGHT_TESTDATA)', () => {
  it('are removed in the given ranges, whose frames keep their times, and an interrupted attempt is resumed', async () => {
    const { result, progress, parts } = await removeInTwoAttempts('ranges', { ranges })
    expect(result.regions).toBe(2)
    expect(progress).toEqual(progress.toSorted((one, other) => one - other))
    expect(progress.at(-1)).toBeCloseTo(100)
    // Only the start, the ranges and their margins are coded.
    const frames = parts.map((name) => Number(/^part-\d+-(\d+)-/.exec(name)?.[1]))
    expect(frames.reduce((sum, count) => sum + count, 0)).toBe(
      framesOf(4 / 3) + framesOf(1) + framesOf(1) + framesOf(1) + framesOf(1) + framesOf(1),
    )
    const again = await remove('ranges', { ranges })
    expect(again.progress.every((percent) => percent >= 30)).toBe(true)
    expect(again.parts).toEqual(parts)
    const { file } = result
    expect(file).toMatchObject({ file_id: source.file_id, name: 'talk.mp4' })
    expect(file.facts?.video).toMatchObject({ frame_rate: rate, variable_rate: false })
    const all = framesOf(31 / 3) + 1
    const compared = ranges.flatMap(({ first, count }) => [first, first + count / 2, first + count - 1])
    const [original, cleaned] = [await lumaFrom(source, 0, all), await lumaFrom(file, 0, all)]
    for (const frame of compared) {
      const [before, next, after] = [original[frame], original[frame + 1], cleaned[frame]]
      // The background moves, so that a neighbouring frame would differ.
      expect(difference(before, after, [0, scaled(120)])).toBeLessThan(3)
      expect(difference(before, next, [0, scaled(120)])).toBeGreaterThan(3)
    }
    if (!file.facts) throw new Error('no facts')
    const within = ranges.map(({ first, count }) => ({
      ...{ x: 0, y: 0.6, w: 1, h: 0.4, start: first / fps, end: (first + count) / fps },
    }))
    expect((await detectText(file.path, file.facts, { within, threads: 1 })).regions).toEqual([])
  })

  const others: readonly (readonly [string, () => Promise<void>])[] = [
    [
      'that are not there leave the file unchanged',
      async () => {
        const none = [{ first: 0, count: framesOf(2 / 3) }]
        const { result, parts } = await remove('none', { ranges: none, threads: 1 }, short)
        expect(result).toEqual({ file: short, regions: 0 })
        expect(parts).toEqual([])
        expect(basename(result.file.path)).toBe('start.mp4')
      },
    ],
    [
      'are removed in the whole video',
      async () => {
        const { result } = await removeInTwoAttempts('whole', {}, short)
        expect(result.regions).toBe(2)
      },
    ],
  ]
  it.each(sampleCases(others, 1))('%s', async (_, expectResult) => {
    await expect(expectResult()).resolves.toBeUndefined()
  })
})

it('ranges get margins inside of the picture, and are joined over short gaps', () => {
  const picture = { first: 10, count: 990, rate: { num: 30, den: 1 } }
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
