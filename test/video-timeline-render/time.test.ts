import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { seeded } from '../service/kill-rounds.ts'
import { ffmpeg, streams } from '../video-split-screen/media.ts'
import { numberedSize, numberedVideo, readNumbers, frameStartTime } from './media.ts'
import { consecutiveClips, render, request } from './render.ts'
import type { Cut } from './render.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

/**
 * By their number: rates that 30 does not divide, one of them with few key frames, and a variable one. AVI counts
 * time in frames, Matroska and FLV in milliseconds.
 */
const sources = [
  { source: 0, seconds: 12, rate: '24000/1001', gop: 12 },
  { source: 1, seconds: 12, rate: '30000/1001', gop: 250 },
  { source: 2, seconds: 12, rate: '25', variable: true },
  { source: 3, seconds: 12, rate: '30' },
  { source: 4, seconds: 6, rate: '25', extension: 'avi' },
  { source: 5, seconds: 6, rate: '24000/1001', extension: 'mkv' },
  { source: 6, seconds: 6, rate: '60', extension: 'mkv' },
  { source: 7, seconds: 6, rate: '30000/1001', extension: 'flv' },
] as const
const at = (source: number) => {
  const clip = sources[source]
  return join(folder.path, `source-${source}.${clip && 'extension' in clip ? clip.extension : 'mp4'}`)
}
const size = [numberedSize.width, numberedSize.height] as const

beforeAll(async () => {
  folder = await temporaryFolder()
  await Promise.all(sources.map((clip) => numberedVideo(at(clip.source), clip)))
})
afterAll(() => folder[Symbol.asyncDispose]())

/** The picture of a source that is showing at a moment of it. */
function pictureAt(source: number, moment: number): number {
  const clip = sources[source] ?? sources[0]
  let frame = 0
  while (frameStartTime(frame + 1, clip) <= moment) frame += 1
  return frame
}

/** Files and callers tell times in milliseconds. */
const rounding = 0.001

/**
 * Holds every frame of a result to the cut that is there and to the picture of the source that shows in the middle
 * of the frame's time, or before the cut's end; where a picture begins just then, to it or the one before.
 */
async function expectCuts(
  path: string,
  cuts: readonly (Cut & { source: number })[],
  rate: number,
): Promise<{ source: number; frame: number }[]> {
  const shown = await readNumbers(path)
  let start = 0
  for (const [index, { source, from, lasts, speed = 1 }] of cuts.entries()) {
    const first = Math.round(start * rate)
    const last = Math.max(from + rounding, from + lasts * speed - rounding)
    start += lasts
    for (let frame = first; frame < Math.round(start * rate); frame += 1) {
      const middle = from + ((frame - first + 0.5) / rate) * speed
      const [early, late] = [middle - 2 * rounding, middle + 2 * rounding].map((moment) =>
        pictureAt(source, Math.min(moment, last)),
      )
      const found = shown[frame]
      const label = `cut ${index}, frame ${frame}: ${middle.toFixed(3)} s of source ${source}`
      expect(found?.source, label).toBe(source)
      expect(found?.frame, label).toBeGreaterThanOrEqual(early ?? 0)
      expect(found?.frame, label).toBeLessThanOrEqual(late ?? 0)
    }
  }
  expect(shown.length).toBe(Math.round(start * rate))
  return shown
}

it('500 clips of 23.976, 29.97 and a variable rate stay in time to the frame, up to the last', async () => {
  const random = seeded(4)
  const cuts = Array.from({ length: 500 }, (_, index) => {
    const source = index % 3
    const lasts = 0.05 + random() * 0.1
    return { path: at(source), source, from: random() * 11.5, lasts }
  })
  const rendered = await render(request({ size, rate: 30, picture: consecutiveClips(cuts) }), folder.path)
  await expectCuts(rendered.path, cuts, 30)
  const total = cuts.reduce((sum, { lasts }) => sum + lasts, 0)
  const [video, audio] = await streams(rendered.path)
  expect(Math.abs(Number(video?.['duration']) - total)).toBeLessThan(1 / 30)
  expect(Math.abs(Number(audio?.['duration']) - total)).toBeLessThan(1 / 30)
  expect(video).toMatchObject({ r_frame_rate: '30/1', avg_frame_rate: '30/1', start_time: '0.000000' })
  expect(audio).toMatchObject({ start_time: '0.000000' })
  // Joined from parts, each of which reports its progress.
  const bytes = await readFile(rendered.path)
  expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
  expect(rendered.progress.length).toBeGreaterThan(4)
  expect(rendered.progress).toEqual(rendered.progress.toSorted((one, other) => one - other))
})

describe('cuts', () => {
  it('that follow each other in one file are exact, decoded in one pass or anew', async () => {
    // Jump cuts with short and long skips, on few and on many key frames.
    for (const source of [0, 1]) {
      const cuts = Array.from({ length: 14 }, (_, index) => ({
        ...{ path: at(source), source },
        ...{ from: 0.137 + index * 0.8 + (index % 3) * 0.05, lasts: 0.4 + (index % 4) * 0.09 },
      }))
      const rendered = await render(request({ size, rate: 30, picture: consecutiveClips(cuts) }), folder.path)
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
      { source: 4, from: 0.393, lasts: 1, speed: 1 },
      { source: 7, from: 0.393, lasts: 1, speed: 1 },
      { source: 5, from: 1.3, lasts: 1, speed: 0.4 },
    ].map((cut) => ({ ...cut, path: at(cut.source) }))
    const rendered = await render(request({ size, rate: 24, picture: consecutiveClips(cuts) }), folder.path)
    await expectCuts(rendered.path, cuts, 24)
  })

  it('between pictures are between these in every container, also where its times or ours are rounded', async () => {
    const cuts = [0, 4, 5, 6, 7].flatMap((source) =>
      // The slowest, where a millisecond is three frames, where times are rounded.
      (source === 5 ? [1, 0.25, 1.7, 0.01] : [1, 0.25, 1.7]).map((speed, index) => {
        const clip = sources[source] ?? sources[0]
        const [first, end] = [31 + index, speed === 0.01 ? 32 + index : 40 + index]
        const [from, to] = [first, end].map((frame) => Math.round(frameStartTime(frame, clip) * 1000) / 1000)
        const lasts = ((to ?? 0) - (from ?? 0)) / speed
        return { path: at(source), source, from: from ?? 0, lasts, speed, first, end }
      }),
    )
    const { path } = await render(request({ size, rate: 30, picture: consecutiveClips(cuts) }), folder.path)
    const shown = await expectCuts(path, cuts, 30)
    let start = 0
    for (const { first, end, lasts, source, speed } of cuts) {
      const frames = shown.slice(Math.round(start * 30), Math.round((start + lasts) * 30))
      start += lasts
      // The second or third picture of a fast one is in the middle of the first frame.
      if (speed <= 1) expect(frames[0], `source ${source}`).toEqual({ source, frame: first })
      else expect(frames[0]?.frame, `source ${source}`).toBeGreaterThanOrEqual(first)
      expect(Math.max(...frames.map(({ frame }) => frame)), `source ${source}`).toBeLessThan(end)
    }
  })

  it('of twice the rate take every other picture, evenly', async () => {
    const cuts = [10, 35].map((first) => ({
      ...{ path: at(6), source: 6, from: Math.round((first / 60) * 1000) / 1000, lasts: 2 },
    }))
    const { path } = await render(request({ size, rate: 30, picture: consecutiveClips(cuts) }), folder.path)
    const shown = (await readNumbers(path)).map(({ frame }) => frame)
    expect(shown).toEqual(
      [10, 35].flatMap((first) => Array.from({ length: 60 }, (_, index) => first + 2 * index)),
    )
  })

  it('after which a picture stood for long show that picture, opened anew or decoded on', async () => {
    const still = join(folder.path, 'still.mkv')
    // There are no pictures from 1 s to 3 s, although the header states an even rate.
    const late = "setpts='if(gte(N,26),N+50,N)/25/TB'"
    await ffmpeg('-t', '2.4', '-i', at(3), '-vf', `fps=25,settb=1/1000,${late}`, '-vsync', 'vfr', still)
    const short = [0.2, 2, 2.5, 3.4].map((from) => ({ path: still, from, lasts: 0.2 }))
    // One that ends before the next picture, and one that ends as it comes.
    const long = [1.5, 1.74].map((lasts) => ({ path: still, from: 1.3, lasts }))
    const cuts = [...short, ...long]
    const { path } = await render(request({ size, rate: 25, picture: consecutiveClips(cuts) }), folder.path)
    const shown = (await readNumbers(path)).map(({ frame }) => frame)
    expect(new Set(shown.slice(5, 15)).size).toBe(1)
    expect(shown[0]).toBeLessThan(shown[5] ?? 0)
    expect(shown[5]).toBeLessThan(shown[15] ?? 0)
    expect(shown).toHaveLength(101)
    expect(new Set(shown.slice(20))).toEqual(new Set([shown[5]]))
  })

  it('of one frame and two of big pictures of several files, which are decoded before they are encoded', async () => {
    const scaled = ['-t', '1', '-vf', 'scale=3600:720:flags=neighbor', '-preset', 'ultrafast', '-g', '12']
    const big = (source: number) => join(folder.path, `big-${source}.mkv`)
    await Promise.all([0, 1, 3].map((source) => ffmpeg('-i', at(source), ...scaled, big(source))))
    // Before longer ones, between them and after the last.
    const frames = [1, 1, 2, 12, 2, 1, 1, 10, 2, 2, 1, 1, 1, 1, 1, 2, 5, 1, 2]
    const cuts = frames.map((count, index) => {
      const source = [3, 0, 1][index % 3] ?? 0
      return { path: big(source), source, from: ((index * 7) % 15) / 25 + 0.01, lasts: count / 30 }
    })
    const { path } = await render(request({ size, rate: 30, picture: consecutiveClips(cuts) }), folder.path)
    await expectCuts(path, cuts, 30)
    expect((await streams(path))[0]).toMatchObject({ avg_frame_rate: '30/1', start_time: '0.000000' })
    const left = (await readdir(dirname(path))).filter((name) => name.endsWith('.yuv'))
    expect(left, 'raw frames that are still there').toEqual([])
  })

  it('in other rates, and longer than the parts in which the picture is made', async () => {
    for (const [rate, source, speed] of [
      [60, 1, 0.5],
      [12, 0, 1],
    ] as const) {
      const cuts = [{ path: at(source), source, from: 0.3, lasts: 11.4 / speed, speed }]
      const rendered = await render(request({ size, rate, picture: consecutiveClips(cuts) }), folder.path)
      await expectCuts(rendered.path, cuts, rate)
    }
  })
})

it('holes and gaps are black, a longer duration continues in black, a shorter one cuts', async () => {
  const cut = { path: at(3), from: 0.5, lasts: 0.5 }
  const gap = { clip_id: '', track_st: 1.6, track_ed: 1.9, duration: 0.3 }
  const timeline = [...consecutiveClips([0.2, cut, 0.3, cut]), gap]
  const body = request({ size, rate: 30, duration: 2, picture: consecutiveClips([cut]) })
  const video_track = [{ track_index: 0, track_timeline: timeline }]
  const long = await readNumbers((await render({ ...body, video_track } as typeof body, folder.path)).path)
  const lit = (from: number, to: number) => long.slice(from * 30, to * 30).map(({ source }) => source === 3)
  expect(long).toHaveLength(60)
  expect([lit(0, 0.2), lit(0.7, 1), lit(1.5, 2)].flat()).not.toContain(true)
  expect([lit(0.2, 0.7), lit(1, 1.5)].flat()).not.toContain(false)
  const short = { ...body, duration: 0.5, video_track } as typeof body
  expect(await readNumbers((await render(short, folder.path)).path)).toHaveLength(15)
})
