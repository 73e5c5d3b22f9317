import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { probe } from '../../../src/engines/ffmpeg/probe.ts'
import { findText, type TextSearch } from '../../../src/engines/vision/find-text.ts'
import type { FoundRegion } from '../../../src/media/clean/region.ts'
import { judge } from '../../footage/judge-text.ts'
import { drawFootage, type Caption, type Footage } from '../../footage/text.ts'
import { make, scratchFolder, testdata, tone, turn } from '../ffmpeg/made.ts'
import { packsFrom } from './packs.ts'

let folder: string
beforeAll(async () => {
  folder = await scratchFolder()
  packsFrom(join(folder, 'packs'))
})

async function search(path: string, given: Partial<TextSearch> = {}): Promise<FoundRegion[]> {
  return await findText(path, await probe(path), { threads: 2, ...given })
}

/** What the design promises of detection. */
function expectGood(verdict: ReturnType<typeof judge>): void {
  expect(verdict, verdict.missed.join()).toMatchObject({ missed: [], wrong: [] })
  expect(Math.max(...verdict.times.map(Math.abs)), verdict.notes.join('\n')).toBeLessThanOrEqual(1)
  expect(verdict.edgesWithin, verdict.notes.join('\n')).toBeGreaterThanOrEqual(0.95)
}

const lines: readonly Caption[] = [
  { text: '你知道他去哪里了吗', size: 40, x: 640, y: 610, first: 12, end: 71, outline: 'black' },
  { text: 'Do you know where he went?', size: 28, x: 640, y: 662, first: 12, end: 71, outline: 'black' },
  { text: '明天早上八点见面', size: 40, x: 640, y: 610, first: 71, end: 139, outline: 'black' },
  { text: 'See you tomorrow, Anna!', size: 28, x: 640, y: 662, first: 71, end: 139, outline: 'black' },
  { text: 'Not in these shoes', size: 40, x: 640, y: 610, first: 150, end: 187, outline: 'black' },
]

const everything: Footage = {
  ...{ width: 1280, height: 720, fps: 30, frames: 190, background: 'pan' },
  captions: [
    ...lines,
    { text: 'STUDIO SAMPLE', size: 36, x: 1080, y: 60, first: 0, end: 190, opacity: 0.35 },
    { text: 'Twenty pixels high, 二十像素', size: 20, x: 300, y: 60, first: 33, end: 118, outline: 'black' },
    { text: 'Fades in and out', size: 48, x: 400, y: 200, first: 25, end: 131, fade: 15 },
    {
      text: 'It moves on',
      size: 36,
      x: 300,
      y: 400,
      first: 41,
      end: 160,
      motion: { x: 4, y: 0 },
      outline: 'black',
    },
  ],
}

describe.skipIf(testdata('models') === undefined)('text in a video (REELWRIGHT_TESTDATA)', () => {
  it('is found line by line, from its first frame to its last, where its ink is', async () => {
    const path = join(folder, 'everything.mp4')
    const letterings = await drawFootage(path, everything)
    expectGood(judge(everything, letterings, await search(path)))
  })

  it('is found as subtitles where lines change at one place, wherever that is', async () => {
    const size = { width: 640, height: 360 }
    const spoken = [
      { text: '你知道他去哪里了吗', size: 26, x: 320, y: 40, first: 6, end: 41, outline: 'black' },
      { text: '明天早上八点见面', size: 26, x: 320, y: 40, first: 41, end: 80, outline: 'black' },
      { text: 'Not in these shoes', size: 26, x: 320, y: 40, first: 84, end: 110, outline: 'black' },
    ]
    const footage: Footage = {
      ...{ ...size, fps: 25, frames: 115, background: 'pan' },
      captions: [
        ...spoken,
        { text: 'BAKERY', size: 36, x: 480, y: 180, first: 20, end: 70 },
        { text: 'STUDIO SAMPLE', size: 20, x: 320, y: 330, first: 0, end: 115, opacity: 0.5 },
      ],
    }
    const path = join(folder, 'subtitles.mp4')
    const letterings = await drawFootage(path, footage)
    const told: number[] = []
    const subtitles = await search(path, { subtitles: true, onProgress: (percent) => told.push(percent) })
    expectGood(judge(footage, letterings.slice(0, spoken.length), subtitles))
    expect(told.length).toBeGreaterThan(3)
    expect(told).toEqual(told.toSorted((one, other) => one - other))
  })

  it('is found in a picture that is turned for display, at a rate that varies, in an area over time', async () => {
    const upright: Footage = {
      ...{ width: 360, height: 640, fps: 30, frames: 120, background: 'still' },
      captions: [
        { text: '转过来的', size: 32, x: 180, y: 560, first: 21, end: 88, outline: 'black' },
        { text: 'Above', size: 32, x: 120, y: 100, first: 0, end: 120, outline: 'black' },
      ],
    }
    const path = join(folder, 'upright.mp4')
    // Every third frame is left out but around the ends.
    const kept = 'select=mod(n\\,3)+between(n\\,15\\,27)+between(n\\,82\\,94)'
    const [shown] = await drawFootage(path, upright, [
      ...['-vf', `transpose=cclock,${kept}`, '-fps_mode', 'vfr', '-c:v', 'libx264', '-preset', 'ultrafast'],
      ...['-pix_fmt', 'yuv420p'],
    ])
    const turned = await turn(path, 90)
    const { video } = await probe(turned)
    expect(video).toMatchObject({ width: 360, height: 640, rotation: 90, variable_rate: true })
    const regions = await search(turned, { within: [{ x: 0, y: 0.7, w: 1, h: 0.3, start: 0, end: 2 }] })
    expect(regions).toHaveLength(1)
    const [region] = regions
    const frame = (video?.frame_rate.den ?? 0) / (video?.frame_rate.num ?? 1)
    expect(Math.abs((region?.start ?? 0) - 21 / 30)).toBeLessThanOrEqual(1.5 * frame)
    expect(region?.end).toBe(2)
    const ink = shown?.ink ?? { left: 0, top: 0, right: 0, bottom: 0 }
    expect(Math.abs((region?.w ?? 0) * 360 - (ink.right - ink.left))).toBeLessThan(6)
    expect(Math.abs((region?.h ?? 0) * 640 - (ink.bottom - ink.top))).toBeLessThan(6)
  })

  it('is none where there is none, and in sound', async () => {
    const path = join(folder, 'none.mp4')
    await drawFootage(path, {
      ...{ width: 640, height: 360, fps: 30, frames: 50, background: 'busy', captions: [] },
    })
    expect(await search(path)).toEqual([])
    expect(await search(await make(join(folder, 'tone.wav'), tone(1)))).toEqual([])
  })

  it('is looked for no longer once that is given up', async () => {
    const path = await make(join(folder, 'long.mp4'), [
      ...[
        '-f',
        'lavfi',
        '-i',
        'color=size=320x180:rate=25:duration=20',
        '-c:v',
        'libx264',
        '-preset',
        'ultrafast',
      ],
    ])
    const given = new AbortController()
    const found = search(path, { signal: given.signal, onProgress: () => given.abort(new Error('enough')) })
    await expect(found).rejects.toThrow('enough')
  })
})
