import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lazy } from '../../src/platform/cache.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { sampleCases } from '../soak-size.ts'
import { counter, ffmpeg, solidColour, rgb, streams, yuvFrames } from '../video-split-screen/media.ts'
import { htmlParticle, particleFile, renderBeats, type RenderedBeats } from './render.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>

beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const at = (name: string) => join(folder.path, name)
const size = { width: 320, height: 180 }
const frameBytes = size.width * size.height * 4

/** RGBA pixels of every frame, from the decoder that supports alpha. */
async function frames({ path }: RenderedBeats): Promise<Uint8Array[]> {
  const decoder = path.endsWith('.webm') ? ['-c:v', 'libvpx'] : []
  const bytes = await ffmpeg(...decoder, '-i', path, '-map', '0:v', '-f', 'rawvideo', '-pix_fmt', 'rgba', '-')
  return Array.from({ length: bytes.length / frameBytes }, (_, index) =>
    bytes.subarray(index * frameBytes, (index + 1) * frameBytes),
  )
}

const pixel = (frame: Uint8Array | undefined, x: number, y: number) => [
  ...(frame ?? []).slice((y * size.width + x) * 4, (y * size.width + x) * 4 + 4),
]

/** A particle that shows its frame number in ten boxes, lowest bit first. */
const counting = (fps: string) =>
  htmlParticle(
    { duration: 600 },
    `<style>b { position: absolute; top: 0; width: 32px; height: 180px }</style>
${Array.from({ length: 10 }, (_, bit) => `<b style="left: ${bit * 32}px"></b>`).join('')}`,
    `const count = Math.round(t * ${fps})
    for (const [bit, box] of document.querySelectorAll('b').entries())
      box.style.background = (count >> bit) & 1 ? '#fff' : '#333'`,
  )

/** Returns the number shown by a frame; undefined if there is none. */
function counted(frame: Uint8Array): number | undefined {
  const bits = Array.from({ length: 10 }, (_, bit) => pixel(frame, bit * 32 + 16, 90)[0] ?? 0)
  return bits.some((bit) => bit < 30)
    ? undefined
    : bits.reduce((sum, bit, index) => sum + (bit > 150 ? 2 ** index : 0), 0)
}

describe('frame k shows the state at k / fps', () => {
  const repeatValues = (count: number, value: (index: number) => number | undefined) =>
    Array.from({ length: count }, (_, index) => value(index))

  const formats = [
    ['mp4', 30, '30'],
    ['qtrle', 25, '25'],
    ['webm', 29.97, '30000 / 1001'],
  ] as const

  it.each(sampleCases(formats, 1))('in %s at %d frames a second', async (output_format, fps, exact) => {
    const html = counting(exact)
    const rendered = await renderBeats(
      {
        composition: {
          video_size: size,
          fps,
          tracks: output_format === 'mp4' ? [{ type: 'video', asset: 'base', track_index: 0, start: 0 }] : [],
          beats: [
            { start: 0.2, duration: 0.4, track_index: 0, html },
            { start: 0.8, duration: 0.2, track_index: 0, html },
          ],
        },
        render: { output_format },
        assets: { base: await solidColour(at('black.mkv'), { ...size, seconds: 0.2 }, 'black') },
      },
      folder.path,
    )
    const shown = (await frames(rendered)).map(counted)
    const first = Math.ceil(0.2 * fps)
    const end = Math.ceil(0.6 * fps)
    const second = Math.ceil(0.8 * fps)
    const state = (frame: number, start: number) => Math.round(frame - start * fps)
    expect(shown).toEqual(
      repeatValues(Math.round(fps), (frame) => {
        if (frame >= first && frame < end) return state(frame, 0.2)
        return frame >= second ? state(frame, 0.8) : undefined
      }),
    )
    expect(rendered.output.duration).toBeCloseTo(1, 1)
    expect(rendered.output.video_size).toEqual(size)
    expect(rendered.progress.at(-1)).toBe(100)
    expect(rendered.progress).toEqual(rendered.progress.toSorted((one, other) => one - other))
  })

  it('at the rate of render, and keeps the last state after the timeline', async () => {
    const rendered = await renderBeats(
      {
        composition: {
          video_size: size,
          beats: [
            { start: 0, duration: 1, track_index: 0, html: counting('12').replace('() => 600', '() => 0.5') },
          ],
        },
        render: { output_format: 'qtrle', fps: 12 },
      },
      folder.path,
    )
    expect((await frames(rendered)).map(counted)).toEqual([0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 6, 6])
  })
})

const filled = (colour: string) =>
  htmlParticle({ duration: 1 }, `<div style="position: absolute; inset: 0; background: ${colour}"></div>`)

const shapes = htmlParticle(
  { duration: 1 },
  `<svg width="320" height="180" style="position: absolute">
  <rect x="20" y="20" width="80" height="140" fill="rgb(255 0 0 / 0.5)"/>
  <circle cx="220" cy="90" r="60" fill="#00c800"/>
</svg>`,
)

const styled = htmlParticle(
  { duration: 1 },
  `<style>div { position: absolute; left: 10px; top: 10px; width: 40px; height: 40px; background: #f00 }</style>
<div></div>`,
)

/** Exact frames of particles in the order of the tests: shapes for two frames, styles for one, layers for three. */
const lossless = lazy(async () => {
  const blue = await particleFile(at('blue.html'), filled('rgb(0 0 255 / 0.5)'))
  const translucent = filled('rgb(255 255 255 / 0.5)')
  const beats = [
    { start: 0, duration: 0.2, track_index: 0, html: shapes },
    { start: 0.2, duration: 0.1, track_index: 0, html: styled },
    { start: 0.3, duration: 0.3, track_index: 5, html_asset: 'blue' },
    { start: 0.3, duration: 0.3, track_index: 1, html: filled('rgb(0 255 0)') },
    { start: 0.4, duration: 0.2, track_index: 1, html: filled('rgb(255 0 0)') },
    { start: 0.5, duration: 0.1, track_index: 9, html: translucent, opaque: true },
  ]
  const rendered = await renderBeats(
    {
      composition: { video_size: size, fps: 10, beats },
      ...{ render: { output_format: 'qtrle' }, assets: { blue } },
    },
    folder.path,
  )
  const exact = await frames(rendered)
  if (exact.length !== 6) throw new RangeError(`The particles have ${exact.length} frames instead of 6`)
  return exact
})

it('styles of a particle apply to its own elements only', async () => {
  const [, , frame] = await lossless()
  expect(pixel(frame, 30, 30)).toEqual([255, 0, 0, 255])
  expect(pixel(frame, 200, 100)).toEqual([0, 0, 0, 0])
})

describe('alpha', () => {
  const beats = [{ start: 0, duration: 0.2, track_index: 0, html: shapes }]
  const exactFrame = async () => (await lossless())[1] ?? new Uint8Array()

  /** Composes a frame over a colour by straight alpha. */
  const composeOver = (frame: Uint8Array, colour: readonly number[]) =>
    Array.from({ length: frame.length }, (_, index) => {
      const alpha = (frame[index - (index % 4) + 3] ?? 0) / 255
      return index % 4 === 3 ? 255 : (frame[index] ?? 0) * alpha + (colour[index % 4] ?? 0) * (1 - alpha)
    })

  /** Mean and 99th percentile of the absolute differences. */
  const difference = (one: readonly number[], other: readonly number[]) => {
    const apart = Float64Array.from(one, (value, index) => Math.abs(value - (other[index] ?? 0))).toSorted()
    return {
      mean: apart.reduce((sum, value) => sum + value, 0) / apart.length,
      most: apart[Math.floor(apart.length * 0.99)],
    }
  }

  it('of qtrle is straight and exact', async () => {
    const exact = await exactFrame()
    expect(pixel(exact, 60, 90)).toEqual([255, 0, 0, 128])
    expect(pixel(exact, 220, 90)).toEqual([0, 200, 0, 255])
    expect(pixel(exact, 130, 90)).toEqual([0, 0, 0, 0])
    const edges = Array.from({ length: exact.length / 4 }, (_, index) => [
      ...exact.subarray(index * 4, index * 4 + 4),
    ]).filter(([red = 0, , , alpha = 0]) => red < 40 && alpha > 40 && alpha < 215)
    expect(edges.length).toBeGreaterThan(100)
    // Straight alpha: the colour is not mixed with black.
    for (const [, green] of edges) expect(Math.abs((green ?? 0) - 200)).toBeLessThanOrEqual(4)
  })

  it('of webm looks the same over any colour', async () => {
    const rendered = await renderBeats(
      { composition: { video_size: size, fps: 10, beats }, render: { output_format: 'webm' } },
      folder.path,
    )
    expect(await streams(rendered.path)).toMatchObject([{ codec_name: 'vp8', nb_read_frames: '2' }])
    const [[, frame = new Uint8Array()], exact] = [await frames(rendered), await exactFrame()]
    for (const colour of [
      [255, 255, 255],
      [0, 0, 0],
      [30, 60, 120],
    ]) {
      const { mean, most } = difference(composeOver(frame, colour), composeOver(exact, colour))
      expect(mean).toBeLessThan(1.5)
      expect(most).toBeLessThan(20)
    }
  })

  it('of mp4 is composed over the base', async () => {
    const base = await solidColour(at('blue.mkv'), { ...size, seconds: 0.2 }, '0x1e3c78')
    const rendered = await renderBeats(
      {
        composition: {
          video_size: size,
          fps: 10,
          beats,
          tracks: [{ type: 'video', asset: 'base', track_index: 0, start: 0 }],
        },
        assets: { base },
      },
      folder.path,
    )
    const basePixel = [...(await rgb(base)).subarray(0, 3)]
    const [, frame = new Uint8Array()] = await frames(rendered)
    const { mean, most } = difference(
      composeOver(frame, basePixel),
      composeOver(await exactFrame(), basePixel),
    )
    expect(mean).toBeLessThan(1.5)
    expect(most).toBeLessThan(20)
    expect(await streams(rendered.path)).toMatchObject([
      {
        ...{ codec_name: 'h264', pix_fmt: 'yuv420p', nb_read_frames: '2' },
        ...{ color_space: 'bt709', color_range: 'tv' },
      },
    ])
  })
})

it('particles are ordered by track_index, then as listed, whether files or sources; an opaque one hides all below', async () => {
  const shown = (await lossless()).slice(3).map((frame) => pixel(frame, 160, 90))
  const closeTo = (value: number) => expect.closeTo(value, -0.7) as number
  expect(shown).toEqual([
    [0, closeTo(127), closeTo(128), 255],
    [closeTo(127), 0, closeTo(128), 255],
    [closeTo(128), closeTo(128), closeTo(128), 255],
  ])
})

describe('the base', () => {
  it('is scaled and padded, begins at its start, ends after its duration, with black around it', async () => {
    const base = await counter(at('counter.mkv'), { width: 160, height: 120, seconds: 2, rate: '25' })
    const rendered = await renderBeats(
      {
        composition: {
          video_size: size,
          fps: 25,
          duration: 2,
          tracks: [
            { type: 'video', asset: 'base', track_index: 0, start: 0.4, duration: 1 },
            { type: 'video', asset: 'base', track_index: 1, start: 0 },
          ],
        },
        assets: { base },
        render: { quality: 'draft' },
      },
      folder.path,
    )
    expect(rendered.output).toMatchObject({
      duration: 2,
      notes: [
        'tracks[1] is not used, because only the first video track is',
        'counter.mkv ends at 1.4 s of 2 s; the rest has a black background',
      ],
    })
    expect(await streams(rendered.path)).toMatchObject([{ nb_read_frames: '50', width: 320, height: 180 }])
    const numbers = [0, 9, 10, 20, 34, 35, 49]
    const pictures = await yuvFrames(rendered.path, numbers)
    const black = expect.closeTo(16, -0.7) as number
    for (const [index, picture] of pictures.entries()) {
      const frame = numbers[index] ?? 0
      const shown =
        frame >= 10 && frame < 35 ? (expect.closeTo(20 + 6 * (frame - 10), -0.7) as number) : black
      expect([picture[90 * 320 + 160], picture[90 * 320 + 20]], `frame ${frame}`).toEqual([shown, black])
    }
  })
})
