import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { counter, ffmpeg, grey, streams } from './media.ts'
import { renderSplit, type Rendered } from './render.ts'
import { sampleCases } from '../soak-size.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const at = (name: string) => join(folder.path, `${name}.mkv`)
const small = { width: 160, height: 90 }

beforeAll(async () => {
  folder = await temporaryFolder()
  await Promise.all([
    counter(at('25'), { ...small, seconds: 1.2 }),
    counter(at('ntsc'), { ...small, seconds: 1.2, rate: '30000/1001' }),
    counter(at('10'), { ...small, seconds: 1.5, rate: '10' }),
    counter(at('120'), { ...small, seconds: 0.15, rate: '120' }),
  ])
})
afterAll(() => folder[Symbol.asyncDispose]())

/** Brightness of results by their paths, each decoded once. */
const decoded = new Map<string, Promise<Buffer>>()

/** Returns the source frame number that each frame of the result shows in the slot of a clip. */
async function shownFrames({ output, path }: Rendered, clip: number): Promise<number[]> {
  const slot = output.layout.slots.find((one) => one.clip_index === clip)
  if (!slot) throw new Error(`clip ${clip} is not shown`)
  const { x, y, width, height } = slot.destination_rect
  const column = Math.round((x + width / 2) * output.width)
  const row = Math.round((y + height / 2) * output.height)
  const whole = decoded.get(path) ?? grey(path)
  decoded.set(path, whole)
  const pixels = await whole
  const size = output.width * output.height
  return Array.from({ length: pixels.length / size }, (_, frame) => {
    const luma = 16 + ((pixels[frame * size + row * output.width + column] ?? 0) * 219) / 255
    // Never -0, which the levels of frame 0 may round to.
    return Math.round((luma - 20) / 6) + 0
  })
}

const numbers = (count: number, frame: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => frame(index))

interface ClipRequest extends Record<string, unknown> {
  readonly file_id: string
}

async function renderClips(...clips: readonly ClipRequest[]) {
  return await renderSplit(
    { clips: [...clips], quality: '720p', output_ratio: '1:1', random_seed: 0 },
    folder.path,
  )
}

describe('time', () => {
  it('shows exactly the frames of the range of each clip, in a widely playable file with standard tags', async () => {
    const rendered = await renderClips(
      { file_id: at('25'), begin_time_ms: 280, end_time_ms: 680 },
      { file_id: at('25'), begin_time_ms: 0, end_time_ms: 0 },
    )
    expect(rendered.output.duration_ms).toBe(400)
    expect(await shownFrames(rendered, 0)).toEqual(numbers(10, (index) => 7 + index))
    expect(await shownFrames(rendered, 1)).toEqual(numbers(10, (index) => index))
    const [slot] = rendered.output.layout.slots.filter(({ clip_index }) => clip_index === 1)
    expect(slot).toMatchObject({ begin_time_ms: 0, end_time_ms: 1200 })
    const [video] = await streams(rendered.path)
    expect(video).toMatchObject({
      ...{ codec_name: 'h264', pix_fmt: 'yuv420p', sample_aspect_ratio: '1:1' },
      ...{ color_range: 'tv', color_space: 'bt709', color_primaries: 'bt709', color_transfer: 'bt709' },
    })
    const bytes = await readFile(rendered.path)
    expect(bytes.indexOf('moov')).toBeGreaterThan(0)
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'))
  })

  it('starts with the current frame if the range starts between two frames, also in AVI, whose time base is one frame', async () => {
    const path = join(folder.path, '10.avi')
    // Copied without encoding, ffmpeg 7 would write a time base of 1 ms.
    await ffmpeg('-i', at('10'), '-c:v', 'ffv1', path)
    const rendered = await renderClips(
      { file_id: at('10'), begin_time_ms: 740, end_time_ms: 1100 },
      { file_id: path, begin_time_ms: 730 },
      { file_id: at('10'), begin_time_ms: 730 },
      { file_id: at('25') },
    )
    expect((await shownFrames(rendered, 0))[0]).toBe(7)
    expect(rendered.output.duration_ms).toBe(360)
    expect(await shownFrames(rendered, 1)).toEqual(await shownFrames(rendered, 2))
  })

  /** Ranges at the end of a clip. */
  const ends = {
    async 'shows the last 10 ms of a clip, also if the end is past the source'() {
      const rendered = await renderClips(
        { file_id: at('25'), begin_time_ms: 1190, end_time_ms: 9999 },
        { file_id: at('25') },
      )
      expect(rendered.output.duration_ms).toBe(10)
      expect(await shownFrames(rendered, 0)).toEqual([29])
    },
    async 'treats an end past the source as the end of the source'() {
      const rendered = await renderClips(
        { file_id: at('25'), begin_time_ms: 1000, end_time_ms: 9999 },
        { file_id: at('25') },
      )
      expect(rendered.output.duration_ms).toBe(200)
      expect(await shownFrames(rendered, 0)).toEqual([25, 26, 27, 28, 29])
    },
  }

  it.each(sampleCases(Object.entries(ends), 1))('%s', async (_, check) => await check())

  /** Rates of results. */
  const rates = {
    async 'keeps fractional rates exact and rounds the duration to whole frames once'() {
      const rendered = await renderClips({ file_id: at('ntsc'), end_time_ms: 500 }, { file_id: at('25') })
      const [video] = await streams(rendered.path)
      expect(video).toMatchObject({ r_frame_rate: '30000/1001', nb_read_frames: '15' })
      expect(Number(video?.['duration'])).toBeCloseTo(0.5005, 4)
      expect(await shownFrames(rendered, 0)).toEqual(numbers(15, (index) => index))
    },
    async 'has the highest rate of the sources and repeats frames of slower ones'() {
      const rendered = await renderClips({ file_id: at('10') }, { file_id: at('25') })
      const [video] = await streams(rendered.path)
      expect(video).toMatchObject({ r_frame_rate: '25/1', avg_frame_rate: '25/1', nb_read_frames: '30' })
      const shown = await shownFrames(rendered, 0)
      for (const [index, frame] of shown.entries()) {
        expect(Math.abs(frame - index * 0.4)).toBeLessThanOrEqual(1)
      }
      expect(await shownFrames(rendered, 1)).toEqual(numbers(30, (index) => index))
    },
    async 'has at most 60 frames per second'() {
      const rendered = await renderClips({ file_id: at('120') }, { file_id: at('25') })
      const [video] = await streams(rendered.path)
      expect(video).toMatchObject({ r_frame_rate: '60/1', nb_read_frames: '9' })
    },
  }

  it.each(sampleCases(Object.entries(rates), 2))('%s', async (_, check) => await check())
})
