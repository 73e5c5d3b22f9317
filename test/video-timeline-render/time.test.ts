import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scratchFolder } from '../mcp/scratch.ts'
import { seeded } from '../service/kill-rounds.ts'
import { ffmpeg, streams } from '../video-split-screen/media.ts'
import { numbered, numberedVideo, readNumbers, timeOf } from './media.ts'
import { inARow, render, request } from './render.ts'
import type { Cut } from './render.ts'

let folder: Awaited<ReturnType<typeof scratchFolder>>

/**
 * By their number: rates that 30 does not divide, one of them with few key frames, and a variable one. AVI counts
 * time in frames, Matroska in milliseconds.
 */
const sources = [
  { source: 0, seconds: 12, rate: '24000/1001', gop: 12 },
  { source: 1, seconds: 12, rate: '30000/1001', gop: 250 },
  { source: 2, seconds: 12, rate: '25', variable: true },
  { source: 3, seconds: 12, rate: '30' },
  { source: 4, seconds: 6, rate: '25', extension: 'avi' },
  { source: 5, seconds: 6, rate: '24000/1001', extension: 'mkv' },
] as const
const at = (source: number) => {
  const clip = sources[source]
  return join(folder.path, `source-${source}.${clip && 'extension' in clip ? clip.extension : 'mp4'}`)
}
const size = [numbered.width, numbered.height] as const

beforeAll(async () => {
  folder = await scratchFolder()
  await Promise.all(sources.map((clip) => numberedVideo(at(clip.source), clip)))
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Source times of the first and last moment of a frame's own time. */
function shownFrom(source: number, frame: number) {
  const clip = sources[source] ?? sources[0]
  return { from: timeOf(frame, clip), to: timeOf(frame + 1, clip) }
}

/** Holds every frame of a result to the cut that is there and to the moment of the source that it should show. */
async function expectCuts(
  path: string,
  cuts: readonly (Cut & { source: number })[],
  rate: number,
): Promise<void> {
  const shown = await readNumbers(path)
  let start = 0
  for (const [index, { source, from, lasts, speed = 1 }] of cuts.entries()) {
    const first = Math.round(start * rate)
    start += lasts
    for (let frame = first; frame < Math.round(start * rate); frame += 1) {
      const wish = from + ((frame - first) / rate) * speed
      const found = shown[frame]
      const label = `cut ${index}, frame ${frame}: ${wish.toFixed(3)} s of source ${source}`
      expect(found?.source, label).toBe(source)
      const time = shownFrom(source, found?.frame ?? -1)
      // The nearest picture: up to half a frame of the output early, or its own time late.
      expect(time.from, label).toBeLessThanOrEqual(wish + (0.5 / rate) * speed + 0.002)
      expect(time.to, label).toBeGreaterThanOrEqual(wish - (0.5 / rate) * speed - 0.002)
      // Nothing after the cut's own end.
      expect(time.from, label).toBeLessThan(from + lasts * speed + 0.001)
    }
  }
  expect(shown.length).toBe(Math.round(start * rate))
}

it('500 clips of 23.976, 29.97 and a variable rate stay in time to the frame, up to the last', async () => {
  const random = seeded(4)
  const cuts = Array.from({ length: 500 }, (_, index) => {
    const source = index % 3
    const lasts = 0.05 + random() * 0.1
    return { path: at(source), source, from: random() * 11.5, lasts }
  })
  const rendered = await render(request({ size, rate: 30, picture: inARow(cuts) }), folder.path)
  await expectCuts(rendered.path, cuts, 30)
  const total = cuts.reduce((sum, { lasts }) => sum + lasts, 0)
  const [video, audio] = await streams(rendered.path)
  expect(Math.abs(Number(video?.['duration']) - total)).toBeLessThan(1 / 30)
  expect(Math.abs(Number(audio?.['duration']) - total)).toBeLessThan(1 / 30)
  expect(video).toMatchObject({ r_frame_rate: '30/1', avg_frame_rate: '30/1', start_time: '0.000000' })
})

describe('cuts', () => {
  it('that follow each other in one file are exact, decoded in one pass or anew', async () => {
    // Jump cuts with short and long skips, on few and on many key frames.
    for (const source of [0, 1]) {
      const cuts = Array.from({ length: 14 }, (_, index) => ({
        ...{ path: at(source), source },
        ...{ from: 0.137 + index * 0.8 + (index % 3) * 0.05, lasts: 0.4 + (index % 4) * 0.09 },
      }))
      const rendered = await render(request({ size, rate: 30, picture: inARow(cuts) }), folder.path)
      await expectCuts(rendered.path, cuts, 30)
    }
  })

  it('at every speed show the moment they should', async () => {
    const cuts = [
      { source: 3, from: 1, lasts: 1, speed: 0.01 },
      { source: 3, from: 0.5, lasts: 1, speed: 0.25 },
      { source: 0, from: 2, lasts: 1, speed: 1.7 },
      { source: 2, from: 0, lasts: 1.3, speed: 3 },
      { source: 1, from: 0.1, lasts: 1, speed: 8 },
      { source: 3, from: 0, lasts: 0.11, speed: 100 },
      { source: 4, from: 1, lasts: 1, speed: 0.25 },
      { source: 4, from: 0.08, lasts: 1, speed: 1.7 },
      { source: 5, from: 1.3, lasts: 1, speed: 0.4 },
    ].map((cut) => ({ ...cut, path: at(cut.source) }))
    const rendered = await render(request({ size, rate: 24, picture: inARow(cuts) }), folder.path)
    await expectCuts(rendered.path, cuts, 24)
  })

  it('of one frame of big pictures, which are made in the shortest parts', async () => {
    const big = join(folder.path, 'big.mkv')
    const scaled = ['-vf', 'scale=3600:720:flags=neighbor', '-preset', 'ultrafast', '-g', '12']
    await ffmpeg('-i', at(3), '-t', '1', ...scaled, big)
    const cuts = Array.from({ length: 22 }, (_, index) => ({
      ...{ path: big, source: 3, from: (25 - index) / 30, lasts: 1 / 30 },
    }))
    const { path } = await render(request({ size, rate: 30, picture: inARow(cuts) }), folder.path)
    await expectCuts(path, cuts, 30)
    expect((await streams(path))[0]).toMatchObject({ avg_frame_rate: '30/1', start_time: '0.000000' })
  })

  it('in other rates, and longer than the parts in which the picture is made', async () => {
    for (const [rate, source, speed] of [
      [60, 1, 0.5],
      [12, 0, 1],
    ] as const) {
      const cuts = [{ path: at(source), source, from: 0.3, lasts: 11.4 / speed, speed }]
      const rendered = await render(request({ size, rate, picture: inARow(cuts) }), folder.path)
      await expectCuts(rendered.path, cuts, rate)
    }
  })
})

it('holes and gaps are black, a longer duration goes on in black, a shorter one cuts', async () => {
  const cut = { path: at(3), from: 0.5, lasts: 0.5 }
  const gap = { clip_id: '', track_st: 1.6, track_ed: 1.9, duration: 0.3 }
  const timeline = [...inARow([0.2, cut, 0.3, cut]), gap]
  const body = request({ size, rate: 30, duration: 2, picture: inARow([cut]) })
  const video_track = [{ track_index: 0, track_timeline: timeline }]
  const long = await readNumbers((await render({ ...body, video_track } as typeof body, folder.path)).path)
  const lit = (from: number, to: number) => long.slice(from * 30, to * 30).map(({ source }) => source === 3)
  expect(long).toHaveLength(60)
  expect([lit(0, 0.2), lit(0.7, 1), lit(1.5, 2)].flat()).not.toContain(true)
  expect([lit(0.2, 0.7), lit(1, 1.5)].flat()).not.toContain(false)
  const short = { ...body, duration: 0.5, video_track } as typeof body
  expect(await readNumbers((await render(short, folder.path)).path)).toHaveLength(15)
})
