import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadImage } from '@napi-rs/canvas'
import { describe, expect, it } from 'vitest'
import { loadDrawing } from '../../src/engines/canvas/drawing.ts'
import { Yuv420 } from '../../src/media/colour/yuv420.ts'
import { lazy } from '../../src/platform/cache.ts'
import { pixelsToCanvas } from '../../tools/music-visualizer/built-in-images.ts'
import { musicVisualizer } from '../../tools/music-visualizer/contract.ts'
import { encodeVisualizer, rawFrames } from '../../tools/music-visualizer/encode.ts'
import { rippleRadii } from '../../tools/music-visualizer/shockwave.ts'
import { temporaryFolder } from '../mcp/temporary-folder.ts'
import { sampleCases, soakSize } from '../soak-size.ts'
import { ffmpeg, rgbFrames } from '../video-split-screen/media.ts'
import { goldenFramesFile, goldenFrames, goldenSize, drawGoldenFrames } from './golden/golden.ts'
import {
  difference,
  drawTemplate,
  canvasPixels,
  prepareTemplate,
  song,
  sound,
  worstBlock,
} from './draw-template.ts'

const names = musicVisualizer.input.shape.template_id.options

/** The first 0.8 s and 0.1 s of the song. */
const [opening, instant] = [song().subarray(0, 2 * 38_400), song().subarray(0, 2 * 4_800)]

/** Largest mean difference of a block, 0 to 255, caused by rounding on another machine. */
const tolerance = 2

/** The same after encoding; a shift of half a pixel causes at least 11. */
const lossy = 8

describe.each(names)('%s', (template) => {
  it('matches the golden pictures at three times, and moves between them', async () => {
    const frames = await drawGoldenFrames(template)
    const drawing = await loadDrawing()
    const sheet = await loadImage(await readFile(goldenFramesFile(template)))
    for (const [index, frame] of frames.entries()) {
      const accepted = drawing.createCanvas(goldenSize.width, goldenSize.height)
      accepted.getContext('2d').drawImage(sheet, -index * goldenSize.width, 0)
      expect(worstBlock(frame, accepted), `frame ${goldenFrames[index]}`).toBeLessThan(tolerance)
    }
    const [first, second, third] = frames
    if (!first || !second || !third) throw new Error('three frames were wanted')
    expect(difference(first, second)).toBeGreaterThan(0.05)
    expect(difference(second, third)).toBeGreaterThan(0.05)
  })

  it('can be drawn at any size and with any text', async () => {
    const samples = instant
    const sizes = [
      [16, 512],
      [16, 16],
      [90, 160],
      [512, 16],
    ] as const
    const titles = ['', 'x'.repeat(300), 'ليل طويل', '夜に駆ける 아이유 🌙👨‍👩‍👧', '\ud800\u202e\n\t']
    const pairs = sizes.flatMap((size) => titles.map((title) => [...size, title] as const))
    for (const [width, height, title] of sampleCases(pairs, 2)) {
      const [frame] = await drawTemplate({ template, samples, width, height, title, artist: title }, [2])
      expect([frame?.width, frame?.height]).toEqual([width, height])
    }
  })
})

it.each(sampleCases(names, 3))(
  '%s is drawn the same every time, and the same at 30 and 60 frames per second',
  async (template) => {
    const options = { template, samples: opening, width: 160, height: 90 }
    const [once] = await drawTemplate(options, [20])
    if (!once) throw new Error('a frame is missing')
    // The first is a second drawing, too.
    for (const [fps, number] of sampleCases([[60, 40] as const, [30, 20] as const], 1)) {
      const [again] = await drawTemplate({ ...options, fps }, [number])
      if (!again) throw new Error('a frame is missing')
      expect(difference(once, again), `${fps} frames per second`).toBe(0)
    }
  },
)

describe('the coded frames', () => {
  const frameNumbers = [0, 1, 7, 14]

  it('match the drawn pictures, although only changed pixels are converted', async () => {
    const size = { width: 128, height: 96 }
    const options = {
      template: 'bars',
      samples: song().subarray(0, 2 * 24_000),
      ...size,
      title: 'Night',
    } as const
    const pictures = await drawTemplate(options, frameNumbers)
    const { drawn, moments } = await prepareTemplate(options)
    let index = 0
    for await (const bytes of rawFrames({ drawn, moments, ...size })) {
      const picture = pictures[frameNumbers.indexOf(index)]
      index += 1
      if (!picture) continue
      const exact = new Yuv420(size)
      exact.write(new Uint8Array(canvasPixels(picture)), { x: 0, y: 0, ...size })
      const errors = exact.bytes.map((value, at) => Math.abs(value - (bytes[at] ?? 0)))
      expect(
        errors.filter((steps) => steps > 2),
        `frame ${index - 1}`,
      ).toEqual(new Uint8Array())
    }
    expect(index).toBe(15)
  })

  const sizes = [
    ['at full size', { width: 160, height: 90, title: 'Night', artist: 'Drive' }],
    ['at half the size', { width: 640, height: 360, title: 'Night', artist: 'Drive' }],
    ['at half an odd size, without words', { width: 362, height: 366, title: '', artist: '' }],
  ] as const

  it.each(sampleCases(sizes))(
    'get their scale and text from ffmpeg if everything moves and is drawn %s',
    async (_, given) => {
      const { width, height } = given
      const size = { width, height }
      const samples = song().subarray(0, 2 * 24_000)
      const options = { template: 'shockwave', samples, ...given } as const
      const pictures = await drawTemplate(options, frameNumbers)
      const { scene, drawn, moments } = await prepareTemplate(options)
      await using folder = await temporaryFolder()
      const [silence, path] = [join(folder.path, 'silence.wav'), join(folder.path, 'film.mp4')]
      await ffmpeg('-f', 'lavfi', '-i', 'anullsrc=d=0.5', silence)
      const quiet = { path: silence, mono: false, seconds: 0.5 }
      const film = { drawn, moments, ...size, fps: 30, frames: 15, sound: quiet }
      const context = { scratch: folder.path, signal: new AbortController().signal, threads: 2 }
      await encodeVisualizer(film, context, { path, timeoutMs: 60_000, onFrames: () => {} })
      const coded = await rgbFrames(path, frameNumbers)
      for (const [index, picture] of pictures.entries()) {
        const three = coded[index] ?? Buffer.alloc(0)
        const pixels = new Uint8ClampedArray(4 * size.width * size.height).fill(255)
        for (let at = 0; 3 * at < three.length; at += 1)
          pixels.set(three.subarray(3 * at, 3 * at + 3), 4 * at)
        const frame = pixelsToCanvas(scene.drawing, size, pixels)
        expect(worstBlock(frame, picture), `frame ${frameNumbers[index]}`).toBeLessThan(lossy)
      }
    },
  )
})

describe('shockwave', () => {
  it.each([
    [4096, 16],
    [16, 4096],
  ])('has few rings at %i x %i', async (width, height) => {
    const { scene } = await prepareTemplate({
      template: 'shockwave',
      samples: sound(0.1, () => 0),
      width,
      height,
    })
    const radii = rippleRadii(scene)
    expect(radii.length).toBeGreaterThan(10)
    expect(radii.length).toBeLessThanOrEqual(40)
  })
})

describe('lissajous', () => {
  const figures = [
    ['both channels are one', [1, 1]],
    ['both channels are nearly one', [1, 0.95]],
    ['channels are opposite', [1, -1]],
    ['the left is silent', [0, 1]],
    ['the right is silent', [1, 0]],
  ] as const

  const size = { width: 160, height: 160 }
  const emptyScreen = lazy(async () => {
    const [screen] = await drawTemplate({ template: 'lissajous', samples: sound(0.5, () => 0), ...size }, [8])
    return screen
  })

  it.each(sampleCases(figures, 3))('draws a figure, not a line, where %s', async (_, [left, right]) => {
    const tones = (time: number) => 0.3 * Math.sin(880 * time) + 0.3 * Math.sin(2500 * time)
    const samples = sound(
      0.5,
      (time) => left * tones(time),
      (time) => right * tones(time),
    )
    const [picture] = await drawTemplate({ template: 'lissajous', samples, ...size }, [8])
    const screen = await emptyScreen()
    if (!picture || !screen) throw new Error('a frame is missing')
    const [lit, dark] = [canvasPixels(picture), canvasPixels(screen)]
    const [columns, rows] = [new Set<number>(), new Set<number>()]
    for (const [at, value] of lit.entries()) {
      if (at % 4 === 3 || value <= (dark[at] ?? 0) + 60) continue
      columns.add((at >> 2) % size.width)
      rows.add(Math.floor((at >> 2) / size.width))
    }
    expect(Math.min(columns.size, rows.size)).toBeGreaterThan(20)
  })
})

describe('pulsar', () => {
  it('starts a ring on the exact frame of each click', async () => {
    // Farther apart than the duration of a ring.
    const times = soakSize([0.3, 1.51], [0.3, 1.51, 2.703])
    const click = (time: number) => {
      const since = time - (times.findLast((at) => at <= time) ?? Infinity)
      return since >= 0 && since < 0.004 ? 0.9 * Math.cos(2 * Math.PI * 3000 * since) : 0
    }
    const seconds = (times.at(-1) ?? 0) + 0.4
    for (const fps of sampleCases([30, 60], 1)) {
      const options = {
        template: 'pulsar',
        samples: sound(seconds, click),
        width: 112,
        height: 112,
        fps,
      } as const
      const all = Array.from({ length: Math.round(seconds * fps) }, (_, index) => index)
      const rings = await drawTemplate(options, all)
      const withoutBeats = await drawTemplate({ ...options, withoutBeats: true }, all)
      const hasRing = rings.map((picture, index) => difference(picture, withoutBeats[index] ?? picture) > 0)
      const ringStarts = all.filter((index) => hasRing[index] && !hasRing[index - 1])
      expect(ringStarts).toEqual(times.map((time) => Math.ceil(time * fps - 1e-6)))
    }
  })
})

describe('bars', () => {
  it('a rising tone raises bar after bar at its position', async () => {
    const [from, to, seconds] = [60, 9000, 4]
    const barPosition = (hertz: number) => Math.log(hertz / 40) / Math.log(14_000 / 40)
    const rise = Math.log(to / from) / seconds
    const rising = (time: number) => 0.7 * Math.sin((2 * Math.PI * from * (Math.exp(rise * time) - 1)) / rise)
    const frames = sampleCases([30, 60, 90, 110])
    const pictures = await drawTemplate(
      {
        template: 'bars',
        samples: sound(seconds, rising),
        width: 320,
        height: 180,
        c1: '#00ff00',
        c2: '#00ff00',
      },
      frames,
    )
    const room = 320 - 2.4 * 0.06 * 180
    for (const [index, picture] of pictures.entries()) {
      const pixels = canvasPixels(picture)
      const tall = Array.from({ length: 320 }, (_, x) => {
        const column = Array.from({ length: 108 }, (__, y) => pixels[4 * (y * 320 + x) + 1] ?? 0)
        return column.filter((green) => green > 200).length
      })
      const highest = Math.max(...tall)
      const lit = tall.flatMap((height, x) => (height >= highest - 1 ? [x] : []))
      const middle = (lit.reduce((sum, x) => sum + x, 0) / lit.length - (320 - room) / 2) / room
      const hertz = from * Math.exp((rise * (frames[index] ?? 0)) / 30)
      // A bar is 1/46 of the width; the previous bar is still high.
      expect(Math.abs(middle - barPosition(hertz)), `${hertz.toFixed(0)} Hz`).toBeLessThan(0.035)
    }
  })
})
