import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { detectText, type DetectTextOptions } from '../../../src/engines/vision/detect-text.ts'
import type { FoundRegion } from '../../../src/media/clean/region.ts'
import { compareWithCaptions } from '../../footage/compare-captions.ts'
import { drawFootage, type Caption, type Footage } from '../../footage/text.ts'
import { generateMedia, scratchFolder, testdata, tone, setRotation } from '../ffmpeg/generate-media.ts'
import { useTestPacks } from './test-packs.ts'

let folder: string
beforeAll(async () => {
  folder = await scratchFolder()
  useTestPacks(join(folder, 'packs'))
})

async function search(path: string, options: Partial<DetectTextOptions> = {}): Promise<FoundRegion[]> {
  return (await detectText(path, await probe(path), { threads: 1, ...options })).regions
}

/** Detection quality required by the design. */
function expectGood(comparison: ReturnType<typeof compareWithCaptions>): void {
  expect(comparison, comparison.missed.join()).toMatchObject({ missed: [], falseRegions: [] })
  expect(Math.max(...comparison.times.map(Math.abs)), comparison.notes.join('\n')).toBeLessThanOrEqual(1)
  expect(comparison.edgesWithin, comparison.notes.join('\n')).toBeGreaterThanOrEqual(0.95)
}

const outlined = { outline: 'black' }
const lines: readonly Caption[] = [
  { text: '你知道他去哪里了吗', size: 30, x: 320, y: 296, first: 12, end: 51, ...outlined },
  { text: 'Do you know where he went?', size: 22, x: 320, y: 334, first: 12, end: 51, ...outlined },
  { text: '明天早上八点见面', size: 30, x: 320, y: 296, first: 51, end: 99, ...outlined },
  { text: 'See you tomorrow, Anna!', size: 22, x: 320, y: 334, first: 51, end: 99, ...outlined },
  { text: 'Not in these shoes', size: 30, x: 320, y: 296, first: 110, end: 137, ...outlined },
]

const everything: Footage = {
  ...{ width: 640, height: 360, fps: 30, frames: 140, background: 'pan' },
  captions: [
    ...lines,
    { text: 'STUDIO SAMPLE', size: 27, x: 500, y: 35, first: 0, end: 140, opacity: 0.35 },
    { text: 'Twenty pixels high, 二十像素', size: 20, x: 160, y: 35, first: 33, end: 93, ...outlined },
    { text: 'Fades in and out', size: 36, x: 200, y: 105, first: 25, end: 105, fade: 15 },
    {
      ...{ text: 'It moves on', size: 27, x: 130, y: 205, first: 41, end: 122 },
      ...{ motion: { x: 3, y: 0 }, ...outlined },
    },
  ],
}

describe.skipIf(testdata('models') === undefined)('text in a video (REELWRIGHT_TESTDATA)', () => {
  it('is detected line by line, from its first to its last frame, at its strokes', async () => {
    const path = join(folder, 'everything.mp4')
    const letterings = await drawFootage(path, everything)
    expectGood(compareWithCaptions(everything, letterings, await search(path, { threads: 2 })))
  })

  it('is recognized as subtitles where lines change in one position, at the highest rate', async () => {
    const size = { width: 320, height: 180 }
    const wide = 'Not in these shoes, which are for the other party'
    const spoken = [
      { text: '你知道他去哪里了吗', size: 15, x: 160, y: 20, first: 31, end: 115, outline: 'black' },
      { text: '明天早上八点见面', size: 15, x: 160, y: 20, first: 115, end: 212, outline: 'black' },
      // Wider than the picture, whose edges cut letters.
      { text: wide, size: 15, x: 160, y: 20, first: 231, end: 309, outline: 'black' },
    ]
    const footage: Footage = {
      ...{ ...size, fps: 120, frames: 324, background: 'pan' },
      captions: [
        ...spoken,
        { text: 'BAKERY', size: 20, x: 240, y: 90, first: 56, end: 196 },
        { text: 'STUDIO SAMPLE', size: 13, x: 160, y: 162, first: 0, end: 324, opacity: 0.5 },
      ],
    }
    const path = join(folder, 'subtitles.mp4')
    const letterings = await drawFootage(path, footage)
    const progress: number[] = []
    const subtitles = await search(path, { subtitles: true, onProgress: (percent) => progress.push(percent) })
    expectGood(compareWithCaptions(footage, letterings.slice(0, spoken.length), subtitles))
    expect(progress.length).toBeGreaterThan(3)
    expect(progress).toEqual(progress.toSorted((one, other) => one - other))
  })

  it('is detected in a rotated picture of variable rate, in an area and time span', async () => {
    const upright: Footage = {
      ...{ width: 180, height: 320, fps: 30, frames: 120, background: 'still' },
      captions: [
        { text: '转过来的', size: 16, x: 90, y: 280, first: 21, end: 88, outline: 'black' },
        { text: 'Above', size: 16, x: 60, y: 50, first: 0, end: 120, outline: 'black' },
      ],
    }
    const path = join(folder, 'upright.mp4')
    // Every third frame is dropped, except around the start and end.
    const kept = 'select=mod(n\\,3)+between(n\\,15\\,27)+between(n\\,82\\,94)'
    const [shown] = await drawFootage(path, upright, [
      ...['-vf', `transpose=cclock,${kept}`, '-fps_mode', 'vfr', '-c:v', 'libx264', '-preset', 'ultrafast'],
      ...['-pix_fmt', 'yuv420p'],
    ])
    const turned = await setRotation(path, 90)
    const { video } = await probe(turned)
    expect(video).toMatchObject({ width: 180, height: 320, rotation: 90, variable_rate: true })
    const regions = await search(turned, { within: [{ x: 0, y: 0.7, w: 1, h: 0.3, start: 0, end: 2 }] })
    expect(regions).toHaveLength(1)
    const [region] = regions
    const frame = (video?.frame_rate.den ?? 0) / (video?.frame_rate.num ?? 1)
    expect(Math.abs((region?.start ?? 0) - 21 / 30)).toBeLessThanOrEqual(1.5 * frame)
    expect(region?.end).toBe(2)
    const ink = shown?.visibleBox ?? { left: 0, top: 0, right: 0, bottom: 0 }
    expect(Math.abs((region?.w ?? 0) * 180 - (ink.right - ink.left))).toBeLessThan(3)
    expect(Math.abs((region?.h ?? 0) * 320 - (ink.bottom - ink.top))).toBeLessThan(3)
  })

  const late: Footage = {
    ...{ width: 320, height: 180, fps: 15, frames: 56, background: 'still' },
    captions: [
      { text: 'Shown in time', size: 16, x: 160, y: 150, first: 0, end: 25, outline: 'black' },
      { text: 'Longer, and late', size: 16, x: 160, y: 150, first: 28, end: 56, outline: 'black' },
    ],
  }

  it('is dropped after the stated end of the video, without counting towards the limit', async () => {
    const path = join(folder, 'late.mp4')
    await drawFootage(path, late)
    const regions = await search(path, { until: 1.5, most: 1 })
    expect(regions.map(({ start, end }) => ({ start, end }))).toEqual([{ start: 0, end: 1.5 }])
  })

  it('is not reported in a video without text, nor in audio', async () => {
    const path = join(folder, 'none.mp4')
    await drawFootage(path, {
      ...{ width: 320, height: 180, fps: 30, frames: 25, background: 'busy', captions: [] },
    })
    expect(await search(path)).toEqual([])
    expect(await search(await generateMedia(join(folder, 'tone.wav'), tone(1)))).toEqual([])
  })

  it('detection stops when aborted', async () => {
    const path = join(folder, 'long.mp4')
    await drawFootage(path, late)
    const controller = new AbortController()
    const found = search(path, {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('enough')),
    })
    await expect(found).rejects.toThrow('enough')
  })
})
