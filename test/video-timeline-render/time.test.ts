import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { seededRandom } from '../service/kill-rounds.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { ffmpeg, streams } from '../video-split-screen/media.ts'
import { numberedSize, numberedVideo, readNumbers, frameStartTime } from './media.ts'
import { type Cut, consecutiveClips, render, request } from './render.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

/**
 * Numbered source videos: rates that do not divide 30, one of them with few key frames, and a variable rate. The time
 * base is a frame in AVI, and a millisecond in Matroska and FLV.
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

/** Returns the number of the picture that a source shows at a time, seconds. */
function pictureAt(source: number, time: number): number {
  const clip = sources[source] ?? sources[0]
  let frame = 0
  while (frameStartTime(frame + 1, clip) <= time) frame += 1
  return frame
}

/** Resolution of the times of files and callers, seconds. */
const timeResolution = 0.001

/**
 * Checks that every frame of a result shows the source of its cut, and the picture that the source shows at the middle
 * of the frame or before the end of the cut. If a picture starts at that time, the previous one is accepted too.
 * Returns the source and picture number of every frame.
 */
async function expectCuts(
  path: string,
  cuts: readonly (Cut & { source: number })[],
  rate: number,
): Promise<{ source: number; frame: number }[]> {
  const shown = await readNumbers(path)
  let start = 0
  for (const [index, { source, from, seconds, speed = 1 }] of cuts.entries()) {
    const first = Math.round(start * rate)
    const last = Math.max(from + timeResolution, from + seconds * speed - timeResolution)
    start += seconds
    for (let frame = first; frame < Math.round(start * rate); frame += 1) {
      const middle = from + ((frame - first + 0.5) / rate) * speed
      const [early, late] = [middle - 2 * timeResolution, middle + 2 * timeResolution].map((time) =>
        pictureAt(source, Math.min(time, last)),
      )
      const actual = shown[frame]
      const label = `cut ${index}, frame ${frame}: ${middle.toFixed(3)} s of source ${source}`
      expect(actual?.source, label).toBe(source)
      expect(actual?.frame, label).toBeGreaterThanOrEqual(early ?? 0)
      expect(actual?.frame, label).toBeLessThanOrEqual(late ?? 0)
    }
  }
  expect(shown.length).toBe(Math.round(start * rate))
  return shown
}

const clipCount = soakSize(100, 500)

it(`renders ${clipCount} clips of 23.976, 29.97 and a variable rate with the exact frames, up to the last, through one file by decoding it or opening it again`, async () => {
  const random = seededRandom(4)
  // Jump cuts with short and long gaps, with few and with many key frames.
  const jumpCuts = [0, 1].flatMap((source) =>
    Array.from({ length: soakSize(7, 14) }, (_, index) => ({
      ...{ path: at(source), source },
      ...{ from: 0.137 + index * 0.8 + (index % 3) * 0.05, seconds: 0.4 + (index % 4) * 0.09 },
    })),
  )
  const clips = Array.from({ length: clipCount - jumpCuts.length }, (_, index) => {
    const source = index % 3
    const seconds = 0.05 + random() * 0.1
    return { path: at(source), source, from: random() * 11.5, seconds }
  })
  const cuts = [...jumpCuts, ...clips]
  const rendered = await render(request({ size, rate: 30, picture: consecutiveClips(cuts) }), folder.path)
  await expectCuts(rendered.path, cuts, 30)
  const total = cuts.reduce((sum, { seconds }) => sum + seconds, 0)
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
  /** Cuts of other rates and speeds. */
  const speeds = {
    async 'at the boundary of two pictures separate them in every container, despite rounded times'() {
      const cuts = [0, 4, 5, 6, 7].flatMap((source) =>
        // The lowest speed, at which a millisecond lasts three frames, for a container with rounded times.
        sampleCases(source === 5 ? [1, 0.25, 1.7, 0.01] : [1, 0.25, 1.7]).map((speed, index) => {
          const clip = sources[source] ?? sources[0]
          const [first, end] = [31 + index, speed === 0.01 ? 32 + index : 40 + index]
          const [from, to] = [first, end].map(
            (frame) => Math.round(frameStartTime(frame, clip) * 1000) / 1000,
          )
          const seconds = ((to ?? 0) - (from ?? 0)) / speed
          return { path: at(source), source, from: from ?? 0, seconds, speed, first, end }
        }),
      )
      const { path } = await render(request({ size, rate: 30, picture: consecutiveClips(cuts) }), folder.path)
      const shown = await expectCuts(path, cuts, 30)
      let start = 0
      for (const { first, end, seconds, source, speed } of cuts) {
        const frames = shown.slice(Math.round(start * 30), Math.round((start + seconds) * 30))
        start += seconds
        // At a high speed, the second or third picture is at the middle of the first frame.
        if (speed <= 1) expect(frames[0], `source ${source}`).toEqual({ source, frame: first })
        else expect(frames[0]?.frame, `source ${source}`).toBeGreaterThanOrEqual(first)
        expect(Math.max(...frames.map(({ frame }) => frame)), `source ${source}`).toBeLessThan(end)
      }
    },
    async 'of twice the output rate show every second picture'() {
      const cuts = [10, 35].map((first) => ({
        ...{ path: at(6), source: 6, from: Math.round((first / 60) * 1000) / 1000, seconds: 2 },
      }))
      const { path } = await render(request({ size, rate: 30, picture: consecutiveClips(cuts) }), folder.path)
      const shown = (await readNumbers(path)).map(({ frame }) => frame)
      expect(shown).toEqual(
        [10, 35].flatMap((first) => Array.from({ length: 60 }, (_, index) => first + 2 * index)),
      )
    },
    async 'are exact at other rates, and if longer than a part'() {
      const rates = [
        [12, 0, 1],
        [60, 1, 0.5],
      ] as const
      for (const [rate, source, speed] of sampleCases(rates, 1)) {
        const cuts = [{ path: at(source), source, from: 0.3, seconds: 5.7 / speed, speed }]
        const rendered = await render(request({ size, rate, picture: consecutiveClips(cuts) }), folder.path)
        await expectCuts(rendered.path, cuts, rate)
      }
    },
    async 'show the exact frames at speeds from 0.01 to 100'() {
      const all = [
        { source: 3, from: 1, seconds: 1, speed: 0.01 },
        { source: 3, from: 0.5, seconds: 1, speed: 0.25 },
        { source: 0, from: 2, seconds: 1, speed: 1.7 },
        { source: 2, from: 0, seconds: 1.3, speed: 3 },
        { source: 1, from: 0.1, seconds: 1, speed: 8 },
        { source: 3, from: 0, seconds: 0.11, speed: 100 },
        { source: 4, from: 1, seconds: 1, speed: 0.25 },
        { source: 4, from: 0.08, seconds: 1, speed: 1.7 },
        { source: 4, from: 0.393, seconds: 1, speed: 1 },
        { source: 7, from: 0.393, seconds: 1, speed: 1 },
        { source: 5, from: 1.3, seconds: 1, speed: 0.4 },
      ]
      const cuts = sampleCases(all, 7).map((cut) => ({ ...cut, path: at(cut.source) }))
      const rendered = await render(request({ size, rate: 24, picture: consecutiveClips(cuts) }), folder.path)
      await expectCuts(rendered.path, cuts, 24)
    },
  }

  it.each(sampleCases(Object.entries(speeds), 2))('%s', async (_, check) => await check())

  it('inside a long picture show that picture, whether the file is decoded through or opened again', async () => {
    const still = join(folder.path, 'still.mkv')
    // There are no pictures from 1 s to 3 s, although the header states an even rate.
    const late = "setpts='if(gte(N,26),N+50,N)/25/TB'"
    await ffmpeg('-t', '2.4', '-i', at(3), '-vf', `fps=25,settb=1/1000,${late}`, '-fps_mode', 'vfr', still)
    const short = [0.2, 2, 2.5, 3.4].map((from) => ({ path: still, from, seconds: 0.2 }))
    // One clip that ends before the next picture, and one that ends when it starts.
    const long = [1.5, 1.74].map((seconds) => ({ path: still, from: 1.3, seconds }))
    const cuts = [...short, ...long]
    const { path } = await render(request({ size, rate: 25, picture: consecutiveClips(cuts) }), folder.path)
    const shown = (await readNumbers(path)).map(({ frame }) => frame)
    expect(new Set(shown.slice(5, 15)).size).toBe(1)
    expect(shown[0]).toBeLessThan(shown[5] ?? 0)
    expect(shown[5]).toBeLessThan(shown[15] ?? 0)
    expect(shown).toHaveLength(101)
    expect(new Set(shown.slice(20))).toEqual(new Set([shown[5]]))
  })

  it('of one or two frames of big pictures from several files are decoded in advance', async () => {
    const scaled = ['-t', '0.72', '-vf', 'scale=3480:600:flags=neighbor']
    // With one thread the encoder takes half the time, as it keeps fewer big pictures.
    const coding = ['-preset', 'ultrafast', '-g', '6', '-threads', '1']
    const big = (source: number) => join(folder.path, `big-${source}.mkv`)
    await Promise.all([0, 1, 3].map((source) => ffmpeg('-i', at(source), ...scaled, ...coding, big(source))))
    // Short cuts before, between and after longer ones.
    const frames = soakSize([1, 2, 12, 1, 5, 2], [1, 1, 2, 12, 2, 1, 10, 2, 1, 1, 1, 5, 1, 2])
    const cuts = frames.map((count, index) => {
      const source = [3, 0, 1][index % 3] ?? 0
      return { path: big(source), source, from: ((index * 7) % 8) / 25 + 0.01, seconds: count / 30 }
    })
    const { path } = await render(request({ size, rate: 30, picture: consecutiveClips(cuts) }), folder.path)
    await expectCuts(path, cuts, 30)
    expect((await streams(path))[0]).toMatchObject({ avg_frame_rate: '30/1', start_time: '0.000000' })
    const rawFiles = (await readdir(dirname(path))).filter((name) => name.endsWith('.yuv'))
    expect(rawFiles, 'temporary raw frames').toEqual([])
  })
})

it('renders black in gaps and up to a longer duration, and stops at a shorter one', async () => {
  const cut = { path: at(3), from: 0.5, seconds: 0.5 }
  const gap = { clip_id: '', track_st: 1.6, track_ed: 1.9, duration: 0.3 }
  const timeline = [...consecutiveClips([0.2, cut, 0.3, cut]), gap]
  const body = request({ size, rate: 30, duration: 2, picture: consecutiveClips([cut]) })
  const video_track = [{ track_index: 0, track_timeline: timeline }]
  const long = await readNumbers((await render({ ...body, video_track } as typeof body, folder.path)).path)
  const isPicture = (from: number, to: number) =>
    long.slice(from * 30, to * 30).map(({ source }) => source === 3)
  expect(long).toHaveLength(60)
  expect([isPicture(0, 0.2), isPicture(0.7, 1), isPicture(1.5, 2)].flat()).not.toContain(true)
  expect([isPicture(0.2, 0.7), isPicture(1, 1.5)].flat()).not.toContain(false)
  const short = { ...body, duration: 0.5, video_track } as typeof body
  expect(await readNumbers((await render(short, folder.path)).path)).toHaveLength(15)
})
