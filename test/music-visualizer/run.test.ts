import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCanvas } from '@napi-rs/canvas'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MediaError } from '../../src/contract/errors.ts'
import { lazy } from '../../src/platform/cache.ts'
import { musicVisualizer } from '../../tools/music-visualizer/contract.ts'
import { plan } from '../../tools/music-visualizer/plan.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { writeFloatWav, writeSampledWav } from '../engines/float-wav.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { amplitude, ffmpeg, rgb, rgbFrames, samples, streams } from '../video-split-screen/media.ts'
import { renderMusic, stage, type Request } from './render.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
const at = (name: string) => join(folder.path, name)

/** A tone of 440 Hz. */
const level = (time: number) => 0.4 * Math.sin(880 * Math.PI * time)

beforeAll(async () => {
  folder = await temporaryFolder()
  const tone = 'aevalsrc=0.4*sin(880*PI*t)|0.4*sin(880*PI*t):s=44100:d=0.51'
  await ffmpeg('-f', 'lavfi', '-i', tone, at('song.mp3'))
  await writeSampledWav(at('song.wav'), { seconds: 1.345, channels: 2 }, level)
  await writeSampledWav(at('short.wav'), { seconds: 0.8, channels: 2 }, level)
  await ffmpeg('-f', 'lavfi', '-i', 'sine=440:d=0.6', '-ac', '1', at('mono.flac'))
  await writeFile(at('cover.jpg'), createCanvas(500, 400).toBuffer('image/jpeg'))
  const red = createCanvas(64, 36)
  const context = red.getContext('2d')
  context.fillStyle = 'red'
  context.fillRect(0, 0, red.width, red.height)
  await writeFile(at('red.png'), red.toBuffer('image/png'))
  // Ten frames of different brightness.
  const bright = "color=black:s=128x72:r=25,format=yuv420p,geq=lum='60+15*N':cb=128:cr=128"
  const coding = ['-c:v', 'libx264', '-qp', '4', '-movflags', '+faststart']
  await ffmpeg('-f', 'lavfi', '-i', bright, '-frames:v', '10', ...coding, at('city.mp4'))
})
afterAll(() => folder[Symbol.asyncDispose]())

const small = { width: 192, height: 108 }
const visualizerRequest = (more: Record<string, unknown>): Request => ({
  ...{ file_id: at('song.wav'), template_id: 'bars', resolution: small },
  ...more,
})

/** The smallest request, rendered once. */
const smallest = lazy(() => renderMusic(visualizerRequest({}), folder.path))

describe('a result', () => {
  it('has a widely supported format and the length of the music, to the frame', async () => {
    const { path, output, plan: planned, progress, name } = await smallest()
    const [video, audio] = await streams(path)
    expect(video).toMatchObject({
      ...{ codec_name: 'h264', pix_fmt: 'yuv420p', color_space: 'bt709', color_range: 'tv' },
      ...{ width: 192, height: 108, r_frame_rate: '30/1', nb_read_frames: '40' },
    })
    expect(audio).toMatchObject({ codec_name: 'aac', sample_rate: '48000', channels: 2 })
    expect(Number(audio?.['duration'])).toBeCloseTo(40 / 30, 2)
    expect(output).toMatchObject({ duration: 1.333, video_size: small, template_id: 'bars' })
    expect(output).not.toHaveProperty('notes')
    expect(name).toBe('song-bars.mp4')
    expect(planned.credits).toBe(1)
    expect(amplitude(await samples(path), 440)).toBeCloseTo(0.4, 1)
    expect(progress).toEqual(progress.toSorted((one, other) => one - other))
    expect(progress.at(-1)).toBe(100)
  })

  it.each(sampleCases(musicVisualizer.examples, 1))('example: $title', async ({ input }) => {
    const files = Object.fromEntries(
      Object.entries(input)
        .filter(([key]) => key.endsWith('file_id'))
        .map(([key, file]) => [key, at(String(file))]),
    )
    const parsed = musicVisualizer.input.parse({
      ...input,
      file_id: '1234567890123456789',
      background_file_id: undefined,
      cover_file_id: undefined,
    })
    const { fps } = parsed
    const [width, height] = [parsed.resolution.width, parsed.resolution.height].map((side) =>
      soakSize(side / 4, side),
    )
    const resolution = { width, height }
    const request = { ...input, ...files, ...soakSize({ resolution }, {}) } as unknown as Request
    const { path, output } = await renderMusic(request, folder.path)
    const [video] = await streams(path)
    expect(video).toMatchObject({ ...resolution, r_frame_rate: `${fps}/1` })
    expect(output.duration).toBeCloseTo(0.52, 1)
  })
})

/** Mean of red, green and blue in the top left corner of a frame, where no template draws. */
function corner(pixels: Buffer): readonly number[] {
  const [row, side] = [3 * small.width, 12]
  const sums = [0, 0, 0]
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      for (const channel of [0, 1, 2])
        sums[channel] = (sums[channel] ?? 0) + (pixels[y * row + 3 * x + channel] ?? 0)
    }
  }
  return sums.map((sum) => sum / side ** 2)
}

describe('a background', () => {
  it('image fills the frame and does not move; truncated text and an ignored cover are noted', async () => {
    const fields = { cover_file_id: at('cover.jpg'), track: 'A long title '.repeat(9), artist: 'Someone' }
    const { output, path } = await renderMusic(
      visualizerRequest({ file_id: at('short.wav'), background_file_id: at('red.png'), ...fields }),
      folder.path,
    )
    expect(output.notes).toEqual([
      'track did not fit and was truncated with …',
      'cover_file_id is ignored: template_id bars shows no cover; nowplaying, ring and vinyl do',
    ])
    for (const frame of await rgbFrames(path, [0, 20])) {
      const [red = 0, green = 0, blue = 0] = corner(frame)
      expect(red).toBeGreaterThan(70)
      expect(Math.max(green, blue)).toBeLessThan(12)
    }
  })

  it.each(sampleCases(['bars', 'shockwave'], 1))('video plays and repeats, with %s', async (template_id) => {
    const [sound, count] = soakSize(['short.wav', 24] as const, ['song.wav', 40] as const)
    const { path } = await renderMusic(
      visualizerRequest({
        file_id: at(sound),
        ...{ background_file_id: at('city.mp4'), template_id, blur: 4 },
      }),
      folder.path,
    )
    const [video] = await streams(path)
    expect(video?.['nb_read_frames']).toBe(String(count))
    // 0.4 s of video: twelve frames of the result, then from the beginning.
    const frames = await rgbFrames(path, [0, 1, 10, 13, count - 1])
    const [first = 0, next = 0, late = 0, again = 0, last = 0] = frames.map((frame) => corner(frame)[1])
    expect(late).toBeGreaterThan(first + 25)
    expect(Math.abs(again - next)).toBeLessThan(12)
    expect(last).toBeGreaterThan(20)
  })
})

describe('files', () => {
  it('a mono file plays on both sides and draws a curve', async () => {
    const { path } = await renderMusic(
      visualizerRequest({ file_id: at('mono.flac'), template_id: 'lissajous' }),
      folder.path,
    )
    const bytes = await ffmpeg('-i', path, '-map', '0:a:0', '-f', 'f32le', '-ar', '48000', '-')
    const both = new Float32Array(bytes.buffer, bytes.byteOffset, 2 * 24_000)
    for (const [index, side] of ['left', 'right'].entries()) {
      const measuredLevel = amplitude(
        both.filter((_, sample) => sample % 2 === index),
        440,
      )
      // The source's level is 1/8; ffmpeg's default downmix would reduce it by 3 dB.
      expect(measuredLevel, side).toBeGreaterThan(0.115)
      expect(measuredLevel, side).toBeLessThan(0.135)
    }
    expect((await rgb(path, 15)).filter((value) => value > 150).length).toBeGreaterThan(100)
  })

  it('samples that are NaN or infinite become silence and do not affect later samples', async () => {
    const broken = new Map([
      [9600, NaN],
      [9700, Infinity],
    ])
    await writeSampledWav(
      at('nan.wav'),
      { seconds: 0.8, channels: 2 },
      (time) => broken.get(Math.round(time * 44_100)) ?? level(time),
    )
    const { path } = await renderMusic(visualizerRequest({ file_id: at('nan.wav') }), folder.path)
    expect(amplitude((await samples(path)).subarray(16_000, 36_000), 440)).toBeCloseTo(0.4, 1)
    const lit = async (video: string) => (await rgb(video, 20)).filter((value) => value > 150).length
    const reference = await lit((await smallest()).path)
    expect(reference).toBeGreaterThan(100)
    expect(await lit(path)).toBeGreaterThan(0.8 * reference)
  })

  it('a background video without frames is rejected immediately: 6021 with its name', async () => {
    const fast = await readFile(at('city.mp4'))
    await writeFile(at('headless.mp4'), fast.subarray(0, fast.indexOf('mdat') + 8))
    await expect(
      renderMusic(visualizerRequest({ background_file_id: at('headless.mp4') }), folder.path),
    ).rejects.toMatchObject({ code: 6021, message: expect.stringContaining('headless.mp4') })
  })

  it('files whose probed content does not fit are rejected: 6001', async () => {
    const expectRejected = async (more: Record<string, unknown>) => {
      const { input, files } = await stage(visualizerRequest(more))
      try {
        plan(input, files)
      } catch (error) {
        return error instanceof MediaError ? error.code : error
      }
      return 'accepted'
    }
    for (const name of ['moving.jpg', 'silent.m4a']) await copyFile(at('city.mp4'), at(name))
    expect(await expectRejected({ cover_file_id: at('moving.jpg') })).toBe(6001)
    expect(await expectRejected({ file_id: at('silent.m4a') })).toBe(6001)
    expect(await expectRejected({ background_file_id: at('mono.flac') })).toBe(6001)
    expect(await expectRejected({ cover_file_id: at('cover.jpg'), background_file_id: at('city.mp4') })).toBe(
      'accepted',
    )
  })

  it('a started minute is charged as a whole one', async () => {
    await writeFloatWav(at('long.wav'), new Float32Array(60.5 * 8000), 8000)
    const { input, files } = await stage(visualizerRequest({ file_id: at('long.wav') }))
    expect(plan(input, files).credits).toBe(2)
  })
})
