import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { uprightSize } from '../../src/media/geometry.ts'
import { decodeFrames, type Footage } from '../../src/engines/ffmpeg/decode-frames.ts'
import { pictureStream } from '../../src/engines/ffmpeg/picture-stream.ts'
import { probe } from '../../src/engines/ffmpeg/probe.ts'
import { blur } from '../../src/media/clean/blur.ts'
import { createPatchLookup } from '../../src/media/clean/masks.ts'
import { lazy } from '../../src/platform/cache.ts'
import { constantRate, hertz } from '../../src/media/frame-rate.ts'
import { scratchFolder } from '../engines/ffmpeg/generate-media.ts'
import { vp8 } from '../engines/ffmpeg/vp8.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { fileIdOf, stageFiles } from '../tasks/run-in-worker.ts'
import { ffmpeg } from '../video-split-screen/media.ts'
import { numberedSize, numberedVideo, numbersOf, readNumbers } from '../video-timeline-render/media.ts'
import { blurBoxes, decodeBoth, probeStreams, decodeSamples } from './run-purify.ts'

const folder = await scratchFolder()
const at = (name: string) => join(folder, name)

/** Bottom right, beside the bars that encode the frame number, which must not be blurred. */
const corner = { x: 0.9, y: 0.75, w: 0.1, h: 0.25 }

const reading = () => ({ threads: 2, signal: new AbortController().signal, timeoutMs: 60_000 })

async function footageOf(path: string): Promise<Footage> {
  const { video } = await probe(path)
  if (!video) throw new Error(`${path} has no picture`)
  return { path, video, rate: constantRate(video), stream: await pictureStream(path, video, {}) }
}

describe('frames', () => {
  it('are complete and in order across parts whose length is no multiple of the key frame interval', async () => {
    const source = await numberedVideo(at('long.mp4'), {
      source: 1,
      seconds: 8.2,
      rate: '30000/1001',
      gop: 100,
    })
    const { path, progress } = await blurBoxes(source, folder, corner)
    const count = Math.round((8.2 * 30_000) / 1001)
    expect((await readNumbers(path)).map(({ frame }) => frame)).toEqual(
      Array.from({ length: count }, (_, frame) => frame),
    )
    const [stream] = (await probeStreams(path)).filter(({ codec_type }) => codec_type === 'video')
    expect(stream).toMatchObject({
      r_frame_rate: '30000/1001',
      avg_frame_rate: '30000/1001',
      start_time: '0.000000',
    })
    expect(progress.at(-1)).toBeGreaterThan(90)
  })

  // Beyond and within the range of the initial probe.
  const lateStarts = [
    [8.0243, 8.4],
    [0.5167, 0.9],
  ] as const

  // A picture that starts after 0.32 s is cleaned where detection results are tested.
  it.each(sampleCases(lateStarts, 1))(
    'of a picture that starts after %d s, half a frame late, appear once each',
    async (startTime, start) => {
      const rate = '30000/1001'
      const film = await numberedVideo(at('film.mp4'), { source: 1, seconds: 2, rate })
      const source = at('late.mkv')
      const sound = ['-f', 'lavfi', '-i', `sine=duration=${startTime + 2}`]
      const late = ['-itsoffset', String(startTime), '-i', film]
      await ffmpeg(...sound, ...late, '-map', '1', '-map', '0', '-c:v', 'copy', '-c:a', 'pcm_s16le', source)
      const { path } = await blurBoxes(source, folder, { x: 0, y: 0, w: 1, h: 0.25, start, end: start + 0.2 })
      const [before, after] = await decodeBoth([source, path], { ...numberedSize, count: 60 })
      const size = numberedSize.width * numberedSize.height
      expect(numbersOf(after, 1.5 * size).map(({ frame }) => frame)).toEqual(
        Array.from({ length: 60 }, (_, frame) => frame),
      )
      expect(Math.abs(((await probe(path)).video?.start_ms ?? 0) - startTime * 1000)).toBeLessThan(1)
      // Regions are timed from the start of the file, not of the picture.
      const changed = Array.from({ length: 60 }, (_, frame) => frame).filter((frame) => {
        let sum = 0
        for (let place = frame * 1.5 * size; place < (frame * 1.5 + 0.25) * size; place++)
          sum += Math.abs((before[place] ?? 0) - (after[place] ?? 0))
        return sum / size > 1
      })
      // The picture starts with frame 15, and frame 27 is the first after 0.9 s; or with frame 240, and 252 is the
      // first after 8.4 s.
      expect(changed).toEqual([12, 13, 14, 15, 16, 17])
    },
  )

  it('of a variable rate appear once each, even in bursts above the average rate', async () => {
    const film = await numberedVideo(at('film.mp4'), { source: 2, seconds: 2, rate: '30', gop: 60 })
    const source = at('variable.mp4')
    const bursts = String.raw`select=lt(mod(n\,20)\,10)`
    await ffmpeg('-i', film, '-vf', bursts, '-fps_mode', 'vfr', '-crf', '10', source)
    const { facts } = (await stageFiles([source])).get(fileIdOf(source))
    expect(hertz(facts?.video?.frame_rate ?? { num: 0, den: 1 })).toBeLessThan(20)
    const { path, output } = await blurBoxes(source, folder, corner)
    const { video } = await probe(path)
    expect(video).toMatchObject({ variable_rate: false, frame_rate: { num: 30, den: 1 } })
    const shown = (await readNumbers(path)).map(({ frame }) => frame)
    const numbers = Array.from({ length: 60 }, (_, frame) => frame).filter((frame) => frame % 20 < 10)
    expect([...new Set(shown)]).toEqual(numbers)
    expect(shown.filter((frame, place) => frame === place)).toEqual(numbers)
    expect(output.notes).toEqual([expect.stringContaining('constant')])
  })

  it('of an interlaced picture keep their fields', async () => {
    const source = at('interlaced.mp4')
    const picture = [
      '-f',
      'lavfi',
      '-i',
      'testsrc2=size=160x120:rate=50,tinterlace=interleave_top,setfield=tff',
    ]
    await ffmpeg(...picture, '-t', '0.4', '-flags', '+ildct+ilme', '-pix_fmt', 'yuv420p', source)
    const { path } = await blurBoxes(source, folder, corner)
    expect((await probeStreams(path))[0]).toMatchObject({
      field_order: 'tt',
      avg_frame_rate: '25/1',
      nb_frames: '10',
    })
  })
})

/** A video of 96 frames in a container, and what its frames are decoded with. */
async function decodable(name: string): Promise<Footage> {
  const webm = name.endsWith('webm') ? vp8 : ['-c:v', 'libx264', '-bf', '2']
  const coding = name.endsWith('avi') ? ['-c:v', 'mpeg4', '-q:v', '2'] : webm
  const picture = ['-f', 'lavfi', '-i', 'testsrc2=size=160x120:rate=24000/1001', '-t', '4', '-g', '31']
  await ffmpeg(...picture, '-pix_fmt', 'yuv420p', ...coding, at(name))
  return await footageOf(at(name))
}

const decodableMp4 = lazy(() => decodable('mid.mp4'))

describe('before it is encoded', () => {
  it('samples change inside the treated regions during their time span, and nowhere else', async () => {
    const footage = await decodableMp4()
    const timeOf = (frame: number) => (frame * 1001) / 24_000
    const region = { x: 0.25, y: 0.5, w: 0.5, h: 0.25, start: timeOf(5), end: timeOf(15) }
    const protect = { x: 0.5, y: 0.5, w: 0.1, h: 0.1, start: 0, end: timeOf(10) }
    const size = uprightSize(footage.video)
    const patchesAt = createPatchLookup(
      { remove: [region], protect: [protect] },
      { size, rate: footage.rate },
    )
    const frames = decodeFrames(footage, { first: 0, count: 25, ...reading() })
    const source = await decodeSamples(footage.path)
    let index = 0
    for await (const { bytes, width } of blur(frames, { first: 0, patchesAt })) {
      const before = source.subarray(index * bytes.length, (index + 1) * bytes.length)
      const changed: [number, number][] = []
      for (let place = 0; place < width * 120; place++) {
        if (bytes[place] !== before[place]) changed.push([place % width, Math.floor(place / width)])
      }
      const isTreated = index >= 5 && index < 15
      expect(changed.length > 1700, `frame ${index}`).toBe(isTreated)
      const outside = changed.filter(([x, y]) => {
        const isProtected = index < 10 && x >= 80 && x < 96 && y >= 60 && y < 72
        return isProtected || x < 40 || x >= 120 || y < 60 || y >= 90
      })
      expect(outside).toEqual([])
      // Chroma is identical on untreated frames.
      if (!isTreated) expect(Buffer.compare(bytes, before)).toBe(0)
      index += 1
    }
    expect(index).toBe(25)
  })

  it('frames decoded from the middle equal those of a full decode, for every codec', async () => {
    for (const name of sampleCases(['mid.mp4', 'mid.flv', 'mid.avi', 'mid.webm'], 1)) {
      const footage = name === 'mid.mp4' ? await decodableMp4() : await decodable(name)
      const wholeFrames: Buffer[] = []
      for await (const { bytes } of decodeFrames(footage, { first: 0, count: 1000, ...reading() }))
        wholeFrames.push(Buffer.from(bytes))
      expect([name, wholeFrames.length]).toEqual([name, 96])
      for (const first of [1, 71]) {
        let index = first
        for await (const { bytes } of decodeFrames(footage, { first, count: 20, ...reading() })) {
          const isSame = wholeFrames[index]?.equals(bytes) ?? false
          expect([name, index, isSame]).toEqual([name, index, true])
          index += 1
        }
        expect(index).toBe(first + 20)
      }
      const some: Buffer[] = []
      for await (const { bytes } of decodeFrames(footage, { first: 26, count: 50, step: 9, ...reading() }))
        some.push(Buffer.from(bytes))
      expect(some.map((bytes) => wholeFrames.findIndex((frame) => frame.equals(bytes)))).toEqual([
        26, 35, 44, 53, 62, 71, 80, 89,
      ])
    }
  })
})

describe('untreated pixels', () => {
  it('match the source at 45 dB or more, in a file of at most 1.5 times its size', async () => {
    const [width, height] = soakSize([480, 270], [640, 360])
    const zoom = `mandelbrot=size=${width}x${height}:rate=25:start_scale=2:end_scale=0.3:end_pts=40:maxiter=600`
    const picture = `${zoom},gblur=sigma=1.2,noise=alls=3:allf=t,format=yuv420p`
    // A larger file limits the fidelity less.
    for (const crf of sampleCases(['20', '14'], 1)) {
      const source = at(`likeness-${crf}.mp4`)
      const drawn = ['-f', 'lavfi', '-i', picture, '-t', soakSize('0.8', '3')]
      await ffmpeg(...drawn, '-preset', 'medium', '-crf', crf, source)
      const { path } = await blurBoxes(source, folder, { x: 0.3, y: 0.8, w: 0.4, h: 0.1 })
      const [before, after] = await decodeBoth([source, path], { count: soakSize(20, 75), width, height })
      let [squares, count] = [0, 0]
      for (let frame = 0; frame < before.length; frame += width * height * 1.5) {
        for (let y = 0; y < height; y++) {
          // Skip the rows of the box.
          if (y >= 0.8 * height && y < 0.9 * height) continue
          const row = frame + y * width
          for (let sample = row; sample < row + width; sample++)
            squares += ((before[sample] ?? 0) - (after[sample] ?? 0)) ** 2
          count += width
        }
      }
      const decibels = 10 * Math.log10((255 * 255 * count) / squares)
      const larger = (await readFile(path)).length / (await readFile(source)).length
      expect([crf, decibels >= 45, larger <= 1.5, decibels, larger]).toEqual([
        crf,
        true,
        true,
        decibels,
        larger,
      ])
    }
  })
})
